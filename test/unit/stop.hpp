// Stop tokens for the cancellation tests, and the processor time that a call takes.
#pragma once

#include <algorithm>
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

// How much longer fn(4 * size) takes than fn(size): 4 for what is linear, 16 for what is quadratic. Of processor time, the
// shortest of three runs each, alternating: the machine may be busy, and no test may depend on how fast it is.
template <class Fn> double growth_of(std::size_t size, Fn fn)
{
	std::clock_t least[2] = {};
	for (int run = 0; run < 3; ++run)
		for (const int large : {0, 1}) {
			const std::clock_t start = std::clock();
			fn(large == 0 ? size : 4 * size);
			const std::clock_t taken = std::clock() - start;
			least[large] = run == 0 ? taken : std::min(least[large], taken);
		}
	return static_cast<double>(least[1]) / static_cast<double>(std::max<std::clock_t>(least[0], 1));
}
constexpr double even_growth = 9; // up to here it is not quadratic

} // namespace txtfp::test
