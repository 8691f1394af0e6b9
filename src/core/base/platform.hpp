// What the core takes for granted of a platform. Little and big endian, 32 and 64 bits, signed and unsigned characters
// are all the same to it; what it cannot do without is refused here, at the build.
#pragma once

#include <cfloat>
#include <climits>
#include <cstddef>
#include <cstdint>

#if !defined(__GNUC__)
#error "txtfp needs g++ or clang++: it uses their vector types and builtin functions"
#endif

#if !defined(__BYTE_ORDER__) || (__BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__ && __BYTE_ORDER__ != __ORDER_BIG_ENDIAN__)
#error "txtfp needs a processor that is little-endian or big-endian"
#endif

// Fingerprints depend on sums of float and double. Where they are computed with more precision (the x87 unit of 32-bit
// x86) or by other rules (-ffast-math), they would be other fingerprints.
#if FLT_EVAL_METHOD != 0
#error "txtfp needs exact float arithmetic; on 32-bit x86 compile with -msse2 -mfpmath=sse"
#endif

#if defined(__FAST_MATH__)
#error "txtfp must not be compiled with -ffast-math: its fingerprints would be others"
#endif

static_assert(CHAR_BIT == 8 && sizeof(int) >= 4, "txtfp needs bytes of 8 bits and an int of at least 32");
static_assert(sizeof(std::size_t) >= 4, "txtfp needs at least 32-bit addresses");
static_assert(sizeof(float) == 4 && FLT_MANT_DIG == 24 && sizeof(double) == 8 && DBL_MANT_DIG == 53,
	"txtfp needs float and double as IEEE 754 defines them");
