// Stop tokens for the cancellation tests, and processor-time measurement.
#pragma once

#include <algorithm>
#include <ctime>
#include <optional>

#include "core/base/error.hpp"
#include "unit/check.hpp"

namespace txtfp::test {

constexpr core::StopToken stop_at_once{[]() noexcept { return true; }};

inline unsigned polls = 0;
constexpr core::StopToken count_polls{[]() noexcept {
	++polls;
	return false;
}};

// The kind of the core::Error that fn throws; nothing if it does not throw.
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

constexpr double even_growth = 9; // below this the growth is not quadratic

// The ratio of the times of fn(4 * size) and fn(size): 4 if linear, 16 if quadratic. It uses processor time, the
// shortest of three alternating runs each, because the machine may be busy and no test may depend on its speed. What is
// quadratic stays so however often it runs; what is not is repeated until it shows, because others only add to a time.
template <class Fn> double growth_of(std::size_t long_size, Fn fn)
{
	const std::size_t size = by_length(long_size, long_size / 4);
	std::clock_t least[2] = {};
	const auto growth = [&] {
		return static_cast<double>(least[1]) / static_cast<double>(std::max<std::clock_t>(least[0], 1));
	};
	for (int run = 0; run < 3 || (run < 12 && growth() >= even_growth); ++run)
		for (const int large : {0, 1}) {
			const std::clock_t start = std::clock();
			fn(large == 0 ? size : 4 * size);
			const std::clock_t taken = std::clock() - start;
			least[large] = run == 0 ? taken : std::min(least[large], taken);
		}
	return growth();
}

} // namespace txtfp::test
