#include "core/simhash.hpp"

#include <algorithm>
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
void SimhashBuilder::count(std::string_view token)
{
	any_ = true;
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

void BitCounter::add_block() noexcept
{
	const std::uint64_t *w = block_;
	std::uint64_t twos[8], fours[4], eights[2];
	for (int i = 0; i < 8; ++i)
		twos[i] = carry_save(planes_[0], w[2 * i], w[2 * i + 1]);
	for (int i = 0; i < 4; ++i)
		fours[i] = carry_save(planes_[1], twos[2 * i], twos[2 * i + 1]);
	for (int i = 0; i < 2; ++i)
		eights[i] = carry_save(planes_[2], fours[2 * i], fours[2 * i + 1]);
	add_at(4, carry_save(planes_[3], eights[0], eights[1]));
	pending_ = 0;
	if (++blocks_ == max_blocks)
		spill();
}

void BitCounter::add_at(unsigned plane, std::uint64_t word) noexcept
{
	for (; word != 0; ++plane) {
		const std::uint64_t carry = planes_[plane] & word;
		planes_[plane] ^= word;
		word = carry;
	}
}

void BitCounter::spill() noexcept
{
	for (unsigned plane = 0; plane < plane_count; ++plane) {
		for (unsigned bit = 0; bit < 64 && planes_[plane] != 0; ++bit)
			counts_[bit] += (planes_[plane] >> bit & 1) << plane;
		planes_[plane] = 0;
	}
	total_ += std::uint64_t{blocks_} * block_size + pending_;
	blocks_ = 0;
}

std::uint64_t BitCounter::majority() noexcept
{
	for (unsigned i = 0; i < pending_; ++i)
		add_at(0, block_[i]);
	spill();
	pending_ = 0;
	std::uint64_t bits = 0;
	for (unsigned bit = 0; bit < 64; ++bit)
		bits |= std::uint64_t{2 * counts_[bit] > total_} << bit;
	return bits;
}

std::int64_t idf_weight(std::uint32_t tf, float idf) noexcept
{
	constexpr double limit = 1e15;
	const double weight = static_cast<double>(tf) * static_cast<double>(idf);
	return std::isfinite(weight) ? static_cast<std::int64_t>(std::clamp(weight, -limit, limit)) : 1;
}

} // namespace txtfp::core
