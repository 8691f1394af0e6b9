#include "program/provider/retry.hpp"

#include <algorithm>
#include <charconv>

namespace txtfp::embed {

bool is_transient(long status) noexcept
{
	return status == 408 || status == 425 || status == 429 || status == 500 || (status >= 502 && status <= 504);
}

std::optional<long> parse_retry_after(std::string_view header) noexcept
{
	const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; };
	while (!header.empty() && blank(header.front()))
		header.remove_prefix(1);
	while (!header.empty() && blank(header.back()))
		header.remove_suffix(1);
	long seconds = 0;
	const auto number = std::from_chars(header.data(), header.data() + header.size(), seconds);
	if (number.ec != std::errc() || number.ptr != header.data() + header.size() || seconds < 0)
		return std::nullopt;
	return seconds;
}

std::optional<Milliseconds> Retry::wait(Milliseconds elapsed, std::optional<long> retry_after)
{
	constexpr long most_seconds = 60;
	constexpr Milliseconds most_backoff(30000);
	const double jitter = 0.7 + 0.6 * (static_cast<double>(random_() >> 11) * 0x1p-53);
	const Milliseconds jittered(static_cast<std::int64_t>(static_cast<double>(backoff_.count()) * jitter));
	backoff_ = std::min(2 * backoff_, most_backoff);
	if (elapsed >= budget_)
		return std::nullopt;
	const Milliseconds wanted = retry_after ? Milliseconds(1000 * std::min(*retry_after, most_seconds)) : jittered;
	return std::min(wanted, budget_ - elapsed);
}

} // namespace txtfp::embed
