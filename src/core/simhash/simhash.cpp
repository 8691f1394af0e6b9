#include "core/simhash/simhash.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace txtfp::core {

namespace {

constexpr std::string_view weighting_names[] = {"tf", "uniform", "idf"};

// Full adder on 64 lanes: a becomes the sum, the carry is returned.
constexpr std::uint64_t carry_save(std::uint64_t &a, std::uint64_t b, std::uint64_t c) noexcept
{
	const std::uint64_t half = a ^ b;
	const std::uint64_t carry = (a & b) | (half & c);
	a = half ^ c;
	return carry;
}

} // namespace

bool simhash(std::string_view utf8, const SimhashOptions &options, std::uint64_t &bits, StopToken stop)
{
	SimhashSketcher sketcher(options, stop);
	sketcher.append(utf8, true);
	return sketcher.finish(bits);
}

// Keys are copies: the tokens' own bytes do not last.
void SimhashBuilder::add(Tokens tokens)
{
	any_ = any_ || !tokens.empty();
	if (options_.weighting != Weighting::tf) {
		for (const std::string_view token : tokens)
			count(token);
		return;
	}
	std::uint64_t lo[token_batch];
	hash128(options_.family, tokens, options_.seed, lo, nullptr);
	occurrences_.add({lo, tokens.size()});
}

void SimhashBuilder::count(std::string_view token)
{
	const auto at = counts_.find(token);
	if (at != counts_.end())
		++at->second;
	else
		counts_.emplace(token, 1);
}

std::uint64_t SimhashBuilder::weigh_distinct() const noexcept
{
	BitAccumulator sums;
	for (const auto &[token, tf] : counts_) {
		std::int64_t weight = 1;
		if (options_.weighting == Weighting::idf) {
			const auto at = options_.idf->find(token);
			weight = idf_weight(tf, at == options_.idf->end() ? 1.0f : at->second);
		}
		sums.add(hash128(options_.family, token, options_.seed).lo, weight);
	}
	return sums.bits();
}

bool SimhashBuilder::finish(std::uint64_t &bits)
{
	bits = options_.weighting == Weighting::tf ? occurrences_.majority() : weigh_distinct();
	return any_;
}

float cosine_estimate(std::uint64_t a, std::uint64_t b) noexcept
{
	constexpr float pi = 3.14159265358979323846f;
	return std::cos(static_cast<float>(hamming(a, b)) / 64.0f * pi);
}

bool parse_weighting(std::string_view text, Weighting &weighting) noexcept
{
	for (const Weighting known : {Weighting::tf, Weighting::uniform, Weighting::idf})
		if (text == weighting_names[static_cast<int>(known)]) {
			weighting = known;
			return true;
		}
	return false;
}

void BitCounter::add(std::span<const std::uint64_t> words) noexcept
{
	for (; !words.empty() && pending_ > 0; words = words.subspan(1))
		add(words[0]);
	for (; words.size() >= block_size; words = words.subspan(block_size))
		add_block(words.data());
	for (const std::uint64_t word : words)
		add(word);
}

void BitCounter::add_block(const std::uint64_t *w) noexcept
{
	std::uint64_t twos[8], fours[4], eights[2];
#pragma GCC unroll 8
	for (int i = 0; i < 8; ++i)
		twos[i] = carry_save(planes_[0], w[2 * i], w[2 * i + 1]);
#pragma GCC unroll 4
	for (int i = 0; i < 4; ++i)
		fours[i] = carry_save(planes_[1], twos[2 * i], twos[2 * i + 1]);
#pragma GCC unroll 2
	for (int i = 0; i < 2; ++i)
		eights[i] = carry_save(planes_[2], fours[2 * i], fours[2 * i + 1]);
	std::uint64_t carry = carry_save(planes_[3], eights[0], eights[1]);
	for (unsigned plane = 4; carry != 0; ++plane) {
		const std::uint64_t both = planes_[plane] & carry;
		planes_[plane] ^= carry;
		carry = both;
	}
	total_ += block_size;
}

void BitCounter::flush() noexcept
{
	std::fill(block_ + pending_, block_ + block_size, 0); // which counts nothing
	add_block(block_);
	total_ -= block_size - pending_;
	pending_ = 0;
}

void BitCounter::merge(BitCounter other) noexcept
{
	flush();
	other.flush();
	std::uint64_t carry = 0;
	for (unsigned plane = 0; plane < plane_count; ++plane)
		carry = carry_save(planes_[plane], other.planes_[plane], carry);
	total_ += other.total_;
}

std::uint64_t BitCounter::majority() noexcept
{
	flush();
	// True where the count is greater than total / 2. Compares all 64 counts at once, from the highest bit on.
	std::uint64_t greater = 0, equal = ~std::uint64_t{0};
	for (unsigned plane = static_cast<unsigned>(std::bit_width(total_)); plane-- > 0;) {
		const std::uint64_t half = (total_ / 2 >> plane & 1) != 0 ? ~std::uint64_t{0} : 0;
		greater |= equal & planes_[plane] & ~half;
		equal &= ~(planes_[plane] ^ half);
	}
	return greater;
}

std::int64_t idf_weight(std::uint32_t tf, float idf) noexcept
{
	constexpr double limit = 1e15;
	const double weight = static_cast<double>(tf) * static_cast<double>(idf);
	return std::isfinite(weight) ? static_cast<std::int64_t>(std::clamp(weight, -limit, limit)) : 1;
}

} // namespace txtfp::core
