// The table of kinds: what every row of it promises, and that a kind which nobody knows gets a join, index keys and lock
// keys by its row alone.
#include <algorithm>
#include <cstring>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "core/base/bytes.hpp"
#include "core/join/joined_values.hpp"
#include "core/kinds/kinds.hpp"
#include "core/minhash/minhash.hpp"
#include "core/sketch/matcher.hpp"
#include "unit/check.hpp"
#include "unit/counting_host.hpp"

using namespace txtfp::core;
using namespace txtfp::test;

namespace {

using Bytes = std::vector<std::uint8_t>;

// ---- a toy: which letters and digits a text has, as a set. Its distance is the number of those that one text has.

std::uint64_t set_in(const std::uint8_t *row)
{
	std::uint64_t set;
	std::memcpy(&set, row, sizeof set);
	return set;
}

bool toy_compute(const Recipe &, std::string_view text, std::uint8_t *row, StopToken)
{
	std::uint64_t set = 0;
	for (const char c : text)
		set |= std::uint64_t{1} << (static_cast<unsigned char>(c) & 63);
	std::memcpy(row, &set, sizeof set);
	return !text.empty();
}

const char *toy_read(const Kind &, std::string_view text, std::uint8_t *row, std::uint64_t &config)
{
	config = 0;
	std::uint64_t set;
	if (text.size() != 16 || !hex_decode_u64(text.data(), set))
		return "it is no set";
	std::memcpy(row, &set, sizeof set);
	return nullptr;
}

std::size_t toy_write(const Kind &, std::uint64_t, const std::uint8_t *row, char *out)
{
	hex_encode_u64(set_in(row), out);
	return 16;
}

const char *toy_check(const Kind &, std::span<const std::uint8_t> binary) noexcept
{
	return binary.size() == 8 ? nullptr : "It is no set.";
}

const std::uint8_t *toy_row(const Kind &, std::span<const std::uint8_t> binary, std::uint8_t *buffer) noexcept
{
	std::copy(binary.begin(), binary.end(), buffer);
	return buffer;
}

std::size_t toy_binary(const Kind &, std::uint64_t, const std::uint8_t *row, std::uint8_t *out)
{
	std::memcpy(out, row, 8);
	return 8;
}

int toy_measure(const Kind &, const std::uint8_t *a, const std::uint8_t *b) noexcept
{
	return __builtin_popcountll(set_in(a) ^ set_in(b));
}

double toy_similarity(const Kind &, int distance) noexcept { return 1 - distance / 64.0; }

std::size_t toy_close(const Kind &kind, const std::uint8_t *rows, std::size_t n, const std::uint8_t *other, int bound,
	std::uint16_t *found) noexcept
{
	std::size_t count = 0;
	for (std::size_t i = 0; i < n; ++i)
		if (toy_measure(kind, rows + 8 * i, other) <= bound)
			found[count++] = static_cast<std::uint16_t>(i);
	return count;
}

void toy_sign(const Kind &, const std::uint8_t *row, std::uint8_t *out) noexcept { std::memcpy(out, row, 8); }
LockPlan toy_plan(const Kind &, double limit) noexcept { return {{0, 0}, lock_blocks(static_cast<int>(limit))}; }
std::size_t toy_keys(
	const Kind &, const LockPlan &plan, const std::uint8_t *row, std::uint64_t space, std::uint64_t *out) noexcept
{
	return lock_keys(set_in(row), plan.blocks, space, out);
}
int toy_bound(const Kind &, double limit) noexcept { return static_cast<int>(limit); }

constexpr SignatureKind toy_signature = {static_cast<SketchKind>(200), SignatureWay::planes, true, false, 64, 1, {8}};
constexpr KindOperations toy_operations = {toy_compute, nullptr, toy_read, toy_write, toy_check, toy_row, toy_binary,
	toy_measure, toy_similarity, toy_close, toy_sign, toy_plan, toy_keys, toy_bound};

constexpr Kind toy(JoinWay join)
{
	return {4711, "letters-v1", "letters", "letters", 0, false, 8, 8, 8, use_pairs | use_trigger | use_files,
		"letters_similar", "max_distance", "letters_distance", MeasureUnit::distance, 3, 64, default_tokenizer,
		"letters that one text has", join, &toy_signature, &toy_operations};
}
constexpr Kind letters = toy(JoinWay::bits), letters_of_all = toy(JoinWay::every_pair);

// ---- what is asked of every kind

Recipe recipe_of(const Kind &kind)
{
	Recipe recipe{&kind, {}};
	parse_tokenizer(kind.is_text() ? kind.tokenizer : default_tokenizer, recipe.text.tokenizer);
	if (kind.is_sketch())
		recipe.config = minhash_config(recipe.text, kind.slots);
	return recipe;
}

// Texts of many words, in families of which each has a few words changed
std::vector<std::string> texts(std::size_t n)
{
	std::mt19937_64 random(67);
	std::vector<std::string> all;
	for (std::size_t i = 0; i < n; ++i) {
		if (i % 4 == 0) {
			all.emplace_back();
			for (int word = 0; word < 120; ++word)
				all.back() += "w" + std::to_string(random() % 5000) + (word % 9 == 8 ? ". " : " ");
			continue;
		}
		all.push_back(all[i - i % 4]);
		all.back().replace(random() % 100, 4, "x" + std::to_string(random() % 90));
	}
	return all;
}

std::vector<const Kind *> kinds_of_texts()
{
	std::vector<const Kind *> all = {&letters, &letters_of_all};
	for (const Kind &kind : kinds)
		if (kind.operations != nullptr)
			all.push_back(&kind);
	return all;
}

std::vector<RowBuffer> values(const Kind &kind, std::size_t n)
{
	const Recipe recipe = recipe_of(kind);
	std::vector<RowBuffer> rows(n);
	const std::vector<std::string> all = texts(n);
	for (std::size_t i = 0; i < n; ++i)
		CHECK_EQ(kind.operations->compute(recipe, all[i], rows[i].bytes, {}), true, kind.type, i);
	return rows;
}

using Found = std::set<std::tuple<std::uint32_t, std::uint32_t, int>>;

template <class Join> Found joined(const Kind &kind, std::span<const RowBuffer> rows, int bound, const RowOrder &order)
{
	CountingHost host;
	SerialExecutor executor(host);
	Join join(kind, bound, executor);
	join.begin(std::size_t{1} << 16);
	for (const RowBuffer &row : rows)
		join.add_row(&row == &rows[5] ? nullptr : row.bytes); // one row has no value
	join.finish(order);
	Found found;
	join.for_each_pair([&](unsigned, std::uint32_t a, std::uint32_t b, int measure) {
		CHECK_EQ(found.emplace(a, b, measure).second, true, kind.type, a, b); // once
	});
	for (const auto &[a, b, measure] : found)
		CHECK_EQ(join.similar(a, b, 0), true, kind.type, a, b);
	join.close_values();
	return found;
}

Found by_definition(const Kind &kind, std::span<const RowBuffer> rows, int bound, const RowOrder &order)
{
	Found found;
	for (std::uint32_t i = 0; i < rows.size(); ++i)
		for (std::uint32_t j = 0; j < i; ++j) {
			const std::uint32_t a = std::min(order.rank_of(i), order.rank_of(j)),
								b = std::max(order.rank_of(i), order.rank_of(j));
			const int measure = kind.measure_of(rows[i].bytes, rows[j].bytes);
			if (i != 5 && j != 5 && order.is_pair(a, b) && kind.is_similar(measure, bound))
				found.emplace(a, b, measure);
		}
	return found;
}

} // namespace

