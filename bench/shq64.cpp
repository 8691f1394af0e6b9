// Times Shq64 by random projection (bench/shq64.sh): shq64. Prints one line per form and number of bytes: the median of
// 25 rounds of calls with a cached matrix, in nanoseconds, and a code, which bench/shq64.py compares with its own.
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <vector>

#include "core/shq64.hpp"
#include "core/shq64_projection.hpp"

namespace {

namespace core = txtfp::core;
using Bytes = std::vector<std::uint8_t>;

constexpr int turns = 25;
constexpr std::size_t planes = 64;

double seconds()
{
	timespec now;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

Bytes input(std::size_t size)
{
	Bytes bytes(size);
	for (std::size_t i = 0; i < size; ++i)
		bytes[i] = static_cast<std::uint8_t>(i * 37 + i / 256 * 11);
	return bytes;
}

void measure(const char *name, core::ProjectionForm form, std::size_t size)
{
	core::ProjectionCache cache(std::size_t{16} << 20);
	const core::ProjectionShape shape{form, 42, planes, size};
	Bytes bytes = input(size);
	std::uint8_t bits[planes / 8];
	char code[planes / 4 + 1] = {};
	const double begun = seconds();
	cache.project(shape, bytes, bits);
	const double first = seconds() - begun;
	core::q64_encode(bits, code);
	const std::size_t calls = 1 + 20000000 / (size * planes);
	std::vector<double> taken;
	for (int turn = 0; turn < turns; ++turn) {
		const double start = seconds();
		for (std::size_t i = 0; i < calls; ++i) {
			bytes[i % size] ^= 1;
			char text[planes / 4];
			cache.project(shape, bytes, bits);
			core::q64_encode(bits, text);
			asm volatile("" : : "r"(text) : "memory");
		}
		taken.push_back((seconds() - start) / static_cast<double>(calls));
	}
	std::nth_element(taken.begin(), taken.begin() + turns / 2, taken.end());
	std::printf("%s %zu %.0f %.0f %s\n", name, size, taken[turns / 2] * 1e9, first * 1e9, code);
}

} // namespace

int main()
{
	for (const std::size_t size : {64, 256, 768, 1024, 3072}) {
		measure("rust", core::ProjectionForm::rust, size);
		measure("numpy", core::ProjectionForm::numpy, size);
	}
}
