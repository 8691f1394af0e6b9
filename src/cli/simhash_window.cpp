#include "cli/simhash_window.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "core/simhash/simhash.hpp"

namespace txtfp::cli {

std::uint64_t jenkins64(std::string_view bytes, std::uint64_t seed) noexcept
{
	using Word = std::uint32_t;
	const auto word = [](const char *p, std::size_t n) {
		std::uint8_t padded[4] = {};
		std::memcpy(padded, p, std::min<std::size_t>(n, 4));
		return Word{padded[0]} | Word{padded[1]} << 8 | Word{padded[2]} << 16 | Word{padded[3]} << 24;
	};
	Word a = 0xDEADBEEF + static_cast<Word>(bytes.size()) + static_cast<Word>(seed >> 32), b = a, c = a;
	c += static_cast<Word>(seed);
	const auto mix = [](Word &x, Word y, int k, Word &kept, Word z) {
		x -= y;
		x ^= std::rotl(y, k);
		kept += z;
	};
	const auto final = [](Word &x, Word y, int k) {
		x ^= y;
		x -= std::rotl(y, k);
	};
	const char *p = bytes.data();
	std::size_t n = bytes.size();
	for (; n > 12; p += 12, n -= 12) {
		a += word(p, 4);
		b += word(p + 4, 4);
		c += word(p + 8, 4);
		mix(a, c, 4, c, b);
		mix(b, a, 6, a, c);
		mix(c, b, 8, b, a);
		mix(a, c, 16, c, b);
		mix(b, a, 19, a, c);
		mix(c, b, 4, b, a);
	}
	if (n == 0)
		return std::uint64_t{c} << 32 | b;
	a += word(p, n);
	b += n > 4 ? word(p + 4, n - 4) : 0;
	c += n > 8 ? word(p + 8, n - 8) : 0;
	final(c, b, 14);
	final(a, c, 11);
	final(b, a, 25);
	final(c, b, 16);
	final(a, c, 4);
	final(b, a, 14);
	final(c, b, 24);
	return std::uint64_t{c} << 32 | b;
}

bool window_simhash(std::string_view bytes, std::size_t window, std::uint64_t &hash) noexcept
{
	if (bytes.size() < window)
		return false;
	core::BitCounter counter;
	for (std::size_t i = 0; i + window < bytes.size(); ++i)
		counter.add(jenkins64(bytes.substr(i, window), 0));
	hash = counter.majority();
	return true;
}

} // namespace txtfp::cli
