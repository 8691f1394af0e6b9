// Times the measures and passages of core/compare for pairs of texts. Reads the pairs from standard input, one text per
// line (with blanks for line ends), two lines per pair. Prints, for each function or the one named, megabytes of text
// (both texts) per second of processor time, and counts that must not change.
#include <cstdio>
#include <ctime>
#include <iostream>
#include <string>
#include <vector>

#include "core/compare/shared_passages.hpp"
#include "core/compare/text_measures.hpp"

using namespace txtfp::core;

namespace {

double processor_seconds()
{
	timespec now;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

struct Pair {
	std::string a, b;
};

template <class Fn> void measure(std::string_view name, std::string_view only, const std::vector<Pair> &pairs, Fn fn)
{
	if (!only.empty() && only != name)
		return;
	double bytes = 0, best = 1e300;
	unsigned long long result = 0;
	for (const Pair &pair : pairs)
		bytes += static_cast<double>(pair.a.size() + pair.b.size());
	for (int round = 0; round < 5; ++round) {
		const double start = processor_seconds();
		result = 0;
		for (const Pair &pair : pairs)
			result += fn(pair);
		best = std::min(best, processor_seconds() - start);
	}
	std::printf("%-18s %8.1f MB/s  %llu\n", name.data(), bytes / best / 1e6, result);
}

} // namespace

int main(int argc, char **argv)
{
	const std::string_view only = argc > 1 ? argv[1] : "";
	std::vector<Pair> pairs;
	for (Pair pair; std::getline(std::cin, pair.a) && std::getline(std::cin, pair.b);)
		pairs.push_back(pair);
	const CanonicalOptions canonical;
	TokenizerSpec tokenizer;
	parse_tokenizer(default_tokenizer, tokenizer);
	measure("token_overlap", only, pairs,
		[&](const Pair &pair) { return token_overlap(pair.a, pair.b, canonical, tokenizer).common; });
	measure("shared_passages", only, pairs,
		[&](const Pair &pair) { return shared_passages(pair.a, pair.b, 5, canonical).size(); });
	measure("mapped_text", only, pairs, [&](const Pair &pair) {
		return MappedText(pair.a, canonical).canonical().size() + MappedText(pair.b, canonical).canonical().size();
	});
}