TEST(kinds_are_found)
{
	std::set<std::string> types;
	for (const Kind &kind : kinds) {
		CHECK_EQ(types.insert(kind.type).second, true, kind.type);
		if (kind.number != 0)
			CHECK_EQ(&kind_of(static_cast<KindNumber>(kind.number)) == &kind, true, kind.type);
		for (const KindUse use : {use_pairs, use_sample, use_trigger, use_files, use_live})
			CHECK_EQ(kind_of_type(kind.type, use) == ((kind.uses & use) != 0 ? &kind : nullptr), true, kind.type);
		CHECK_EQ((kind.uses & use_files) == 0 || kind.operations != nullptr, true, kind.type);
		if (kind.is_sketch())
			CHECK_EQ(&sketch_kind_of(kind.slots, kind.compact) == &kind, true, kind.type);
	}
	CHECK_EQ(kind_of_type("text", use_pairs) == nullptr, true);
}

TEST(kinds_read_what_they_write)
{
	for (const Kind *kind : kinds_of_texts()) {
		const Recipe recipe = recipe_of(*kind);
		for (const RowBuffer &row : values(*kind, 8)) {
			std::string text(2 * max_binary_bytes + 1, ' ');
			text.resize(kind->operations->write_text(*kind, recipe.config, row.bytes, text.data()));
			RowBuffer read;
			std::uint64_t config = 1;
			CHECK_EQ(kind->operations->read_text(*kind, text, read.bytes, config) == nullptr, true, kind->type);
			CHECK_EQ(config, recipe.config, kind->type);
			CHECK_EQ(std::memcmp(row.bytes, read.bytes, kind->row_bytes), 0, kind->type);
			text.pop_back();
			CHECK_EQ(kind->operations->read_text(*kind, text, read.bytes, config) == nullptr, false, kind->type);

			Bytes binary(max_binary_bytes);
			binary.resize(kind->operations->write_binary(*kind, recipe.config, row.bytes, binary.data()));
			CHECK_EQ(kind->binary_bytes == 0 || binary.size() == kind->binary_bytes, true, kind->type);
			CHECK_EQ(kind->operations->check_binary(*kind, binary) == nullptr, true, kind->type);
			RowBuffer buffer;
			const std::uint8_t *back = kind->operations->row_of(*kind, binary, buffer.bytes);
			CHECK_EQ(std::memcmp(row.bytes, back, kind->row_bytes), 0, kind->type);
			binary.insert(binary.begin(), 0); // not aligned
			back = kind->operations->row_of(*kind, std::span(binary).subspan(1), buffer.bytes);
			CHECK_EQ(std::memcmp(row.bytes, back, kind->row_bytes), 0, kind->type);
			binary.resize(binary.size() / 2);
			CHECK_EQ(kind->operations->check_binary(*kind, binary) == nullptr, false, kind->type);

			CHECK_EQ(kind->measure_of(row.bytes, row.bytes), kind->best_measure(), kind->type);
			CHECK_EQ(kind->similarity_of(kind->best_measure()), 1.0, kind->type);
			CHECK_EQ(kind->is_similar(kind->best_measure(), kind->bound_of(kind->default_limit)), true, kind->type);
		}
	}
}

