// A small test framework. TEST(name) { … } registers a test. CHECK_EQ prints both values if they differ, with an
// optional third argument that names the case, and continues. What is the same for all values is in main.cpp, because
// most of the time that the tests take to compile is spent on what many of them repeat.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "unit/digest.hpp"
#include "unit/show.hpp"

namespace txtfp::test {

struct Test {
	const char *name, *file;
	void (*run)();
	bool can_run; // false: the machine lacks something that the test needs; the test counts as skipped
};

std::vector<Test> &tests();

struct Registration {
	Registration(const char *name, const char *file, void (*run)(), bool can_run);
};

inline unsigned failed_checks = 0; // of the running test

// How much of something a test does, in the long run (TXTFP_LONG, make check-all) and otherwise
inline std::size_t by_length(std::size_t long_run, std::size_t otherwise)
{
	return std::getenv("TXTFP_LONG") != nullptr ? long_run : otherwise;
}

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
void fail(const char *file, int line, const std::string &what);
void fail_shown(const std::string &actual, const std::string &expected, const std::string &difference,
	const char *expression, const std::string &which, const char *file, int line);

template <class A, class B>
void fail_equal(
	const A &actual, const B &expected, const char *expression, const std::string &which, const char *file, int line)
{
	fail_shown(show(actual), show(expected), show_difference(actual, expected), expression, which, file, line);
}

} // namespace txtfp::test

#define TEST_IF(name, condition)                                                                       \
	static void test_##name();                                                                         \
	static const ::txtfp::test::Registration register_##name(#name, __FILE__, test_##name, condition); \
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
