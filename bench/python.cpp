// The speed of the core alone, for bench/python.py: reads texts, one a line, and prints the processor time of their
// minhash128 in seconds, the least of several rounds, once without and once with an array that keeps the sketches.
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "core/minhash/minhash.hpp"

namespace {

double processor_seconds()
{
	timespec now;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

} // namespace

int main(int, char **arguments)
{
	using namespace txtfp::core;
	std::ifstream file(arguments[1]);
	std::vector<std::string> texts;
	for (std::string line; std::getline(file, line);)
		texts.push_back(line);
	TextOptions options;
	if (parse_tokenizer(default_tokenizer, options.tokenizer) != TokenizerError::none)
		return 1;
	std::uint64_t slots[128], sum = 0;
	for (const bool keep : {false, true}) {
		double best = 1e9;
		for (int round = 0; round < 5; ++round) {
			const double start = processor_seconds();
			const std::unique_ptr<std::uint64_t[]> kept(keep ? new std::uint64_t[128 * texts.size()] : nullptr);
			for (std::size_t i = 0; i < texts.size(); ++i) {
				minhash(texts[i], options, keep ? Slots(kept.get() + 128 * i, 128) : Slots(slots));
				sum += slots[0];
			}
			best = std::min(best, processor_seconds() - start);
		}
		std::printf("%.4f\n", best);
	}
	return sum == 42; // so that nothing is optimized away
}