TEST(kinds_join_as_by_definition)
{
	constexpr std::size_t n = 700; // two tiles
	std::vector<std::uint32_t> ranks(n), numbers(n);
	for (std::uint32_t i = 0; i < n; ++i)
		numbers[ranks[i] = (i * 9 + 3) % n] = i;
	const RowOrder orders[] = {{}, {.ranks = ranks.data(), .numbers = numbers.data(), .second_part = 400}};
	for (const Kind *kind : kinds_of_texts()) {
		if (kind->join == JoinWay::bands)
			continue;
		std::vector<RowBuffer> rows = values(*kind, kind->row_bytes > 64 ? n / 2 : n);
		rows[9] = rows[8] = rows[2]; // copies
		const int bound = kind->bound_of(kind->default_limit);
		for (const RowOrder &order : orders) {
			if (order.ranks != nullptr && rows.size() != n)
				continue;
			const Found expected = by_definition(*kind, rows, bound, order);
			CHECK_EQ(expected.empty(), false, kind->type);
			const Found found = kind->join == JoinWay::bits ? joined<JoinedBits<>>(*kind, rows, bound, order)
															: joined<JoinedEvery<>>(*kind, rows, bound, order);
			CHECK_EQ(found == expected, true, kind->type, found.size(), expected.size());
		}
	}
}

TEST(kinds_have_index_keys)
{
	for (const Kind *kind : kinds_of_texts()) {
		const SketchLayout layout = sketch_layout(*kind->signature, 8192);
		std::vector<RowBuffer> rows = values(*kind, std::min<std::size_t>(layout.rows, 60));
		std::vector<Bytes> pages(layout.pages, Bytes(8192)), signatures;
		for (std::size_t row = 0; row < rows.size(); ++row) {
			signatures.emplace_back(layout.signature_size);
			kind->operations->sign(*kind, rows[row].bytes, signatures[row].data());
			write_fields(layout, row, signatures[row].data(),
				[&](std::size_t page, std::size_t offset, const std::uint8_t *bytes, std::size_t size) {
					std::memcpy(&pages[page][offset], bytes, size);
				});
		}
		const SketchMatcher matcher(layout, signatures[3].data());
		for (std::size_t row = 0; row < rows.size(); ++row) {
			const int measure = kind->measure_of(rows[3].bytes, rows[row].bytes);
			const int distance = kind->has_distance() ? measure : kind->best_measure() - measure;
			SketchPartial partial;
			int bound = 0;
			for (std::size_t page = 0; page < layout.pages; ++page)
				bound = matcher.refine(page, pages[page].data(), row, partial);
			CHECK_EQ(
				matcher.is_exact() ? bound == distance : bound <= distance, true, kind->type, row, bound, distance);
		}
		std::vector<std::uint16_t> bounds(layout.rows);
		matcher.bounds(pages[0].data(), rows.size(), matcher.max_distance(), bounds.data());
		CHECK_EQ(bounds[3], 0, kind->type);
	}
}

TEST(kinds_have_lock_keys)
{
	for (const Kind *kind : kinds_of_texts()) {
		if (kind->operations->lock_plan == nullptr) {
			CHECK_EQ(kind->uses & use_trigger, 0u, kind->type);
			continue;
		}
		const LockPlan plan = kind->operations->lock_plan(*kind, kind->default_limit);
		CHECK_EQ(plan.has_keys(), true, kind->type);
		const std::vector<RowBuffer> rows = values(*kind, 100);
		std::vector<std::set<std::uint64_t>> keys;
		for (const RowBuffer &row : rows) {
			std::uint64_t out[max_lock_keys];
			const std::size_t n = kind->operations->lock_keys(*kind, plan, row.bytes, 3, out);
			keys.emplace_back(out, out + n);
		}
		std::size_t similar = 0;
		for (std::size_t i = 0; i < rows.size(); ++i)
			for (std::size_t j = 0; j < i; ++j) {
				if (!kind->is_similar(
						kind->measure_of(rows[i].bytes, rows[j].bytes), kind->bound_of(kind->default_limit)))
					continue;
				++similar;
				CHECK_EQ(std::any_of(keys[i].begin(), keys[i].end(),
							 [&](std::uint64_t key) { return keys[j].count(key) != 0; }),
					true, kind->type, i, j);
			}
		CHECK_EQ(similar > 0, true, kind->type);
	}
}
