// When a request is sent again, as in the crate txtfp 0.2.2.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

#include "core/base/splitmix.hpp"

namespace txtfp::embed {

using Milliseconds = std::chrono::milliseconds;

// 408, 425, 429, 500, 502, 503, 504; what fails before there is an answer is transient, too.
bool is_transient(long http_status) noexcept;

// "Retry-After" in whole seconds; a date is ignored.
std::optional<long> parse_retry_after(std::string_view header) noexcept;

// Waiting times of one request: 0.5 s, doubled after every failure up to 30 s, each times something between 0.7 and 1.3; or what
// Retry-After says, at most 60 s. All within the budget: a last attempt is made when it is used up.
class Retry {
public:
	Retry(Milliseconds budget, std::uint64_t seed) : budget_(budget), random_(seed) {}

	// How long to wait after a transient failure, `elapsed` after the first attempt; nothing: give up.
	std::optional<Milliseconds> wait(Milliseconds elapsed, std::optional<long> retry_after);

private:
	Milliseconds budget_;
	Milliseconds backoff_{500};
	core::SplitMix64 random_;
};

} // namespace txtfp::embed
