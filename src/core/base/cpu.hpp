// Runtime choice of the widest vector unit. Every kernel gives the same bytes at every level.
#pragma once

#include <cstddef> // defines __GLIBC__ where it is

// Marks a function that the compiler writes once for each vector unit; the dynamic loader picks one. It is for short kernels
// that need no reference test per level. It does nothing where ifuncs do not work: under sanitizers and with other C libraries.
#if defined(__x86_64__) && defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__clang__)
#define TXTFP_CLONES __attribute__((target_clones("default", "avx2", "arch=x86-64-v4")))
#else
#define TXTFP_CLONES
#endif

namespace txtfp::core {

enum class SimdLevel { baseline, avx2, avx512 };

SimdLevel simd_level() noexcept; // what this CPU has; baseline if the build cannot find out
const char *name(SimdLevel level) noexcept;

} // namespace txtfp::core
