// Converts pages, for comparison and for measurement.
//
//   convert KIND < PAGES            PAGES: for each page its size in bytes, LF, and the page; the output has the same form, -1 is an error
//   convert KIND FILE SECONDS       the median time of a conversion of FILE in seconds of processor time, repeated for SECONDS
//
// KIND: html, plain, or markdown, to which three digits may be added (markdown101): include_code_blocks,
// include_inline_code, break_to_space.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include "../../../bench/measure.hpp"
#include "core/html_text.hpp"
#include "core/markdown.hpp"

using namespace txtfp;

namespace {

std::string convert(const std::string &kind, const std::string &page)
{
	if (kind == "html")
		return markup::html_to_text(page, {});
	if (kind == "plain")
		return markup::html_to_plain_text(page, {});
	const auto flag = [&](std::size_t i) { return kind.size() <= 8 + i || kind[8 + i] == '1'; };
	return markup::markdown_to_text(page, {flag(0), flag(1), flag(2)}, {});
}

void measure(const std::string &kind, const char *path, double seconds)
{
	std::ifstream file(path, std::ios::binary);
	const std::string page{std::istreambuf_iterator<char>(file), {}};
	std::size_t size = 0;
	const auto call = [&] { size += convert(kind, page).size(); };
	long calls = 1; // until reading the clock takes no time in comparison; this also warms the caches
	while (bench::elapsed_ns(call, calls) < 1e6)
		calls *= 2;
	std::vector<double> times;
	for (const double began = bench::cpu_ns(); times.size() < 3 || bench::cpu_ns() - began < 1e9 * seconds;)
		times.push_back(1e-9 * bench::elapsed_ns(call, calls) / static_cast<double>(calls));
	std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2), times.end());
	std::printf("%.9f\n", size == static_cast<std::size_t>(-1) ? 0.0 : times[times.size() / 2]);
}

} // namespace

int main(int count, char **arguments)
{
	const std::string kind = count > 1 ? arguments[1] : "";
	if (count == 4) {
		try {
			measure(kind, arguments[2], std::atof(arguments[3]));
		} catch (const std::exception &error) {
			std::fprintf(stderr, "%s\n", error.what());
			return 1;
		}
		return 0;
	}
	if (count != 2) {
		std::fprintf(stderr, "usage: convert KIND [FILE SECONDS]\n");
		return 2;
	}
	for (std::size_t size; std::cin >> size;) {
		std::cin.get();
		std::string page(size, '\0');
		std::cin.read(page.data(), static_cast<std::streamsize>(size));
		try {
			const std::string text = convert(kind, page);
			std::cout << text.size() << '\n' << text;
		} catch (const std::exception &error) {
			std::cerr << error.what() << '\n';
			std::cout << "-1\n";
		}
	}
	return 0;
}
