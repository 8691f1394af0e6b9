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
inline int whole_bound(const Kind &, double limit) noexcept { return static_cast<int>(limit); }

} // namespace txtfp::core::kind_values
