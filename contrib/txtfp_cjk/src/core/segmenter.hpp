// Base of all segmenters: cuts a text unit by unit and returns the tokens in batches.
// Memory: 4 bytes per token of the longest unit, plus the memory of cut().
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

	// Prepares for another text and frees the memory that only long texts need; about 64 kB may stay.
	void reuse() noexcept;

protected:
	// Called by reuse().
	virtual void trim() noexcept = 0;
	template <class T> static void trim(std::vector<T> &vector) noexcept
	{
		constexpr std::size_t kept = 1 << 14;
		if (vector.capacity() * sizeof(T) > kept)
			std::vector<T>().swap(vector);
	}

	// The size of the next unit of a text, which is not empty: the part that can be cut without knowing what follows. 0
	// means that it depends on text that has not arrived; never returned with `last`.
	virtual std::size_t unit(std::string_view text, bool last) const noexcept = 0;

	// Cuts a whole unit, calling token() from left to right.
	virtual void cut(std::string_view unit, const core::StopToken &stop) = 0;

	void token(std::size_t bytes, bool dropped = false)
	{
		tokens_.push_back(static_cast<std::uint32_t>(bytes) | (dropped ? dropped_bit : 0));
	}

private:
	static constexpr std::size_t max_unit = std::size_t{1} << 30; // leaves room for the flag bit in a size
	static constexpr std::uint32_t dropped_bit = 0x80000000;

	std::vector<std::uint32_t> tokens_; // sizes in bytes; the upper bit means skipped, not a token
	std::size_t taken_ = 0;
};

constexpr bool is_white_space(char32_t c) noexcept // Unicode's property; it is stable
{
	return (c >= 0x09 && c <= 0x0D) || c == 0x20 || c == 0x85 || c == 0xA0 || c == 0x1680 ||
		(c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

} // namespace txtfp::cjk
