// The hash of hash tables whose keys come from users: SipHash-1-3 with a key of the process, so that nobody can choose keys
// that meet in one place of the table. No result may depend on it.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/base/siphash.hpp"

namespace txtfp::core {

void set_table_key(std::uint64_t key0, std::uint64_t key1) noexcept; // before the first table; zero until then

extern SipHash13 table_key;
inline std::uint64_t table_hash(std::string_view bytes) noexcept
{
	return siphash(table_key, reinterpret_cast<const std::uint8_t *>(bytes.data()), bytes.size());
}

// For std::unordered_map with std::equal_to<>: keys are looked up as they are.
struct TableHash {
	using is_transparent = void;
	std::size_t operator()(std::string_view bytes) const noexcept { return table_hash(bytes); }
};

} // namespace txtfp::core
