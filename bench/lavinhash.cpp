// Times LavinHash on files and prints one line per file, as bench/lavinhash_crate does:
//     <file> TAB <FNV-1a of the fingerprint> TAB <nanoseconds>
// With --compare: nanoseconds per content and structure similarity, of the first two files' fingerprints.
#include "core/lavinhash/lavinhash.hpp"

#include <algorithm>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <vector>

namespace {

using namespace txtfp::core;
using Bytes = std::vector<std::uint8_t>;
using Clock = std::chrono::steady_clock;

constexpr int batches = 15;

// As in the server: a stop token that is polled and never stops.
const StopToken never_stop = {[]() noexcept { return false; }};

Bytes read(const char *path)
{
	std::ifstream file(path, std::ios::binary);
	if (!file) {
		std::fprintf(stderr, "cannot read %s\n", path);
		std::exit(1);
	}
	return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

Bytes fingerprint(const Bytes &bytes)
{
	Bytes out(lavinhash_max_size);
	out.resize(lavinhash(bytes, {}, out.data(), never_stop));
	return out;
}

template <class Fn> double median_ns(std::size_t calls, Fn call)
{
	std::vector<double> times;
	for (int batch = 0; batch < batches; ++batch) {
		const auto start = Clock::now();
		for (std::size_t i = 0; i < calls; ++i)
			call();
		times.push_back(
			std::chrono::duration<double, std::nano>(Clock::now() - start).count() / static_cast<double>(calls));
	}
	std::nth_element(times.begin(), times.begin() + batches / 2, times.end());
	return times[batches / 2];
}

} // namespace

int main(int argc, char **argv)
{
	if (argc == 4 && std::strcmp(argv[1], "--compare") == 0) {
		const Bytes a = fingerprint(read(argv[2])), b = fingerprint(read(argv[3]));
		volatile float result = 0;
		std::printf("content\t%.0f\n", median_ns(100'000, [&] { result = lavinhash_content(a, b); }));
		std::printf("structure\t%.0f\n", median_ns(10'000, [&] { result = lavinhash_structure(a, b); }));
		return 0;
	}
	for (int i = 1; i < argc; ++i) {
		const Bytes bytes = read(argv[i]);
		std::uint64_t digest = 0xCBF29CE484222325;
		for (const std::uint8_t byte : fingerprint(bytes))
			digest = (digest ^ byte) * 0x100000001B3;
		Bytes out(lavinhash_max_size);
		const auto calls = std::max<std::size_t>(1, 10'000'000 / (bytes.size() + 1));
		const double ns = median_ns(calls, [&] { lavinhash(bytes, {}, out.data(), never_stop); });
		std::printf("%s\t%016" PRIx64 "\t%.0f\n", argv[i], digest, ns);
	}
}
