#include "core/base/cpu.hpp"

#include <cstdlib>
#include <cstring>
#include <initializer_list>

namespace txtfp::core {

namespace {

struct Choice {
	SimdLevel level;
	SimdChoice kind;
};

Choice choose(const char *wanted) noexcept
{
	const SimdLevel best = best_simd_level();
	if (wanted == nullptr || *wanted == '\0')
		return {best, SimdChoice::best};
	for (const SimdLevel level : {SimdLevel::baseline, SimdLevel::avx2, SimdLevel::avx512})
		if (std::strcmp(wanted, name(level)) == 0)
			return level <= best ? Choice{level, SimdChoice::given} : Choice{best, SimdChoice::missing};
	return {best, SimdChoice::unknown};
}

const Choice choice = choose(std::getenv("TXTFP_SIMD_LEVEL"));

} // namespace

const SimdLevel chosen_simd_level = choice.level;
const SimdChoice simd_choice = choice.kind;

SimdLevel best_simd_level() noexcept
{
#if defined(__x86_64__)
	__builtin_cpu_init();
	if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("bmi2") || !__builtin_cpu_supports("popcnt"))
		return SimdLevel::baseline;
	const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
		__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512cd");
	return avx512 ? SimdLevel::avx512 : SimdLevel::avx2;
#else
	return SimdLevel::baseline;
#endif
}

const char *name(SimdLevel level) noexcept
{
	switch (level) {
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
