// Limits of one conversion: a small page can make the memory of a parser or a table grow with the square of its size.
#pragma once

#include <cstddef>
#include <string>

#include "core/base/error.hpp"

namespace txtfp::markup {

// Counts the bytes that a conversion allocates. The limit is 64 MB plus 48 times the input; real pages need 5 to 15
// times.
class Budget {
public:
	static constexpr std::size_t base = std::size_t{64} << 20, factor = 48;

	explicit Budget(std::size_t input_size) noexcept : limit_(base + factor * input_size) {}

	std::size_t limit() const noexcept { return limit_; }
	bool exceeded_by(std::size_t bytes) const noexcept { return bytes > limit_; }

	// Counts the output of the layout, once for each level of lists, quotes and cells.
	void charge(std::size_t bytes)
	{
		used_ += bytes;
		if (used_ > limit_)
			fail();
	}
	[[noreturn]] void fail() const
	{
		throw core::Error(core::ErrorKind::too_large,
			"text of the markup would take more than " + std::to_string(limit_ >> 20) + " MB of memory");
	}

private:
	std::size_t limit_;
	std::size_t used_ = 0;
};

} // namespace txtfp::markup
