// Does one thing over and over, so that its instructions can be counted (bench/neon.sh): neon OPERATION TIMES
// Without arguments it lists the operations: name, and how many units (bytes, rows, …) one time has.
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "core/lavinhash/lavinhash.hpp"
#include "core/minhash/bucket_pairs.hpp"
#include "core/minhash/minhash.hpp"
#include "core/simhash/hamming_join.hpp"
#include "core/sketch/matcher.hpp"
#include "core/sketch/signature.hpp"
#include "core/text/canonical.hpp"
#include "core/text/segment.hpp"
#include "core/text/tokens.hpp"
#include "core/tlsh/tlsh.hpp"

using namespace txtfp::core;

namespace {

template <class T> void keep(const T &value) { asm volatile("" : : "g"(&value) : "memory"); }

struct Operation {
	std::string name, unit;
	std::size_t units;
	std::function<void()> run;
};

// Words of 2 to 9 letters in sentences, some capitals, a number now and then.
std::string english(std::size_t size)
{
	std::mt19937_64 random(1);
	std::string text;
	for (std::size_t word = 0; text.size() < size; ++word) {
		const std::size_t letters = 2 + random() % 8;
		for (std::size_t i = 0; i < letters; ++i)
			text.push_back(static_cast<char>((word % 12 == 0 && i == 0 ? 'A' : 'a') + random() % 26));
		if (random() % 30 == 0)
			text += " " + std::to_string(random() % 2000);
		text += word % 12 == 11 ? ". " : random() % 10 == 0 ? ", " : " ";
	}
	text.resize(size);
	return text;
}

TokenizerSpec tokenizer(std::string_view name)
{
	TokenizerSpec spec;
	if (parse_tokenizer(name, spec) != TokenizerError::none)
		std::abort();
	return spec;
}

struct Data {
	std::string text = english(1 << 16), canonical{std::string_view(canonicalize(text, {}))};
	TextOptions options;
	std::vector<std::uint64_t> numbers;
	std::vector<std::uint8_t> page = std::vector<std::uint8_t>(8192);
	Tlsh digests[2];
	std::vector<std::uint8_t> forms[2];

	Data()
	{
		options.tokenizer = tokenizer("shingle-k=5/word-uax29");
		std::mt19937_64 random(2);
		for (int i = 0; i < 4096; ++i)
			numbers.push_back(random());
		for (std::uint8_t &byte : page)
			byte = static_cast<std::uint8_t>(random());
		for (int i = 0; i < 2; ++i) {
			const std::span<const std::uint8_t> bytes(
				reinterpret_cast<const std::uint8_t *>(text.data()) + (i << 14), 1 << 15);
			if (tlsh(bytes, digests[i], {}) != TlshOutcome::ok)
				std::abort();
			forms[i].resize(lavinhash_max_size);
			forms[i].resize(lavinhash(bytes, {}, forms[i].data(), {}));
		}
	}
};

Operation bounds(const Data &data, const std::string &name, SketchKind kind, int limit)
{
	const SketchLayout layout = sketch_layout(kind, data.page.size());
	return {name, "row", layout.rows, [&data, layout, limit] {
				std::vector<std::uint16_t> out(layout.rows);
				SketchMatcher(layout, data.page.data() + 100).bounds(data.page.data(), layout.rows, limit, out.data());
				keep(out);
			}};
}

std::vector<Operation> operations(const Data &data)
{
	const auto bytes = [&data] {
		return std::span(reinterpret_cast<const std::uint8_t *>(data.text.data()), data.text.size());
	};
	const ConstSlots a(data.numbers.data(), 128), b(data.numbers.data() + 128, 128);
	return {
		{"slots", "slot", 128 * 1024,
			[&data] {
				std::uint64_t slots[128] = {};
				minhash_update(simd_level(), slots, data.numbers.data(), data.numbers.data() + 1024, 1024);
				keep(slots);
			}},
		{"canonicalize", "byte", data.text.size(), [&data] { keep(canonicalize(data.text, {})); }},
		{"words", "byte", data.canonical.size(),
			[&data] {
				WordRange words[256];
				for (std::size_t from = 0; from < data.canonical.size();)
					from = next_words(data.canonical, from, true, words).next;
				keep(words);
			}},
		{"minhash", "byte", data.text.size(),
			[&data] {
				std::uint64_t slots[128];
				minhash(data.text, data.options, slots, {});
				keep(slots);
			}},
		{"tlsh", "byte", data.text.size(),
			[bytes] {
				Tlsh digest;
				tlsh(bytes(), digest, {});
				keep(digest);
			}},
		{"matching slots", "slot", 128, [a, b] { keep(matching_slots(a, b)); }},
		{"deviating slots", "slot", 128,
			[a, b] {
				std::uint64_t mask[2];
				deviations_of(a.data(), b.data(), 128, mask);
				keep(mask);
			}},
		{"close values", "value", 4096,
			[&data] {
				std::vector<std::uint16_t> found(4096);
				keep(find_close(7, data.numbers.data(), 4096, 9, found.data()));
			}},
		{"close masks", "mask", 2048,
			[&data] {
				std::vector<std::uint32_t> found(2048);
				keep(close_masks(data.numbers.data(), data.numbers.data(), 2048, 2, 20, found.data()));
			}},
		{"tlsh distance", "pair", 1, [&data] { keep(tlsh_distance(data.digests[0], data.digests[1], true)); }},
		{"lavinhash content", "pair", 1, [&data] { keep(lavinhash_content(data.forms[0], data.forms[1])); }},
		{"minhash signature", "slot", 128,
			[a] {
				std::uint8_t out[256];
				minhash_signature(a, out);
				keep(out);
			}},
		bounds(data, "bounds minhash128", SketchKind::minhash128, 40),
		bounds(data, "bounds simhash64", SketchKind::simhash64, 9),
		bounds(data, "bounds tlsh", SketchKind::tlsh, 2473),
		bounds(data, "bounds lavinhash", SketchKind::lavinhash, 40),
	};
}

} // namespace

int main(int argc, char **argv)
{
	const Data data;
	const std::vector<Operation> all = operations(data);
	for (const Operation &operation : all)
		if (argc == 1)
			std::printf("%s\t%s\t%zu\n", operation.name.c_str(), operation.unit.c_str(), operation.units);
		else if (argc == 3 && operation.name == argv[1])
			for (long times = std::atol(argv[2]); times > 0; --times)
				operation.run();
}
