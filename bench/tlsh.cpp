// Times TLSH, and Trend Micro's library if it was compiled in (bench/tlsh.sh): tlsh FILE
// The file is text of at least 1 MB. All programs of a line run alternately in one process; each figure is the median
// of their turns. Stops with an error if two digests or distances differ.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include "core/tlsh/tlsh.hpp"
#include "core/tlsh/tlsh_windows.hpp"
#include "measure.hpp"

#if __has_include(<tlsh.h>)
#include <tlsh.h>
constexpr bool with_library = true;
#else
// Lets the code below compile; never called.
struct Tlsh {
	void update(const unsigned char *, unsigned) {}
	void final() {}
	const char *getHash() const { return ""; }
	int totalDiff(const Tlsh *) const { return 0; }
	int fromTlshStr(const char *) { return 0; }
};
constexpr bool with_library = false;
#endif

namespace {

namespace core = txtfp::core;
using Bytes = std::vector<std::uint8_t>;

constexpr int turns = 25;
constexpr double turn_ns = 3e6; // long compared with the clock's resolution, short compared with a scheduler's slice
constexpr std::size_t digest_count = 1000;

using namespace bench;

struct Contender {
	std::function<void()> call;
	long calls = 1;
	std::vector<double> ns = {};

	double turn() const
	{
		const double start = cpu_ns();
		for (long i = 0; i < calls; ++i)
			call();
		return cpu_ns() - start;
	}
	double median()
	{
		std::nth_element(ns.begin(), ns.begin() + turns / 2, ns.end());
		return ns[turns / 2];
	}
};

// Nanoseconds per call of each.
std::vector<double> race(std::vector<std::function<void()>> calls)
{
	std::vector<Contender> contenders;
	for (std::function<void()> &call : calls)
		contenders.push_back({std::move(call)});
	for (Contender &c : contenders)
		while (c.turn() < turn_ns)
			c.calls *= 2;
	for (int i = 0; i < turns; ++i)
		for (Contender &c : contenders)
			c.ns.push_back(c.turn() / static_cast<double>(c.calls));
	std::vector<double> medians;
	for (Contender &c : contenders)
		medians.push_back(c.median());
	return medians;
}

void check_equal(const std::string &ours, const std::string &library, const char *what)
{
	if (with_library && ours != library) {
		std::fprintf(stderr, "different %s:\n  ours    %s\n  library %s\n", what, ours.c_str(), library.c_str());
		std::exit(1);
	}
}

// Digest and text form, as the library makes them.
std::string ours(const std::uint8_t *bytes, std::size_t size)
{
	core::Tlsh digest;
	char text[core::tlsh_text_size];
	if (core::tlsh({bytes, size}, digest, never_stop) != core::TlshOutcome::ok)
		return "";
	core::format_tlsh(digest, text);
	return {text, sizeof text};
}

std::string library(const std::uint8_t *bytes, std::size_t size)
{
	::Tlsh digest;
	digest.update(bytes, static_cast<unsigned>(size));
	digest.final();
	return digest.getHash();
}

void measure_digests(const char *kind, const Bytes &bytes)
{
	for (const std::size_t size :
		{std::size_t{200}, std::size_t{1024}, std::size_t{5 * 1024}, std::size_t{1'000'000}}) {
		const std::uint8_t *p = bytes.data();
		check_equal(ours(p, size), library(p, size), "digests");
		const std::vector<double> ns = race({
			[&] { keep(ours(p, size)); },
			[&] {
				core::TlshBuckets buckets = {};
				std::uint8_t checksum = 0;
				core::tlsh_count_windows(core::TlshKernel::plain, p, size, buckets, checksum);
				keep(buckets);
			},
			[&] { keep(library(p, size)); },
		});
		const double megabytes = static_cast<double>(size) * 1e3;
		std::printf("%-7s %8zu %10.0f %15.0f", kind, size, megabytes / ns[0], megabytes / ns[1]);
		if (with_library)
			std::printf(" %12.0f %8.2f", megabytes / ns[2], ns[2] / ns[0]);
		std::printf("\n");
		std::fflush(stdout);
	}
}

// Digests of overlapping pieces of a text, so that lengths, ratios and bodies all differ.
struct Digests {
	std::vector<core::Tlsh> ours;
	std::vector<std::string> texts;
	std::vector<::Tlsh> library;

