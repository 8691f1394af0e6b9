// Times minhash of every line of a file, with the extension's defaults, one thread, and prints one line per pass:
//     <microseconds of CPU time per line>
// usage: documents FILE PASSES
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <string>
#include <vector>

#include "core/minhash/minhash.hpp"
#include "core/text/tokens.hpp"

namespace {

using namespace txtfp::core;

double cpu_us()
{
	timespec now;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) / 1e3;
}

double pass_us(const std::vector<std::string> &lines, const TextOptions &options)
{
	const StopToken never_stop = {[]() noexcept { return false; }};
	std::uint64_t slots[128];
	const double start = cpu_us();
	for (const std::string &line : lines) {
		minhash(line, options, slots, never_stop);
		asm volatile("" : : "r"(slots) : "memory");
	}
	return (cpu_us() - start) / static_cast<double>(lines.size());
}

} // namespace

int main(int argc, char **argv)
{
	if (argc != 3) {
		std::fprintf(stderr, "usage: documents FILE PASSES\n");
		return 2;
	}
	std::ifstream file(argv[1]);
	std::vector<std::string> lines;
	for (std::string line; std::getline(file, line);)
		lines.push_back(line);
	TextOptions options;
	if (lines.empty() || parse_tokenizer("shingle-k=5/word-uax29", options.tokenizer) != TokenizerError::none) {
		std::fprintf(stderr, "%s: no documents\n", argv[1]);
		return 1;
	}
	pass_us(lines, options); // warm-up
	for (int pass = std::atoi(argv[2]); pass > 0; --pass)
		std::printf("%.3f\n", pass_us(lines, options));
	return 0;
}
