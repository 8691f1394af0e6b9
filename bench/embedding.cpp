// Times operations of the core on embeddings, and cutting texts into chunks; prints one line per measurement:
//     <measurement> TAB <input> TAB <value>
// embedding                     nanoseconds per pair of vectors in the cache
// embedding --chunk FILE…       nanoseconds per text and mode, a digest of the chunks, and the size
// Times are those of the fastest batch, in the thread's own CPU time: other work on the core can only add to it.
#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "core/base/cpu.hpp"
#include "core/embedding/embedding.hpp"
#include "core/text/chunk.hpp"
#include "measure.hpp"

namespace {

using namespace bench;
using namespace txtfp::core;

constexpr int batches = 300;
constexpr double batch_ns = 2e5; // short compared with a scheduler's slice, so that some batches are not interrupted

template <class Call> double least_ns(const Call &call)
{
	long calls = 1;
	while (elapsed_ns(call, calls) < batch_ns)
		calls *= 2;
	double least = elapsed_ns(call, calls);
	for (int i = 1; i < batches; ++i)
		least = std::min(least, elapsed_ns(call, calls));
	return least / static_cast<double>(calls);
}

std::vector<float> random_vector(std::size_t dimension, std::mt19937 &random)
{
	std::normal_distribution<float> normal;
	std::vector<float> vector(dimension);
	for (float &x : vector)
		x = normal(random);
	return vector;
}

void measure_similarity()
{
	std::mt19937 random(1);
	for (const std::size_t dimension : {384u, 768u, 1024u, 1536u}) {
		const std::vector<float> x = random_vector(dimension, random), y = random_vector(dimension, random);
		const Embedding a{x, "some-model"}, b{y, "some-model"};
		float similarity = 0;
		const auto row = [&](const char *what, auto compare) {
			std::printf("%s\t%zu\t%.1f\n", what, dimension, least_ns([&] {
				keep(compare(a, b, similarity));
				keep(similarity);
			}));
		};
		row("semantic_similarity", [](auto &...arguments) { return semantic_similarity(arguments...); });
		row("cosine_similarity", [](auto &...arguments) { return cosine_similarity(arguments...); });
		std::printf("inner_product\t%zu\t%.1f\n", dimension, least_ns([&] { keep(dot_product(a.vector, b.vector)); }));
	}
}

std::string read(const char *path)
{
	std::ifstream file(path, std::ios::binary);
	if (!file) {
		std::fprintf(stderr, "cannot read %s\n", path);
		std::exit(1);
	}
	return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void measure_chunks(const char *path)
{
	const std::string text = read(path);
	constexpr std::pair<const char *, ChunkMode> modes[] = {
		{"fixed", ChunkMode::fixed}, {"sentence", ChunkMode::sentence}, {"recursive", ChunkMode::recursive}};
	for (const auto &[name, mode] : modes) {
		const ChunkOptions options{256, 32, mode};
		std::uint64_t digest = 0xCBF29CE484222325;
		const ChunkSink describe = [&digest](std::string_view chunk) {
			for (const char c : chunk)
				digest = (digest ^ static_cast<unsigned char>(c)) * 0x100000001B3;
			digest = (digest ^ 0xFF) * 0x100000001B3;
		};
		for_each_chunk(text, options, describe, never_stop);
		const ChunkSink sink = [](std::string_view chunk) { keep(chunk); };
		const double ns = least_ns([&] { for_each_chunk(text, options, sink, never_stop); });
		std::printf("%s\t%s\t%.0f\t%016" PRIx64 "\t%zu\n", name, path, ns, digest, text.size());
	}
}

} // namespace

int main(int argc, char **argv)
{
	if (argc == 1)
		measure_similarity();
	else if (std::strcmp(argv[1], "--chunk") != 0) {
		std::fprintf(stderr, "usage: embedding [--chunk FILE...]\n");
		return 2;
	}
	for (int i = 2; i < argc; ++i)
		measure_chunks(argv[i]);
}
