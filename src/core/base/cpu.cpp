#include "core/base/cpu.hpp"

namespace txtfp::core {

SimdLevel simd_level() noexcept
{
#if defined(__x86_64__)
	static const SimdLevel level = [] {
		__builtin_cpu_init();
		if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq"))
			return SimdLevel::avx512;
		return __builtin_cpu_supports("avx2") ? SimdLevel::avx2 : SimdLevel::baseline;
	}();
	return level;
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
