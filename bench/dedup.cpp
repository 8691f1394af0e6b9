// For bench/dedup.sh: writes the rows to deduplicate, and finds pairs of SimHash values by block permutation.
//     dedup sketches N     N rows (bigint, minhash128) for COPY BINARY
//     dedup simhashes N    N rows (bigint, simhash64) for COPY BINARY
//     dedup find-all N     the pairs of the same values within distance 3, timed; if SIMHASH_CPP is defined, also with the code of
//                          simhash-cpp
// One row in five is a near-duplicate of an earlier one: a sketch with 80 to 100 % equal slots, or a value with up to 3
// different bits. The other rows have nothing in common.
#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "core/base/splitmix.hpp"

#ifdef SIMHASH_CPP
#include <simhash.h>
#endif

namespace {

struct Random : txtfp::core::SplitMix64 {
	using SplitMix64::SplitMix64;
	double unit() { return static_cast<double>((*this)() >> 11) * 0x1p-53; }
};

constexpr int slots = 128;
constexpr std::uint64_t none = ~std::uint64_t{0};

// The earlier row that row i is a near-duplicate of. It is always an original, so that clusters have a known size.
std::uint64_t original_of(std::uint64_t i)
{
	Random random(i * 3 + 1);
	if (i % 5 != 4)
		return none;
	const std::uint64_t row = random.below(i);
	return row % 5 != 4 ? row : row - 1;
}

void sketch_of(std::uint64_t i, std::uint64_t *sketch)
{
	const std::uint64_t original = original_of(i);
	Random own(~i);
	if (original == none) {
		for (int s = 0; s < slots; ++s)
			sketch[s] = own();
		return;
	}
	sketch_of(original, sketch);
	const double similarity = 0.8 + 0.2 * own.unit();
	for (int s = 0; s < slots; ++s)
		if (own.unit() > similarity)
			sketch[s] = own();
}

std::uint64_t simhash_of(std::uint64_t i)
{
	const std::uint64_t original = original_of(i);
	Random own(~i);
	if (original == none)
		return own();
	std::uint64_t value = simhash_of(original);
	for (std::uint64_t bits = own.below(4); bits > 0; --bits)
		value ^= std::uint64_t{1} << own.below(64);
	return value;
}

void put(std::uint64_t value, int bytes)
{
	for (int i = bytes - 1; i >= 0; --i)
		std::putchar(static_cast<int>(value >> 8 * i & 0xFF));
}

void copy_head()
{
	std::fwrite("PGCOPY\n\xFF\r\n", 1, 11, stdout); // with the terminating zero
	put(0, 8);
}

void write_sketches(std::uint64_t n)
{
	copy_head();
	for (std::uint64_t i = 0; i < n; ++i) {
		std::uint64_t sketch[slots];
		sketch_of(i, sketch);
		put(2, 2);
		put(8, 4);
		put(i, 8);
		put(16 + 8 * slots, 4);
		put(0, 8);                      // configuration
		put(std::uint64_t{1} << 56, 8); // schema 1, little-endian, and padding
		for (const std::uint64_t slot : sketch)
			put(__builtin_bswap64(slot), 8);
	}
	put(0xFFFF, 2);
}

void write_simhashes(std::uint64_t n)
{
	copy_head();
	for (std::uint64_t i = 0; i < n; ++i) {
		put(2, 2);
		put(8, 4);
		put(i, 8);
		put(8, 4);
		put(simhash_of(i), 8);
	}
	put(0xFFFF, 2);
}

// The algorithm that simhash-cpp publishes (Manku, Jain, Das Sarma, 2007), implemented plainly: the 64 bits are cut
// into `blocks` blocks. For each choice of blocks − distance of them there is a sorted table in which these lead; all
// pairs that share the leading blocks are compared, and a set keeps each pair once.
class FindAll {
public:
	FindAll(int blocks, int distance) : blocks_(blocks), distance_(distance) {}
	std::size_t operator()(const std::vector<std::uint64_t> &values)
	{
		values_ = &values;
		choose(0, {});
		return pairs_.size();
	}

private:
	struct PairHash {
		std::size_t operator()(const std::pair<std::uint64_t, std::uint64_t> &p) const
		{
			return p.first * 0x9E3779B97F4A7C15 ^ p.second;
		}
	};

	void choose(int block, std::vector<int> leading)
	{
		if (static_cast<int>(leading.size()) == blocks_ - distance_)
			return search(leading);
		for (; block < blocks_; ++block) {
			std::vector<int> longer = leading;
			longer.push_back(block);
			choose(block + 1, longer);
		}
	}

	void search(const std::vector<int> &leading)
	{
		std::uint64_t mask = 0;
		for (const int block : leading)
			for (int bit = 64 * block / blocks_; bit < 64 * (block + 1) / blocks_; ++bit)
				mask |= std::uint64_t{1} << bit;
		std::vector<std::uint64_t> table = *values_; // sorting by the masked bits replaces permuting
		std::sort(
			table.begin(), table.end(), [mask](std::uint64_t a, std::uint64_t b) { return (a & mask) < (b & mask); });
		for (std::size_t begin = 0, end; begin < table.size(); begin = end) {
			for (end = begin; end < table.size() && (table[end] & mask) == (table[begin] & mask);)
				++end;
			for (std::size_t i = begin; i < end; ++i)
				for (std::size_t j = i + 1; j < end; ++j)
					if (std::popcount(table[i] ^ table[j]) <= distance_)
						pairs_.insert(std::minmax(table[i], table[j]));
		}
	}

	int blocks_, distance_;
	const std::vector<std::uint64_t> *values_ = nullptr;
	std::unordered_set<std::pair<std::uint64_t, std::uint64_t>, PairHash> pairs_;
};

template <class Fn> void time_it(const char *what, int blocks, Fn fn)
{
	const auto start = std::chrono::steady_clock::now();
	const std::size_t pairs = fn();
	const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
	std::printf("%s, %d blocks: %zu pairs of distinct values, %.2f s\n", what, blocks, pairs, took.count());
}

void find_all(std::uint64_t n)
{
	std::vector<std::uint64_t> values(n);
	for (std::uint64_t i = 0; i < n; ++i)
		values[i] = simhash_of(i);
	std::sort(values.begin(), values.end());
	values.erase(std::unique(values.begin(), values.end()), values.end());
	for (const int blocks : {4, 5, 6}) {
		time_it("block permutation", blocks, [&] { return FindAll(blocks, 3)(values); });
#ifdef SIMHASH_CPP
		std::unordered_set<std::uint64_t> set(values.begin(), values.end());
		time_it("simhash-cpp find_all", blocks,
			[&] { return Simhash::find_all(set, static_cast<std::size_t>(blocks), 3).size(); });
#endif
	}
}

} // namespace

int main(int argc, char **argv)
{
	const std::string_view what = argc == 3 ? argv[1] : "";
	const std::uint64_t n = argc == 3 ? std::strtoull(argv[2], nullptr, 10) : 0;
	if (what == "sketches")
		write_sketches(n);
	else if (what == "simhashes")
		write_simhashes(n);
	else if (what == "find-all")
		find_all(n);
	else
		return 2;
	return 0;
}
