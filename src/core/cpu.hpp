// Runtime choice of the widest vector unit. Every kernel gives the same bytes at every level.
#pragma once

namespace txtfp::core {

enum class SimdLevel { baseline, avx2, avx512 };

SimdLevel simd_level() noexcept; // what this CPU has (baseline where the build cannot tell)
const char *name(SimdLevel level) noexcept;

} // namespace txtfp::core
