#include "core/base/numbers.hpp"

#include <cmath>
#include <random>
#include <string>

#include "unit/check.hpp"

using namespace txtfp::core;
using namespace txtfp::test;

namespace {

// What one of the functions makes of a text: error, length, bits. Reads on after the text if it ignores its end.
template <class Number> std::string outcome(const auto &function, const std::string &text)
{
	const std::string longer = text + "1";
	Number value = 0.25;
	const std::from_chars_result result = function(longer.data(), longer.data() + text.size(), value);
	const auto length = result.ec == std::errc::invalid_argument ? 0 : result.ptr - longer.data();
	return std::to_string(static_cast<int>(result.ec)) + " " + std::to_string(length) + " " +
		(std::isnan(value) ? "nan" : show(value));
}

} // namespace

TEST(numbers_are_read_without_from_chars)
{
	const auto read = [](const char *begin, const char *end, double &value) {
		return from_chars_by_strtod(begin, end, value);
	};
	CHECK_EQ(outcome<double>(read, "0.1,"), "0 3 " + show(0.1));
	CHECK_EQ(outcome<double>(read, "-2.5e-3"), "0 7 " + show(-0.0025));
	CHECK_EQ(outcome<double>(read, "0x10"), "0 1 " + show(0.0));
	const std::string invalid = std::to_string(static_cast<int>(std::errc::invalid_argument)) + " 0 " + show(0.25);
	for (const char *text : {"", " 1", "+1", "-", ".", "-.e5", "e5", "abc", "--1"})
		CHECK_EQ(outcome<double>(read, text), invalid, text);
	const std::string range = std::to_string(static_cast<int>(std::errc::result_out_of_range));
	for (const std::string text : {"1e999", "-1e999", "1e-999"})
		CHECK_EQ(outcome<double>(read, text), range + " " + std::to_string(text.size()) + " " + show(0.25), text);
	CHECK_EQ(outcome<double>(read, "5e-324"), "0 6 " + show(std::nextafter(0.0, 1.0)));
}

#ifdef __cpp_lib_to_chars
TEST(numbers_are_those_of_from_chars)
{
	const auto own = [](const char *begin, const char *end, auto &value) {
		return from_chars_by_strtod(begin, end, value);
	};
	const auto standard = [](const char *begin, const char *end, auto &value) {
		return std::from_chars(begin, end, value);
	};
	const auto check = [&](const std::string &text) {
		CHECK_EQ(outcome<float>(own, text), outcome<float>(standard, text), text);
		CHECK_EQ(outcome<double>(own, text), outcome<double>(standard, text), text);
	};
	std::mt19937_64 random(1);
	constexpr std::string_view characters = "0123456789-+.eE";
	for (int i = 0; i < 20000; ++i) {
		std::string text;
		for (std::size_t size = random() % 12; text.size() < size;)
			text += characters[random() % characters.size()];
		check(text);
	}
	for (int i = 0; i < 2000; ++i) // every magnitude, and more digits than fit
		check((i % 2 ? "-" : "") + std::to_string(random()) + "." + std::to_string(random()) + "e" +
			std::to_string(static_cast<int>(random() % 760) - 400));
	for (const char *text :
		{"inf", "-INF", "infinit", "Infinity", "nan", "-NaN", "in", "1e", "1e+", "1.e1", ".5", "1..2", "0e999", "-0"})
		check(text);
	check(std::string(1000, '3') + "e-990");
	check("0." + std::string(400, '0') + "1e400");
}
#endif
