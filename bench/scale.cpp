// For bench/scale.sh: rows (bigint, minhash64 or minhash128) for COPY BINARY.
//     scale ROWS SLOTS [FIRST]      rows FIRST to FIRST + ROWS - 1, FIRST = 0 if it is not given
// Of each five rows the last is a near-duplicate of an original far away: 80 to 100 % of the slots equal. Originals
// come in families of 100, spread over the table, in which two rows have a third of their slots in common, as
// boilerplate makes them: seven rows share a band with each. A row depends on its number and the number of slots alone,
// not on how many rows there are, except that originals are among the rows before it.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "core/base/splitmix.hpp"

namespace {

struct Random : txtfp::core::SplitMix64 {
	using SplitMix64::SplitMix64;
	double unit() { return static_cast<double>((*this)() >> 11) * 0x1p-53; }
};

constexpr int max_slots = 128;
constexpr std::uint64_t none = ~std::uint64_t{0};

std::uint64_t original_of(std::uint64_t i)
{
	if (i % 5 != 4)
		return none;
	Random random(i * 3 + 1);
	const std::uint64_t row = random.below(i);
	return row % 5 != 4 ? row : row - 1;
}

// Rows i, i + 1000, i + 2000 … of each hundred thousand are a family.
std::uint64_t family_of(std::uint64_t i) { return i / 100000 * 1000 + i % 1000; }

void sketch_of(std::uint64_t i, int slots, std::uint64_t *sketch)
{
	const std::uint64_t original = original_of(i);
	Random own(~i);
	if (original != none) {
		sketch_of(original, slots, sketch);
		const double similarity = 0.8 + 0.2 * own.unit();
		for (int s = 0; s < slots; ++s)
			if (own.unit() > similarity)
				sketch[s] = own();
		return;
	}
	Random family(family_of(i) ^ 0x5851F42D4C957F2D);
	for (int s = 0; s < slots; ++s) {
		const std::uint64_t shared = family(), mine = own();
		sketch[s] = own() % 5 < 3 ? shared : mine;
	}
}

class Writer {
public:
	void put(std::uint64_t value, int bytes)
	{
		for (int i = bytes - 1; i >= 0; --i)
			buffer_[used_++] = static_cast<char>(value >> 8 * i);
	}
	void copy(const void *from, std::size_t n)
	{
		std::memcpy(buffer_ + used_, from, n);
		used_ += n;
	}
	void flush(std::size_t room)
	{
		if (used_ + room <= sizeof buffer_)
			return;
		if (std::fwrite(buffer_, 1, used_, stdout) != used_)
			std::exit(1);
		used_ = 0;
	}

private:
	char buffer_[1 << 16];
	std::size_t used_ = 0;
};

Writer out;

} // namespace

int main(int argc, char **argv)
{
	const std::uint64_t rows = argc > 2 ? std::strtoull(argv[1], nullptr, 10) : 0;
	const int slots = argc > 2 ? std::atoi(argv[2]) : 0;
	const std::uint64_t first = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 0;
	if (rows == 0 || (slots != 64 && slots != 128)) {
		std::fprintf(stderr, "usage: scale ROWS 64|128 [FIRST]\n");
		return 2;
	}
	out.copy("PGCOPY\n\xFF\r\n", 11); // with the terminating zero
	out.put(0, 8);
	for (std::uint64_t i = first; i < first + rows; ++i) {
		std::uint64_t sketch[max_slots];
		sketch_of(i, slots, sketch);
		out.flush(sizeof sketch + 64);
		out.put(2, 2);
		out.put(8, 4);
		out.put(i, 8);
		out.put(static_cast<std::uint64_t>(16 + 8 * slots), 4);
		out.put(0, 8);                      // configuration
		out.put(std::uint64_t{1} << 56, 8); // schema 1, little-endian, and padding
		out.copy(sketch, 8 * static_cast<std::size_t>(slots));
	}
	out.put(0xFFFF, 2);
	out.flush(sizeof(Writer));
	return std::fflush(stdout) == 0 ? 0 : 1;
}
