// What the operations of several kinds have in common.
#pragma once

#include <cstring>

#include "core/base/bytes.hpp"
#include "core/kinds/kinds.hpp"

namespace txtfp::core::kind_values {

inline std::span<const std::uint8_t> bytes_of(std::string_view text) noexcept
{
	return {reinterpret_cast<const std::uint8_t *>(text.data()), text.size()};
}
inline void store_be64(std::uint64_t v, std::uint8_t *out) noexcept { store_le64(out, byte_swap(v)); }
inline std::uint64_t load_be64(const std::uint8_t *in) noexcept { return byte_swap(load_le64(in)); }

inline const char *check_size(const Kind &kind, std::span<const std::uint8_t> binary) noexcept
{
	return binary.size() == kind.binary_bytes ? nullptr : "It does not have the length of one.";
}
// Where a row and a binary form are the same bytes.
inline const std::uint8_t *same_row(const Kind &, std::span<const std::uint8_t> binary, std::uint8_t *) noexcept
{
	return binary.data();
}
// find_close() of a kind with the functions measure(a, b) and is_close(a, b, bound) of rows
template <class Values>
std::size_t find_close_values(const Kind &kind, const std::uint8_t *rows, std::size_t n, const std::uint8_t *other,
	int bound, std::uint16_t *found) noexcept
{
	std::size_t count = 0;
	for (std::size_t i = 0; i < n; ++i)
		if (Values::is_close(rows + i * kind.row_bytes, other, bound))
			found[count++] = static_cast<std::uint16_t>(i);
	return count;
}
inline int whole_bound(const Kind &, double limit) noexcept { return static_cast<int>(limit); }

} // namespace txtfp::core::kind_values
