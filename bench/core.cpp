// Times the core on files of UTF-8 text and prints one line per measurement, as bench/crate does:
//     <file> TAB <measurement> TAB <value>
// Times are the median over batches, in nanoseconds of the thread's own CPU time per call.
//   canonicalize words minhash simhash   also measured for the crate
//   shingles                             words and shingles, the tokenizing part of a sketch
//   hash                                 hashing all shingles of the text, nothing else
//   update_<level>                       updating 128 slots with all hashes of the text, at each level that this CPU has
//
// For callgrind: core --once FILE calls measured_call once for each of the first four, after a warm-up.
// For a profiler: core --repeat MEASUREMENT SECONDS FILE
#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/cpu.hpp"
#include "core/minhash/minhash.hpp"
#include "core/simhash/simhash.hpp"
#include "core/text/canonical.hpp"
#include "core/text/tokens.hpp"
#include "measure.hpp"

// The symbol in which callgrind collects; bench/crate has the same.
extern "C" __attribute__((noinline)) void measured_call(const std::function<void()> &call) { call(); }

namespace {

using namespace bench;
using namespace txtfp::core;

constexpr std::size_t slot_count = 128;
constexpr int batches = 15;
constexpr double batch_ns = 3e6; // long compared with the clock's resolution, short compared with a scheduler's slice

// The first batches, which find the batch size, also warm the caches.
template <class Call> double median_ns(const Call &call)
{
	long calls = 1;
	while (elapsed_ns(call, calls) < batch_ns)
		calls *= 2;
	std::vector<double> per_call;
	for (int i = 0; i < batches; ++i)
		per_call.push_back(elapsed_ns(call, calls) / static_cast<double>(calls));
	std::nth_element(per_call.begin(), per_call.begin() + batches / 2, per_call.end());
	return per_call[batches / 2];
}

TokenizerSpec tokenizer(std::string_view name)
{
	TokenizerSpec spec;
	if (parse_tokenizer(name, spec) != TokenizerError::none)
		std::abort();
	return spec;
}

std::size_t count_tokens(std::string_view text, const TokenizerSpec &spec)
{
	std::size_t tokens = 0;
	for_each_token(
		text, spec,
		[&tokens](std::string_view token) {
			keep(token);
			++tokens;
		},
		never_stop);
	return tokens;
}

class Bench {
public:
	explicit Bench(std::string text) : text_(std::move(text))
	{
		options_.tokenizer = shingles_;
		simhash_options_.tokenizer = words_;
		canonical_ = canonicalize(text_, options_.canonical);
		for_each_token(canonical_, shingles_, [this](std::string_view token) {
			tokens_.emplace_back(token);
			const Hash128 h = hash128(options_.family, token, options_.seed);
			lo_.push_back(h.lo);
			hi_.push_back(h.hi);
		});
		any_ = minhash(text_, options_, slots_);
		simhash(text_, simhash_options_, bits_);
	}

	// Calls measure(name, call) for the operations that are also measured for the crate.
	template <class Measure> void operations(Measure measure)
	{
		measure("canonicalize", [this] { keep(canonicalize(text_, options_.canonical, never_stop)); });
		measure("words", [this] { keep(count_tokens(canonical_, words_)); });
		measure("minhash", [this] {
			keep(minhash(text_, options_, slots_, never_stop));
			keep(slots_);
		});
		measure("simhash", [this] {
			keep(simhash(text_, simhash_options_, bits_, never_stop));
			keep(bits_);
		});
	}

	// The parts of minhash.
	template <class Measure> void parts(Measure measure)
	{
		measure("shingles", [this] { keep(count_tokens(canonical_, shingles_)); });
		measure("hash", [this] {
			for (const std::string &t : tokens_)
				keep(hash128(options_.family, t, options_.seed));
		});
		for (const SimdLevel level : usable_simd_levels())
			measure(std::string("update_") + name(level), [this, level] { update(level); });
	}

	std::size_t word_count() const { return count_tokens(canonical_, words_); }

	std::uint64_t simhash_bits() const { return bits_; }

	// The first four slots, and FNV-1a over all of them taken as whole words.
	std::string sketch() const
	{
		std::uint64_t digest = 0xCBF29CE484222325;
		for (const std::uint64_t slot : slots_)
			digest = (digest ^ slot) * 0x100000001B3;
		char line[128];
		std::snprintf(line, sizeof line,
			"%016" PRIx64 " %016" PRIx64 " %016" PRIx64 " %016" PRIx64 " digest %016" PRIx64, slots_[0], slots_[1],
			slots_[2], slots_[3], digest);
		return any_ ? line : "none";
	}

private:
	void update(SimdLevel level)
	{
		std::uint64_t slots[slot_count];
		std::fill(std::begin(slots), std::end(slots), ~std::uint64_t{0});
		minhash_update(level, slots, lo_.data(), hi_.data(), lo_.size());
		keep(slots);
	}

	std::string text_, canonical_;
	TextOptions options_;
	SimhashOptions simhash_options_;
	TokenizerSpec words_ = tokenizer("word-uax29"), shingles_ = tokenizer("shingle-k=5/word-uax29");
	std::vector<std::string> tokens_;
	std::vector<std::uint64_t> lo_, hi_;
	std::uint64_t slots_[slot_count] = {}, bits_ = 0;
	bool any_ = false;
};

std::string read_file(const char *path)
{
	std::ifstream file(path, std::ios::binary);
	if (!file) {
		std::fprintf(stderr, "%s: cannot be read\n", path);
		std::exit(1);
	}
	return {std::istreambuf_iterator<char>(file), {}};
}

void measure(const char *path)
{
	Bench bench(read_file(path));
	std::printf("%s\tword_count\t%zu\n", path, bench.word_count());
	std::printf("%s\tminhash_slots\t%s\n", path, bench.sketch().c_str());
	std::printf("%s\tsimhash_bits\t%016" PRIx64 "\n", path, bench.simhash_bits());
	const auto print = [path](const std::string &name, const auto &call) {
		std::printf("%s\t%s\t%.1f\n", path, name.c_str(), median_ns(call));
		std::fflush(stdout);
	};
	bench.operations(print);
	bench.parts(print);
}

void once(const char *path)
{
	Bench bench(read_file(path));
	bench.operations([path](const char *name, const auto &call) {
		call();
		std::printf("%s\t%s\n", path, name);
		measured_call(call);
	});
}

int repeat(std::string_view wanted, double seconds, const char *path)
{
	Bench bench(read_file(path));
	bool found = false;
	const auto run = [&](std::string_view name, const auto &call) {
		if (name != wanted)
			return;
		found = true;
		for (double ns = 0; ns < seconds * 1e9;)
			ns += elapsed_ns(call, 100);
	};
	bench.operations(run);
	bench.parts(run);
	if (!found)
		std::fprintf(stderr, "no measurement has that name on this CPU\n");
	return found ? 0 : 2;
}

} // namespace

int main(int argc, char **argv)
{
	if (argc == 5 && std::string_view(argv[1]) == "--repeat")
		return repeat(argv[2], std::atof(argv[3]), argv[4]);
	if (argc == 3 && std::string_view(argv[1]) == "--once") {
		once(argv[2]);
		return 0;
	}
	if (argc < 2) {
		std::fprintf(
			stderr, "usage: core FILE...\n       core --once FILE\n       core --repeat MEASUREMENT SECONDS FILE\n");
		return 2;
	}
	for (int i = 1; i < argc; ++i)
		measure(argv[i]);
	return 0;
}
