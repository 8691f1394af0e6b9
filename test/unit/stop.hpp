// Stop tokens for the cancellation tests, and the processor time that a call takes.
#pragma once

#include <ctime>
#include <optional>

#include "core/base/error.hpp"

namespace txtfp::test {

constexpr core::StopToken stop_at_once{[]() noexcept { return true; }};

inline unsigned polls = 0;
constexpr core::StopToken count_polls{[]() noexcept {
	++polls;
	return false;
}};

// The kind of core::Error that fn throws, if it does.
template <class Fn> std::optional<core::ErrorKind> error_of(Fn fn)
{
	try {
		fn();
	} catch (const core::Error &error) {
		return error.kind();
	}
	return std::nullopt;
}

template <class Fn> bool is_cancelled(Fn fn) { return error_of(fn) == core::ErrorKind::cancelled; }

// Not wall clock time: the machine may be busy.
template <class Fn> double seconds_of(Fn fn)
{
	const std::clock_t start = std::clock();
	fn();
	return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

} // namespace txtfp::test
