// Writes rows to deduplicate, for bench/threads.sh and bench/tenants.sh: N rows (bigint, minhash128) for COPY BINARY
//     sketches N
// One row in five is a near-duplicate of an earlier one, with 80 to 100 % equal slots. The other rows have nothing in common.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "core/base/splitmix.hpp"

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

} // namespace

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	write_sketches(std::strtoull(argv[1], nullptr, 10));
	return 0;
}