	explicit Digests(const Bytes &bytes)
	{
		for (std::size_t i = 0; i < digest_count; ++i) {
			texts.push_back(::ours(&bytes[i * 1000], 500 + i * 20));
			ours.emplace_back();
			core::parse_tlsh(texts.back(), ours.back());
			library.emplace_back();
			library.back().fromTlshStr(texts.back().c_str());
		}
	}
};

template <class Distance> void all_distances(std::size_t &query, Distance distance)
{
	long sum = 0;
	for (std::size_t i = 0; i < digest_count; ++i)
		sum += distance(query, i);
	keep(sum);
	query = (query + 1) % digest_count;
}

void print_rate(const char *what, const std::vector<double> &ns)
{
	const double million_per_s = 1e3 * digest_count;
	std::printf("%-16s %10.1f %15s", what, million_per_s / ns[0], "");
	if (with_library)
		std::printf(" %12.1f %8.2f", million_per_s / ns[1], ns[1] / ns[0]);
	std::printf("\n");
}

void measure_distances(const Bytes &bytes)
{
	const Digests d(bytes);
	const auto our_distance = [&](std::size_t a, std::size_t b) { return core::tlsh_distance(d.ours[a], d.ours[b]); };
	const auto our_body = [&](std::size_t a, std::size_t b) { return core::tlsh_body_distance(d.ours[a], d.ours[b]); };
	const auto library_distance = [&](std::size_t a, std::size_t b) { return d.library[a].totalDiff(&d.library[b]); };
	for (std::size_t a = 0; a < digest_count; a += 10)
		for (std::size_t b = 0; b < digest_count; ++b)
			check_equal(std::to_string(our_distance(a, b)), std::to_string(library_distance(a, b)), "distances");
	std::size_t q = 0, r = 0;
	const auto library_distances = [&] { all_distances(r, library_distance); };
	print_rate("distance", race({[&] { all_distances(q, our_distance); }, library_distances}));
	print_rate("body alone", race({[&] { all_distances(q, our_body); }, library_distances}));
	const auto parse = [&] {
		core::Tlsh digest;
		for (const std::string &text : d.texts) {
			core::parse_tlsh(text, digest);
			keep(digest);
		}
	};
	const auto library_parse = [&] {
		::Tlsh digest;
		for (const std::string &text : d.texts) {
			digest.fromTlshStr(text.c_str());
			keep(digest);
		}
	};
	print_rate("parse", race({parse, library_parse}));
}

Bytes random_bytes(std::size_t size)
{
	Bytes out(size);
	std::uint64_t state = 1;
	for (std::uint8_t &byte : out) {
		state = state * 6364136223846793005 + 1442695040888963407;
		byte = static_cast<std::uint8_t>(state >> 56);
	}
	return out;
}

} // namespace

int main(int argc, char **argv)
{
	std::ifstream file(argc == 2 ? argv[1] : "", std::ios::binary);
	const Bytes text{std::istreambuf_iterator<char>(file), {}};
	if (text.size() < std::size_t{1'000'000}) {
		std::fprintf(stderr, "usage: tlsh FILE, of at least 1 MB\n");
		return 2;
	}
	std::printf("digests, MB/s\n%-7s %8s %10s %15s %12s %8s\n", "kind", "bytes", "ours", "plain windows",
		with_library ? "library" : "", with_library ? "ratio" : "");
	measure_digests("text", text);
	measure_digests("random", random_bytes(std::size_t{1'000'000}));
	std::printf("\ndigests, million/s\n");
	measure_distances(text);
	return 0;
}
