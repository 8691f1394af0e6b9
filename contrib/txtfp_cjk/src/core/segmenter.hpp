// What all segmenters share: a text is cut unit by unit, and the tokens are handed out in batches.
// Memory: 4 bytes for each token of the longest unit, and what cut() needs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/error.hpp"
#include "core/text/cjk_interface.h"

namespace txtfp::cjk {

class Segmenter {
public:
	virtual ~Segmenter() = default;

	// See TxtfpCjkInterface::next. Throws Error(cancelled), Error(too_large), std::bad_alloc.
	TxtfpCjkBatch next(std::string_view text, std::size_t from, bool last, std::span<TxtfpCjkRange> ranges,
		const core::StopToken &stop);

	// Makes it ready for another text, and gives back what only long texts need: about 64 kB may stay.
	void reuse() noexcept;

protected:
	// Part of reuse()
	virtual void trim() noexcept = 0;
	template <class T> static void trim(std::vector<T> &vector) noexcept
	{
		constexpr std::size_t kept = 1 << 14;
		if (vector.capacity() * sizeof(T) > kept)
			std::vector<T>().swap(vector);
	}

	// The size of the next unit of a text, which is not empty: what can be cut without knowing what follows. 0: that
	// depends on text that is not there yet, never with `last`.
	virtual std::size_t unit(std::string_view text, bool last) const noexcept = 0;

	// Cuts a unit completely, by token() from the left to the right.
	virtual void cut(std::string_view unit, const core::StopToken &stop) = 0;

	void token(std::size_t bytes, bool dropped = false)
	{
		tokens_.push_back(static_cast<std::uint32_t>(bytes) | (dropped ? dropped_bit : 0));
	}

private:
	static constexpr std::size_t max_unit = std::size_t{1} << 30; // so that a size fits beside the bit
	static constexpr std::uint32_t dropped_bit = 0x80000000;

	std::vector<std::uint32_t> tokens_; // sizes; the upper bit: not a token, but skipped
	std::size_t taken_ = 0;
};

constexpr bool is_white_space(char32_t c) noexcept // Unicode's property; it is stable
{
	return (c >= 0x09 && c <= 0x0D) || c == 0x20 || c == 0x85 || c == 0xA0 || c == 0x1680 ||
		(c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

} // namespace txtfp::cjk
