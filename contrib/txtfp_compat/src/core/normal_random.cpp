#include "core/normal_random.hpp"

#include <bit>
#include <cmath>
#include <cstring>

#include "core/normal_tables.hpp"

namespace txtfp::core {

namespace {

double as_double(std::uint64_t bits) noexcept { return std::bit_cast<double>(bits); }

// The end of the lowest layer of both ziggurats.
constexpr double zignor_end = 3.654152885361008796;
constexpr double numpy_end = 3.6541528853610088, numpy_inverse_end = 0.27366123732975828;

constexpr double two_to_minus_53 = 1.0 / 9007199254740992.0;

void quarter_round(std::uint32_t &a, std::uint32_t &b, std::uint32_t &c, std::uint32_t &d) noexcept
{
	a += b;
	d = std::rotl(d ^ a, 16);
	c += d;
	b = std::rotl(b ^ c, 12);
	a += b;
	d = std::rotl(d ^ a, 8);
	c += d;
	b = std::rotl(b ^ c, 7);
}

} // namespace

// The key: eight outputs of a PCG32 (XSH-RR) whose state is the seed.
ChaCha8::ChaCha8(std::uint64_t seed) noexcept
{
	for (std::uint32_t &word : key_) {
		seed = seed * 6364136223846793005 + 11634580027462260723U;
		const auto mixed = static_cast<std::uint32_t>(((seed >> 18) ^ seed) >> 27);
		word = std::rotr(mixed, static_cast<int>(seed >> 59));
	}
}

void ChaCha8::next_block() noexcept
{
	constexpr int double_rounds = 4;
	std::uint32_t start[words] = {0x61707865, 0x3320646E, 0x79622D32, 0x6B206574}; // "expand 32-byte k"
	std::memcpy(start + 4, key_, sizeof key_);
	start[12] = static_cast<std::uint32_t>(counter_);
	start[13] = static_cast<std::uint32_t>(counter_ >> 32);
	std::uint32_t x[words];
	std::memcpy(x, start, sizeof x);
	for (int i = 0; i < double_rounds; ++i) {
		for (int column = 0; column < 4; ++column)
			quarter_round(x[column], x[4 + column], x[8 + column], x[12 + column]);
		for (int column = 0; column < 4; ++column)
			quarter_round(x[column], x[4 + (column + 1) % 4], x[8 + (column + 2) % 4], x[12 + (column + 3) % 4]);
	}
	for (unsigned i = 0; i < words; ++i)
		block_[i] = x[i] + start[i];
	++counter_;
	used_ = 0;
}

std::uint64_t ChaCha8::operator()() noexcept
{
	if (used_ == words)
		next_block();
	const std::uint64_t low = block_[used_], high = block_[used_ + 1];
	used_ += 2;
	return high << 32 | low;
}

Pcg64::Pcg64(std::uint64_t seed) noexcept
{
	constexpr std::uint32_t mix_left = 0xCA01F9DD, mix_right = 0x4973F715;
	std::uint32_t hash = 0x43B0D7E5;
	const auto hashed = [&hash](std::uint32_t value) {
		value ^= hash;
		hash *= 0x931E8875;
		value *= hash;
		return value ^ value >> 16;
	};
	std::uint32_t pool[4] = {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32), 0, 0};
	for (std::uint32_t &word : pool)
		word = hashed(word);
	for (int source = 0; source < 4; ++source)
		for (int target = 0; target < 4; ++target)
			if (source != target) {
				const std::uint32_t mixed = mix_left * pool[target] - mix_right * hashed(pool[source]);
				pool[target] = mixed ^ mixed >> 16;
			}
	std::uint64_t words[4] = {};
	hash = 0x8B51F9DD;
	for (int i = 0; i < 8; ++i) {
		std::uint32_t value = pool[i % 4] ^ hash;
		hash *= 0x58F38DED;
		value *= hash;
		value ^= value >> 16;
		words[i / 2] |= std::uint64_t{value} << 32 * (i % 2);
	}
	increment_ = {words[2] << 1 | words[3] >> 63, words[3] << 1 | 1};
	step();
	add({words[0], words[1]});
	step();
}

