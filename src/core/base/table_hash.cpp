#include "core/base/table_hash.hpp"

namespace txtfp::core {

SipHash13 table_key;

void set_table_key(std::uint64_t key0, std::uint64_t key1) noexcept { table_key = SipHash13(key0, key1); }

} // namespace txtfp::core
