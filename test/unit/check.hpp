// A small test framework. TEST(name) { … } registers a test. CHECK_EQ prints both values if they differ, with an
// optional third argument that names the case, and continues.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "unit/digest.hpp"
#include "unit/show.hpp"

namespace txtfp::test {

struct Test {
	const char *name;
	void (*run)();
	bool can_run; // false: the machine lacks something that the test needs; the test counts as skipped
};

inline std::vector<Test> &tests()
{
	static std::vector<Test> all;
	return all;
}

struct Registration {
	Registration(const char *name, void (*run)(), bool can_run) { tests().push_back({name, run, can_run}); }
};

inline unsigned failed_checks = 0; // of the running test

template <class T>
constexpr bool is_number =
	std::is_integral_v<T> && !std::is_same_v<T, bool> && !std::is_same_v<T, char> && !std::is_same_v<T, char32_t>;

template <class A, class B> bool equal(const A &a, const B &b)
{
	if constexpr (is_number<A> && is_number<B>)
		return std::cmp_equal(a, b);
	else
		return a == b;
}

// Prints only the first failures of a test: a wrong table may cause a million.
inline void fail(const char *file, int line, const std::string &what)
{
	constexpr unsigned printed = 10;
	if (++failed_checks <= printed)
		std::printf("%s:%d: %s\n", file, line, what.c_str());
	else if (failed_checks == printed + 1)
		std::printf("%s:%d: … more failures in this test\n", file, line);
}

template <class A, class B>
void fail_equal(const A &actual, const B &expected, const std::string &expression, const std::string &which,
	const char *file, int line)
{
	fail(file, line,
		expression + (which.empty() ? "" : " [" + which + "]") + "\n    actual   " + show(actual) + "\n    expected " +
			show(expected) + show_difference(actual, expected));
}

} // namespace txtfp::test

#define TEST_IF(name, condition)                                                             \
	static void test_##name();                                                               \
	static const ::txtfp::test::Registration register_##name(#name, test_##name, condition); \
	static void test_##name()

#define TEST(name) TEST_IF(name, true)

#define CHECK_EQ(actual, expected, ...)                                                                           \
	do {                                                                                                          \
		const auto &actual_value = (actual);                                                                      \
		const auto &expected_value = (expected);                                                                  \
		::txtfp::test::actual_values.add(actual_value);                                                           \
		if (!::txtfp::test::equal(actual_value, expected_value))                                                  \
			::txtfp::test::fail_equal(                                                                            \
				actual_value, expected_value, #actual, ::txtfp::test::show_all(__VA_ARGS__), __FILE__, __LINE__); \
	} while (false)
