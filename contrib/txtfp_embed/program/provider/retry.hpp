// Decides whether and when a request is repeated, as in the crate txtfp 0.2.2.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

#include "core/base/splitmix.hpp"

namespace txtfp::embed {

using Milliseconds = std::chrono::milliseconds;

// True for 408, 425, 429, 500, 502, 503, 504. A failure before an answer is also transient.
bool is_transient(long http_status) noexcept;

// Reads "Retry-After" in whole seconds; a date is ignored.
std::optional<long> parse_retry_after(std::string_view header) noexcept;

// Waiting times of one request: 0.5 s, doubled after every failure up to 30 s, each multiplied by a random factor from
// 0.7 to 1.3; or the time of Retry-After, at most 60 s. All within the budget: when it is used up, a last attempt is
// made.
class Retry {
public:
	Retry(Milliseconds budget, std::uint64_t seed) : budget_(budget), random_(seed) {}

	// The time to wait after a transient failure, `elapsed` after the first attempt; nothing means give up.
	std::optional<Milliseconds> wait(Milliseconds elapsed, std::optional<long> retry_after);

private:
	Milliseconds budget_;
	Milliseconds backoff_{500};
	core::SplitMix64 random_;
};

} // namespace txtfp::embed
