#include "core/simhash.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/pipeline.hpp"

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

// The tokens of a text with their counts. Keys are copies: the tokens' own bytes do not last.
class TokenCounter {
public:
	void add(std::string_view token)
	{
		const auto at = counts_.find(token);
		if (at != counts_.end())
			++at->second;
		else
			counts_.emplace(token, 1);
	}

	struct Hash {
		using is_transparent = void;
		std::size_t operator()(std::string_view s) const noexcept { return xxh3_64(s.data(), s.size(), 0); }
	};
	using Counts = std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>>;
	const Counts &counts() const noexcept { return counts_; }

private:
	Counts counts_;
};

struct OccurrenceCounter {
	const SimhashOptions &options;
	BitCounter &counter;
	bool &any;

	void operator()(Tokens tokens) const noexcept
	{
		std::uint64_t lo[token_batch];
		hash128(options.family, tokens, options.seed, lo, nullptr);
		counter.add({lo, tokens.size()});
		any |= !tokens.empty();
	}
};

bool simhash_tf(std::string_view utf8, const SimhashOptions &options, std::uint64_t &bits, StopToken stop)
{
	BitCounter counter;
	bool any = false;
	Pipeline<OccurrenceCounter>(options.canonical, options.tokenizer, {options, counter, any}, stop).append(utf8, true);
	bits = counter.majority();
	return any;
}

bool simhash_distinct(std::string_view utf8, const SimhashOptions &options, std::uint64_t &bits, StopToken stop)
{
	TokenCounter tokens;
	const auto add = [&](std::string_view token) { tokens.add(token); };
	Pipeline<decltype(add)>(options.canonical, options.tokenizer, add, stop).append(utf8, true);
	BitAccumulator sums;
	for (const auto &[token, tf] : tokens.counts()) {
		std::int64_t weight = 1;
		if (options.weighting == Weighting::idf) {
			const auto at = options.idf->find(token);
			weight = idf_weight(tf, at == options.idf->end() ? 1.0f : at->second);
		}
		sums.add(hash128(options.family, token, options.seed).lo, weight);
	}
	bits = sums.bits();
	return !tokens.counts().empty();
}

} // namespace

bool simhash(std::string_view utf8, const SimhashOptions &options, std::uint64_t &bits, StopToken stop)
{
	return options.weighting == Weighting::tf ? simhash_tf(utf8, options, bits, stop)
											  : simhash_distinct(utf8, options, bits, stop);
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

std::uint64_t BitCounter::majority() noexcept
{
	std::fill(block_ + pending_, block_ + block_size, 0); // which counts nothing
	add_block(block_);
	total_ -= block_size - pending_;
	pending_ = 0;
	// Is the count greater than total / 2? All 64 compared at once, from the highest bit on.
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
