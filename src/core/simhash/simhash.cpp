#include "core/simhash/simhash.hpp"

#include <algorithm>
#include <cmath>

namespace txtfp::core {

namespace {

constexpr std::string_view weighting_names[] = {"tf", "uniform", "idf"};

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

bool SimhashBuilder::weigh_distinct(std::uint64_t &bits) const noexcept
{
	BitAccumulator sums;
	bool any = false;
	for (const auto &[token, tf] : counts_) {
		std::int64_t weight = 1;
		if (options_.weighting == Weighting::idf) {
			const auto at = options_.idf->find(token);
			weight = idf_weight(tf, at == options_.idf->end() ? 1.0f : at->second);
		}
		any = any || weight != 0;
		sums.add(hash128(options_.family, token, options_.seed).lo, weight);
	}
	bits = sums.bits();
	return any;
}

bool SimhashBuilder::finish(std::uint64_t &bits)
{
	if (options_.weighting != Weighting::tf)
		return weigh_distinct(bits);
	bits = occurrences_.majority();
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

std::int64_t idf_weight(std::uint32_t tf, float idf) noexcept
{
	constexpr double limit = 1e15;
	const double weight = static_cast<double>(tf) * static_cast<double>(idf);
	return std::isfinite(weight) ? static_cast<std::int64_t>(std::clamp(weight, -limit, limit)) : 1;
}

} // namespace txtfp::core
