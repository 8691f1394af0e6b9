#include "core/decide/intervals.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/splitmix.hpp"

namespace txtfp::core {

namespace {

// The probability of k > 0 successes or more among n trials of probability p > 0. Sums from the largest term outwards.
double at_least(std::uint64_t k, std::uint64_t n, double p)
{
	if (p >= 1)
		return 1;
	const auto real = [](std::uint64_t x) { return static_cast<double>(x); };
	const auto term = [&](std::uint64_t i) {
		return std::exp(std::lgamma(real(n) + 1) - std::lgamma(real(i) + 1) - std::lgamma(real(n - i) + 1) +
			real(i) * std::log(p) + real(n - i) * std::log1p(-p));
	};
	const double odds = p / (1 - p);
	// The tail that does not contain the mean is summed: its terms fall.
	const bool upper = real(k) > real(n) * p;
	double sum = 0;
	if (upper) {
		double value = term(k);
		for (std::uint64_t i = k; i <= n && value > sum * 1e-17; ++i) {
			sum += value;
			value *= real(n - i) / (real(i) + 1) * odds;
		}
		return std::min(1.0, sum);
	}
	double value = term(k - 1);
	for (std::uint64_t i = k - 1; value > sum * 1e-17; --i) {
		sum += value;
		if (i == 0)
			break;
		value *= real(i) / (real(n - i) + 1) / odds;
	}
	return std::max(0.0, 1 - sum);
}

class Draws {
public:
	double uniform() noexcept { return (static_cast<double>(random_() >> 11) + 0.5) * 0x1p-53; }

	double normal() noexcept // G. Box, M. Muller, 1958
	{
		const double radius =
			std::sqrt(-2 * std::log(uniform())); // a name, so that compilers agree on what is drawn first
		return radius * std::cos(6.283185307179586 * uniform());
	}

	double gamma(double shape) noexcept // G. Marsaglia, W. Tsang, 2000
	{
		if (shape < 1) {
			const double larger = gamma(shape + 1);
			return larger * std::pow(uniform(), 1 / shape);
		}
		const double d = shape - 1.0 / 3, c = 1 / std::sqrt(9 * d);
		for (;;) {
			const double x = normal(), v = std::pow(1 + c * x, 3);
			if (v > 0 && std::log(uniform()) < x * x / 2 + d - d * v + d * std::log(v))
				return d * v;
		}
	}

	double beta(double a, double b) noexcept
	{
		const double x = gamma(a), y = gamma(b);
		return x / (x + y);
	}

	double binomial(std::uint64_t n, double p) noexcept
	{
		constexpr std::uint64_t few = 50;
		if (n > few) {
			const double mean = static_cast<double>(n) * p;
			return std::clamp(std::round(mean + std::sqrt(mean * (1 - p)) * normal()), 0.0, static_cast<double>(n));
		}
		double found = 0;
		for (std::uint64_t i = 0; i < n; ++i)
			found += uniform() < p;
		return found;
	}

private:
	SplitMix64 random_{0x7375726520656E6F};
};

} // namespace

Interval binomial_interval(std::uint64_t k, std::uint64_t n, double confidence)
{
	const double tail = (1 - confidence) / 2;
	const auto solve = [](auto is_below) {
		double low = 0, high = 1;
		for (int i = 0; i < 60; ++i) {
			const double middle = (low + high) / 2;
			(is_below(middle) ? low : high) = middle;
		}
		return (low + high) / 2;
	};
	Interval interval{0, 1};
	if (k > 0)
		interval.low = solve([&](double p) { return at_least(k, n, p) < tail; });
	if (k < n)
		interval.high = solve([&](double p) { return at_least(k + 1, n, p) < 1 - tail; });
	return interval;
}

double independent_labels(std::span<const std::uint64_t> group_sizes) noexcept
{
	double sum = 0, squares = 0;
	for (const std::uint64_t size : group_sizes) {
		sum += static_cast<double>(size);
		squares += static_cast<double>(size) * static_cast<double>(size);
	}
	return squares > 0 ? sum * sum / squares : 0;
}

Estimate stratified_share(std::span<const Stratum> strata, double confidence, std::size_t rounds)
{
	double all = 0, right = 0;
	for (const Stratum &stratum : strata) {
		const auto rows = static_cast<double>(stratum.rows);
		all += rows;
		right += rows * static_cast<double>(stratum.right) / static_cast<double>(stratum.labels);
	}
	std::vector<double> lows(rounds), highs(rounds);
	Draws draws;
	const auto drawn = [&](const Stratum &stratum, double right_prior, double wrong_prior) {
		const double share = stratum.independent / static_cast<double>(stratum.labels),
					 p = draws.beta(static_cast<double>(stratum.right) * share + right_prior,
						 static_cast<double>(stratum.labels - stratum.right) * share + wrong_prior);
		return static_cast<double>(stratum.right) + draws.binomial(stratum.rows - stratum.labels, p);
	};
	constexpr double cautious = 2.0 / 3, least = 1.0 / 30;
	for (std::size_t i = 0; i < rounds; ++i) {
		for (const Stratum &stratum : strata) {
			lows[i] += drawn(stratum, least, cautious);
			highs[i] += drawn(stratum, cautious, least);
		}
		lows[i] /= all;
		highs[i] /= all;
	}
	std::sort(lows.begin(), lows.end());
	std::sort(highs.begin(), highs.end());
	const auto tail = static_cast<std::size_t>((1 - confidence) / 2 * static_cast<double>(rounds));
	const double share = right / all;
	return {share, std::min(share, lows[tail]), std::max(share, highs[rounds - 1 - tail])};
}

} // namespace txtfp::core