Pcg64::State Pcg64::product(std::uint64_t a, std::uint64_t b) noexcept
{
#if defined(__SIZEOF_INT128__)
	__extension__ using Wide = unsigned __int128;
	const Wide both = Wide{a} * b;
	return {static_cast<std::uint64_t>(both >> 64), static_cast<std::uint64_t>(both)};
#else
	constexpr std::uint64_t half = 0xFFFFFFFF;
	const std::uint64_t low = (a & half) * (b & half), left = (a >> 32) * (b & half) + (low >> 32);
	const std::uint64_t right = (a & half) * (b >> 32) + (left & half);
	return {(a >> 32) * (b >> 32) + (left >> 32) + (right >> 32), right << 32 | (low & half)};
#endif
}

void Pcg64::add(State term) noexcept
{
	state_.low += term.low;
	state_.high += term.high + (state_.low < term.low);
}

void Pcg64::step() noexcept
{
	constexpr State multiplier{0x2360ED051FC65DA4, 0x4385DF649FCCF645};
	const std::uint64_t cross = state_.high * multiplier.low + state_.low * multiplier.high;
	state_ = product(state_.low, multiplier.low);
	state_.high += cross;
	add(increment_);
}

std::uint64_t Pcg64::operator()() noexcept
{
	step();
	return std::rotr(state_.high ^ state_.low, static_cast<int>(state_.high >> 58));
}

double RustNormal::tail(bool negative) noexcept
{
	const auto open_unit = [this] { // (0, 1)
		return as_double(random_() >> 12 | 0x3FF0000000000000) - (1 - two_to_minus_53);
	};
	double x, y;
	do {
		x = std::log(open_unit()) / zignor_end;
		y = std::log(open_unit());
	} while (-2 * y < x * x);
	return negative ? x - zignor_end : zignor_end - x;
}

double RustNormal::draw() noexcept
{
	for (;;) {
		const std::uint64_t bits = random_();
		const unsigned layer = bits & 255;
		const double u = as_double(bits >> 12 | 0x4000000000000000) - 3; // [−1, 1)
		const double x = u * as_double(zignor_x[layer]);
		if (std::fabs(x) < as_double(zignor_x[layer + 1]))
			return x;
		if (layer == 0)
			return tail(u < 0);
		const double share = static_cast<double>(random_() >> 11) * two_to_minus_53;
		const double above = as_double(zignor_f[layer + 1]), below = as_double(zignor_f[layer]);
		if (above + (below - above) * share < std::exp(-x * x / 2))
			return x;
	}
}

double NumpyNormal::unit() noexcept { return static_cast<double>(random_() >> 11) * two_to_minus_53; }

double NumpyNormal::tail(bool negative) noexcept
{
	double x, y;
	do {
		x = -numpy_inverse_end * std::log1p(-unit());
		y = -std::log1p(-unit());
	} while (!(y + y > x * x));
	return negative ? -(numpy_end + x) : numpy_end + x;
}

double NumpyNormal::operator()() noexcept
{
	constexpr std::uint64_t mantissa = (std::uint64_t{1} << 52) - 1;
	for (;;) {
		std::uint64_t bits = random_();
		const unsigned layer = bits & 255;
		bits >>= 8;
		const std::uint64_t magnitude = bits >> 1 & mantissa;
		double x = static_cast<double>(magnitude) * as_double(numpy_wi[layer]);
		if ((bits & 1) != 0)
			x = -x;
		if (magnitude < numpy_ki[layer])
			return x;
		if (layer == 0)
			return tail((magnitude >> 8 & 1) != 0);
		const double above = as_double(numpy_fi[layer - 1]), below = as_double(numpy_fi[layer]);
		if ((above - below) * unit() + below < std::exp(-0.5 * x * x))
			return x;
	}
}

} // namespace txtfp::core
