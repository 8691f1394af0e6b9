// The hash function of hash tables whose keys come from users: SipHash-1-3 with a key of the process, so that nobody
// can choose keys that collide. No result may depend on it.
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

// For tables of many short keys, where SipHash would take most of the time: hashes a pair of numbers by
// multiplication with odd numbers of the process (M. Dietzfelbinger et al., 1997); the high bits are good.
// table_seed is a seed for XXH3 of bytes.
extern std::uint64_t table_factors[2], table_seed;
inline std::uint64_t table_mix(std::uint64_t a, std::uint64_t b) noexcept
{
	const std::uint64_t sum = a * table_factors[0] + b * table_factors[1];
	return (sum ^ sum >> 32) * table_factors[0];
}

// For std::unordered_map with std::equal_to<>: string_view keys are looked up without a copy.
struct TableHash {
	using is_transparent = void;
	std::size_t operator()(std::string_view bytes) const noexcept { return table_hash(bytes); }
};

} // namespace txtfp::core
