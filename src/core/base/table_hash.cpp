#include "core/base/table_hash.hpp"

namespace txtfp::core {

SipHash13 table_key;

std::uint64_t table_factors[2] = {0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F}, table_seed = 0;

namespace {

// Derives numbers that reveal nothing about the key.
std::uint64_t derived(std::uint64_t number) noexcept
{
	SipHash13 hash = table_key;
	hash.add(number);
	return hash.finish();
}

} // namespace

void set_table_key(std::uint64_t key0, std::uint64_t key1) noexcept
{
	table_key = SipHash13(key0, key1);
	table_factors[0] = derived(1) | 1;
	table_factors[1] = derived(2) | 1;
	table_seed = derived(3);
}

} // namespace txtfp::core
