#include "core/base/cpu.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iterator>

namespace txtfp::core {

namespace {

// The levels of this architecture, from low to high; each has the instructions of the ones before it.
constexpr SimdLevel levels[] = {SimdLevel::baseline,
#if defined(__x86_64__)
	SimdLevel::avx2, SimdLevel::avx512
#elif defined(TXTFP_NEON)
	SimdLevel::neon
#endif
};

std::span<const SimdLevel> levels_up_to(SimdLevel best) noexcept
{
	return {levels, std::find(std::begin(levels), std::end(levels), best) + 1};
}

struct Choice {
	SimdLevel level;
	SimdChoice kind;
};

Choice choose(const char *wanted) noexcept
{
	const SimdLevel best = best_simd_level();
	if (wanted == nullptr || *wanted == '\0')
		return {best, SimdChoice::best};
	for (const SimdLevel level : levels_up_to(best))
		if (std::strcmp(wanted, name(level)) == 0)
			return {level, SimdChoice::given};
	for (const SimdLevel level : {SimdLevel::avx2, SimdLevel::avx512, SimdLevel::neon})
		if (std::strcmp(wanted, name(level)) == 0)
			return {best, SimdChoice::missing};
	return {best, SimdChoice::unknown};
}

const Choice choice = choose(std::getenv("TXTFP_SIMD_LEVEL"));

} // namespace

const SimdLevel chosen_simd_level = choice.level;
const SimdChoice simd_choice = choice.kind;

std::span<const SimdLevel> usable_simd_levels() noexcept { return levels_up_to(simd_level()); }

SimdLevel best_simd_level() noexcept
{
#if defined(__x86_64__)
	__builtin_cpu_init();
	if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("bmi2") || !__builtin_cpu_supports("popcnt"))
		return SimdLevel::baseline;
	const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
		__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512cd");
	return avx512 ? SimdLevel::avx512 : SimdLevel::avx2;
#elif defined(TXTFP_NEON)
	return SimdLevel::neon;
#else
	return SimdLevel::baseline;
#endif
}

const char *name(SimdLevel level) noexcept
{
	switch (level) {
	case SimdLevel::neon:
		return "neon";
	case SimdLevel::avx512:
		return "avx512";
	case SimdLevel::avx2:
		return "avx2";
	case SimdLevel::baseline:
		break;
	}
	return "baseline";
}

} // namespace txtfp::core
