#include "core/sketch/planes.hpp"

#include "core/base/cpu.hpp"
#include "core/sketch/planes_plain.hpp"

#if defined(__x86_64__)
#include "core/sketch/planes_x86.hpp"
#elif defined(TXTFP_NEON)
#include "core/sketch/planes_neon.hpp"
#endif

namespace txtfp::core {

using namespace plane_kernels;

namespace {

template <class Kernel, std::size_t W, std::size_t P> void choose_keep(const Input &in, std::uint16_t *out) noexcept
{
	if (in.differ != nullptr)
		return Kernel::template planes<W, P, true>(in, out);
	return Kernel::template planes<W, P, false>(in, out);
}

template <class Kernel, std::size_t W>
void choose_planes(const Input &in, std::size_t planes, std::uint16_t *out) noexcept
{
	switch (planes) {
	case 1:
		return choose_keep<Kernel, W, 1>(in, out);
	case 2:
		return choose_keep<Kernel, W, 2>(in, out);
	case 3:
		return choose_keep<Kernel, W, 3>(in, out);
	default:
		return choose_keep<Kernel, W, 4>(in, out);
	}
}

template <class Kernel> void choose(const Input &in, std::size_t words, std::size_t planes, std::uint16_t *out) noexcept
{
	switch (words) {
	case 1:
		return choose_planes<Kernel, 1>(in, planes, out);
	case 2:
		return choose_planes<Kernel, 2>(in, planes, out);
	default:
		return choose_planes<Kernel, 4>(in, planes, out);
	}
}

// Calls fn with the kernel. If this build lacks it, fn gets the plain kernel.
template <class Fn> auto with_kernel(PlaneKernel kernel, Fn fn) noexcept
{
	switch (kernel) {
#if defined(__x86_64__)
	case PlaneKernel::avx512:
		return fn(Avx512());
	case PlaneKernel::avx2:
		return fn(Avx2());
	case PlaneKernel::popcnt:
		return fn(Popcnt());
#elif defined(TXTFP_NEON)
	case PlaneKernel::neon:
		return fn(Neon());
#endif
	default:
		return fn(Baseline());
	}
}

} // namespace

bool has_kernel(PlaneKernel kernel) noexcept
{
#if defined(__x86_64__)
	__builtin_cpu_init();
	const bool popcnt = __builtin_cpu_supports("popcnt");
	switch (kernel) {
	case PlaneKernel::baseline:
		return true;
	case PlaneKernel::popcnt:
		return popcnt;
	case PlaneKernel::avx2:
		return popcnt && __builtin_cpu_supports("avx2");
	case PlaneKernel::avx512:
		return popcnt && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
			__builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
			__builtin_cpu_supports("avx512vpopcntdq");
	case PlaneKernel::neon:
		break;
	}
	return false;
#elif defined(TXTFP_NEON)
	return kernel == PlaneKernel::baseline || kernel == PlaneKernel::neon;
#else
	return kernel == PlaneKernel::baseline;
#endif
}

// The baseline level has two kernels, because the instruction POPCNT is older than AVX2.
PlaneKernel plane_kernel() noexcept
{
	static const PlaneKernel best = [] {
		const SimdLevel level = simd_level();
		if (level == SimdLevel::neon)
			return PlaneKernel::neon;
		if (level == SimdLevel::avx512 && has_kernel(PlaneKernel::avx512))
			return PlaneKernel::avx512;
		if (level != SimdLevel::baseline && has_kernel(PlaneKernel::avx2))
			return PlaneKernel::avx2;
		return has_kernel(PlaneKernel::popcnt) ? PlaneKernel::popcnt : PlaneKernel::baseline;
	}();
	return best;
}

const char *name(PlaneKernel kernel) noexcept
{
	switch (kernel) {
	case PlaneKernel::neon:
		return "neon";
	case PlaneKernel::avx512:
		return "avx512";
	case PlaneKernel::avx2:
		return "avx2";
	case PlaneKernel::popcnt:
		return "popcnt";
	case PlaneKernel::baseline:
		break;
	}
	return "baseline";
}

void plane_distances(PlaneKernel kernel, const std::uint8_t *rows, std::size_t stride, std::size_t words,
	std::size_t planes, std::size_t n, const std::uint8_t *probe, std::uint64_t *differ, std::uint16_t *out) noexcept
{
	const Input in{rows, stride, n, probe, differ};
	with_kernel(kernel, [&](auto k) { choose<decltype(k)>(in, words, planes, out); });
}

void tlsh_code_distances(PlaneKernel kernel, const std::uint8_t *low, const std::uint8_t *high, std::size_t n,
	const std::uint8_t *probe, int limit, std::uint16_t *out) noexcept
{
	const Codes in{low, high, n, probe, limit};
	with_kernel(kernel, [&](auto k) { decltype(k)::codes(in, out); });
}

std::size_t rows_within(
	PlaneKernel kernel, const std::uint16_t *bounds, std::size_t n, std::uint16_t limit, std::uint16_t *rows) noexcept
{
	return with_kernel(kernel, [&](auto k) { return decltype(k)::within(bounds, n, limit, rows); });
}

} // namespace txtfp::core
