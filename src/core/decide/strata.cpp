#include "core/decide/strata.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>

namespace txtfp::core {

int make_strata(std::span<const double> scores, std::uint64_t n, ScoreStratum *strata) noexcept
{
	constexpr double ends[most_strata] = {0.1, 0.25, 0.5, 1};
	int count = 0;
	std::size_t begin = 0;
	for (const double end : ends) {
		auto at = static_cast<std::size_t>(std::ceil(end * static_cast<double>(scores.size())));
		if (at <= begin)
			continue;
		at = static_cast<std::size_t>(std::upper_bound(scores.begin(), scores.end(), scores[at - 1]) - scores.begin());
		strata[count++] = {begin == 0 ? scores[0] : scores[begin - 1], scores[at - 1], at - begin, 0};
		begin = at;
	}
	// Small strata are drawn completely; the others share what they leave.
	for (int i = 0; n > 0 && i < 2 * most_strata; ++i) {
		const std::uint64_t share = std::max<std::uint64_t>(1, n / static_cast<std::uint64_t>(std::max(count, 1)));
		for (ScoreStratum *stratum = strata; stratum < strata + count && n > 0; ++stratum) {
			const std::uint64_t more = std::min({share, n, stratum->rows - stratum->wanted});
			stratum->wanted += more;
			n -= more;
		}
	}
	return count;
}

int stratum_of(double score, const ScoreStratum *strata, int count) noexcept
{
	int i = 0;
	while (i + 1 < count && score > strata[i].to)
		++i;
	return i;
}

std::string_view format_stratum(const StratumName &name, char (&text)[stratum_name_bytes]) noexcept
{
	const int n = std::snprintf(
		text, sizeof text, "%d of %d: %llu rows", name.number, name.count, static_cast<unsigned long long>(name.rows));
	return {text, static_cast<std::size_t>(n)};
}

std::optional<StratumName> parse_stratum(std::string_view text) noexcept
{
	static constexpr std::string_view between[] = {" of ", ": ", " rows"};
	std::uint64_t numbers[3] = {};
	for (int i = 0; i < 3; ++i) {
		const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), numbers[i]);
		text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
		if (error != std::errc() || !text.starts_with(between[i]))
			return std::nullopt;
		text.remove_prefix(between[i].size());
	}
	if (!text.empty() || numbers[0] < 1 || numbers[0] > numbers[1] || numbers[1] > most_strata || numbers[2] == 0)
		return std::nullopt;
	return StratumName{static_cast<int>(numbers[0]), static_cast<int>(numbers[1]), numbers[2]};
}

} // namespace txtfp::core
