// Chooses the widest SIMD level at run time. Every kernel gives the same bytes at every level.
#pragma once

#include <span>

// Every AArch64 processor has NEON. The kernels number the bytes of a register as little-endian memory does.
#if defined(__aarch64__) && defined(__ARM_NEON) && !defined(__AARCH64EB__)
#define TXTFP_NEON 1
#endif

namespace txtfp::core {

// x86-64 has baseline (SSE2), avx2 and avx512; AArch64 has baseline (no kernels of our own) and neon; others have
// baseline alone.
enum class SimdLevel { baseline, avx2, avx512, neon };
const char *name(SimdLevel level) noexcept;

SimdLevel best_simd_level() noexcept; // the best level of this CPU; baseline if the build cannot find out

// The level in use: the best, or a lower one that the environment variable TXTFP_SIMD_LEVEL names,
// as it was when the library was loaded. For tests: no result depends on it.
enum class SimdChoice {
	best,
	given,
	unknown,
	missing
}; // missing: the CPU does not have it; the last two mean the best
extern const SimdLevel chosen_simd_level;
extern const SimdChoice simd_choice;
inline SimdLevel simd_level() noexcept { return chosen_simd_level; }

// The levels of this architecture up to the one in use, from baseline on: those that tests compare.
std::span<const SimdLevel> usable_simd_levels() noexcept;

// A kernel is an always-inline function; dispatch<kernel>(…) compiles it once for each level. Kernels that differ
// between levels in more than the instructions have separate code for each.
#define TXTFP_KERNEL inline __attribute__((always_inline))

#if defined(__x86_64__)
template <auto Kernel, class... Args>
__attribute__((target("avx2,bmi,bmi2,popcnt,lzcnt"))) inline auto at_avx2(Args... args) noexcept
{
	return Kernel(args...);
}
template <auto Kernel, class... Args>
__attribute__((target("avx512f,avx512dq,avx512bw,avx512vl,avx512cd,avx2,bmi,bmi2,popcnt,lzcnt"))) inline auto at_avx512(
	Args... args) noexcept
{
	return Kernel(args...);
}
#endif

template <auto Kernel, class... Args> inline auto dispatch([[maybe_unused]] SimdLevel level, Args... args) noexcept
{
#if defined(__x86_64__)
	if (level == SimdLevel::avx512)
		return at_avx512<Kernel>(args...);
	if (level == SimdLevel::avx2)
		return at_avx2<Kernel>(args...);
#endif
	return Kernel(args...);
}

// The same for a class with an always-inline function run<width>: `width` is the size of a vector register in bytes.
template <class Kernel, class... Args>
inline auto dispatch_by_width([[maybe_unused]] SimdLevel level, Args... args) noexcept
{
#if defined(__x86_64__)
	if (level == SimdLevel::avx512)
		return at_avx512<Kernel::template run<64>>(args...);
	if (level == SimdLevel::avx2)
		return at_avx2<Kernel::template run<32>>(args...);
#endif
	return Kernel::template run<16>(args...);
}

} // namespace txtfp::core
