// The band directory of the access method sketch without PostgreSQL: keys are what bands.hpp says, leaves give back
// what they were filled with, similar sketches share the bands that are promised, and the directory is a list of labels
// in fewer words.
#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "core/base/bytes.hpp"
#include "core/minhash/lsh.hpp"
#include "core/sketch/bands.hpp"
#include "core/sketch/directory.hpp"
#include "core/sketch/signature.hpp"
#include "unit/check.hpp"

using namespace txtfp::core;
using namespace txtfp::test;

namespace {

using Bytes = std::vector<std::uint8_t>;
using Sketch = std::vector<std::uint64_t>;

constexpr std::size_t page_size = 8192;

Sketch random_slots(std::mt19937_64 &random, std::size_t n)
{
	Sketch slots(n);
	for (std::uint64_t &slot : slots)
		slot = random() >> random() % 30;
	return slots;
}

// Of full sketches (16 planes) or of their compact forms (8).
std::vector<std::uint32_t> keys_of(const Sketch &slots, std::size_t bands, std::size_t planes = 16)
{
	Bytes signature(2 * slots.size());
	minhash_signature(slots, signature.data());
	if (planes == 8) {
		Bytes bytes(slots.size());
		compact(slots, bytes.data());
		compact_signature(bytes, signature.data());
	}
	std::vector<std::uint32_t> keys(bands);
	signature_band_keys(signature.data(), planes, slots.size() / 8, bands, keys.data());
	return keys;
}

// From the slots themselves: nibble p of the number has bit p of the four of them.
std::uint32_t naive_key(const Sketch &slots, std::size_t band, std::size_t planes)
{
	std::uint64_t x = 0;
	for (std::size_t p = 0; p < planes; ++p)
		for (std::size_t i = 0; i < band_slots; ++i) {
			const std::uint64_t slot = slots[band_slots * band + i];
			const unsigned bits = planes == 16 ? minhash_mixed_slot(slot) : compact_slot(slot);
			x |= static_cast<std::uint64_t>(bits >> p & 1) << (4 * p + i);
		}
	x += (band + 1) * 0x9E3779B97F4A7C15;
	x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9;
	x = (x ^ x >> 27) * 0x94D049BB133111EB;
	return static_cast<std::uint32_t>((x ^ x >> 31) >> 32);
}

int common(const std::vector<std::uint32_t> &a, const std::vector<std::uint32_t> &b)
{
	int n = 0;
	for (std::size_t i = 0; i < a.size(); ++i)
		n += a[i] == b[i];
	return n;
}

} // namespace

TEST(band_keys_of_signatures_agree_with_the_definition)
{
	std::mt19937_64 random(1);
	for (const std::size_t n : {64, 128, 256})
		for (std::size_t bands = 1; bands <= n / band_slots; ++bands) {
			const Sketch slots = random_slots(random, n);
			for (const std::size_t planes : {16, 8}) {
				const std::vector<std::uint32_t> keys = keys_of(slots, bands, planes);
				for (std::size_t b = 0; b < bands; ++b)
					CHECK_EQ(keys[b], naive_key(slots, b, planes), n, bands, b, planes);
			}
		}
	const std::vector<std::uint32_t> of_zeros = keys_of(Sketch(64), 1);
	CHECK_EQ(of_zeros[0], 0xE220A839); // of zeros, the first number of SplitMix64: it stands in indexes
}

// A leading column is a further band, whatever the number of bands is.
TEST(leading_keys_agree_with_the_definition)
{
	std::mt19937_64 random(9);
	std::set<std::uint32_t> keys;
	for (int round = 0; round < 100; ++round)
		for (std::size_t column = 0; column < sketch_max_keys; ++column) {
			const auto hash = static_cast<std::uint32_t>(round == 0 ? 0 : random());
			std::uint64_t x = hash + (65 + column) * 0x9E3779B97F4A7C15;
			x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9;
			x = (x ^ x >> 27) * 0x94D049BB133111EB;
			CHECK_EQ(leading_key(hash, column), static_cast<std::uint32_t>((x ^ x >> 31) >> 32), hash, column);
			keys.insert(leading_key(hash, column));
		}
	CHECK_EQ(keys.size(), 100 * sketch_max_keys);
}

// As many slots differ as may, wherever they are.
TEST(similar_sketches_share_the_certain_bands)
{
	std::mt19937_64 random(2);
	for (const int n : {64, 128, 256}) {
		const int bands = default_bands(n);
		CHECK_EQ(static_cast<double>(n - (bands - 1)) / n >= 0.8, true, n);
		CHECK_EQ(static_cast<double>(n - bands) / n < 0.8, true, n);
		for (int limit = 0; limit < bands; ++limit) {
			const Sketch a = random_slots(random, static_cast<std::size_t>(n));
			Sketch b = a;
			std::vector<std::size_t> places(a.size());
			for (std::size_t i = 0; i < places.size(); ++i)
				places[i] = i;
			std::shuffle(places.begin(), places.end(), random);
			if (limit % 2 == 0) // each in a band of its own
				for (std::size_t i = 0; i < static_cast<std::size_t>(limit); ++i)
					places[i] = band_slots * i;
			for (int i = 0; i < limit; ++i)
				b[places[static_cast<std::size_t>(i)]] ^= random() | 1;
			const auto count = static_cast<std::size_t>(bands);
			CHECK_EQ(common(keys_of(a, count), keys_of(b, count)) >= certain_bands(bands, limit), true, n, limit);
			CHECK_EQ(needed_bands(bands, n, limit, 1), certain_bands(bands, limit), n, limit);
			CHECK_EQ(needed_bands(bands, n, limit, 0.99) >= certain_bands(bands, limit), true, n, limit);
		}
		CHECK_EQ(needed_bands(bands, n, bands, 1), 0);
		CHECK_EQ(needed_bands(bands, n, n, 0.5), 0);
		CHECK_EQ(needed_bands(bands, n, -1, 0.5), certain_bands(bands, -1)); // nothing is so near
		CHECK_EQ(needed_bands(bands, n, 3 * n / 10, 0.99),
			min_matching_bands((n - 3 * n / 10) / double(n), {bands, 4}, 0.99));
	}
}

TEST(items_are_sorted_by_key)
{
	std::mt19937_64 random(3);
	for (const std::size_t n : {0, 1, 2, 3, 100, 5000})
		for (const std::uint32_t mask : {0u, 0xFu, 0x7FFu, 0xFFFF0000u, ~0u}) {
			std::vector<std::uint64_t> items(n), scratch(n);
			for (std::uint64_t &item : items)
				item = band_item(static_cast<std::uint32_t>(random()) & mask, static_cast<std::uint32_t>(random()));
			std::vector<std::uint64_t> expected = items;
			std::stable_sort(expected.begin(), expected.end(),
				[](std::uint64_t a, std::uint64_t b) { return item_key(a) < item_key(b); });
			sort_items(items.data(), n, scratch.data());
			CHECK_EQ(items == expected, true, n, mask);
		}
}

namespace {

// The header and the distances of a leaf are not sound after a change that would lead a search astray.
void check_damaged_leaf(const Bytes &page, const std::vector<std::uint64_t> &items)
{
	const auto is_sound_after = [&](std::size_t offset, std::uint16_t value) {
		Bytes changed = page;
		std::memcpy(changed.data() + offset, &value, sizeof value);
		return is_sound_leaf(changed.data(), page_size, item_key(items[0]));
	};
	const std::size_t header = sketch_page_header, capacity = leaf_capacity(page_size);
	BandLeafHeader as_it_is;
	std::memcpy(&as_it_is, page.data() + header, sizeof as_it_is);
	CHECK_EQ(is_sound_after(header + offsetof(BandLeafHeader, count), as_it_is.count), true);
	CHECK_EQ(is_sound_after(header + offsetof(BandLeafHeader, count), 0), false);
	CHECK_EQ(is_sound_after(header + offsetof(BandLeafHeader, count), static_cast<std::uint16_t>(capacity + 1)), false);
	CHECK_EQ(is_sound_after(header + offsetof(BandLeafHeader, shift), 16), true);
	CHECK_EQ(is_sound_after(header + offsetof(BandLeafHeader, shift), 17), false);
	const std::size_t deltas = header + sizeof as_it_is + 4 * capacity;
	CHECK_EQ(is_sound_after(deltas, 0), true);
	CHECK_EQ(is_sound_after(deltas, 1), false);
	if (items.size() > 2)
		CHECK_EQ(is_sound_after(deltas + 2, 0xFFFF), false);
}

} // namespace

// A run has every entry of its key. It may have those of keys close by where the keys of a leaf are far apart, and only
// there.
TEST(leaves_give_back_their_items)
{
	std::mt19937_64 random(4);
	for (const std::size_t n : {std::size_t{1}, std::size_t{2}, std::size_t{17}, leaf_capacity(page_size)})
		for (const int shift : {0, 8, 14, 18, 24}) // of the keys: narrow and wide ranges
			for (const bool crowded : {false, true}) {
				const std::uint32_t base = static_cast<std::uint32_t>(random() >> 33);
				std::vector<std::uint64_t> items;
				for (std::size_t i = 0; i < n; ++i)
					items.push_back(band_item(
						base + static_cast<std::uint32_t>(random() % (crowded && i % 2 == 0 ? 2 : 32u << shift)),
						static_cast<std::uint32_t>(i)));
				std::sort(items.begin(), items.end());
				Bytes page(page_size, 0xAA);
				fill_leaf(page.data(), page_size, items.data(), n);
				CHECK_EQ(leaf_count(page.data()), n);
				CHECK_EQ(is_sound_leaf(page.data(), page_size, item_key(items[0])), true, n, shift);
				CHECK_EQ(is_sound_leaf(page.data(), page_size, item_key(items[0]) + 1), false, n, shift);
				check_damaged_leaf(page, items);
				for (std::size_t i = page_size - sketch_page_mark; i < page_size; ++i)
					CHECK_EQ(page[i], 0xAA, n, shift, i);
				std::map<std::uint32_t, std::set<std::uint32_t>> by_key;
				for (const std::uint64_t item : items)
					by_key[item_key(item)].insert(item_entry(item));
				for (int probe = 0; probe < 200; ++probe) {
					const std::uint32_t key = probe % 2 == 0 ? item_key(items[random() % n])
						: probe % 4 == 1 ? base + static_cast<std::uint32_t>(random() % (64u << shift))
										 : static_cast<std::uint32_t>(random());
					const BandRun run = leaf_run(page.data(), page_size, key);
					const std::set<std::uint32_t> found(run.entries, run.entries + run.count);
					CHECK_EQ(std::includes(found.begin(), found.end(), by_key[key].begin(), by_key[key].end()), true, n,
						shift, crowded, key);
					if (item_key(items[n - 1]) - item_key(items[0]) < 65536)
						CHECK_EQ(found == by_key[key], true, n, shift, crowded, key);
				}
			}
}

TEST(fences_and_pages_of_a_table)
{
	const std::vector<std::uint32_t> keys = {1, 5, 5, 9};
	Bytes page(page_size);
	fill_fences(page.data(), keys.data(), keys.size());
	CHECK_EQ(fence_count(page.data()), 4);
	CHECK_EQ(std::equal(keys.begin(), keys.end(), fence_keys(page.data())), true);
	CHECK_EQ(is_sound_fences(page.data(), keys.data(), keys.size()), true);
	CHECK_EQ(is_sound_fences(page.data(), keys.data(), keys.size() - 1), false);
	for (std::size_t i = 0; i < sizeof(BandFenceHeader) + 4 * keys.size(); ++i) {
		page[sketch_page_header + i] ^= 1;
		CHECK_EQ(is_sound_fences(page.data(), keys.data(), keys.size()), false, i);
		page[sketch_page_header + i] ^= 1;
	}
	const std::uint64_t leaf = leaf_capacity(page_size), fence = fence_capacity(page_size);
	CHECK_EQ(band_pages(0, page_size).all(), 0);
	CHECK_EQ(band_pages(1, page_size).all(), 3);
	CHECK_EQ(band_pages(leaf, page_size).leaves, 1);
	CHECK_EQ(band_pages(leaf + 1, page_size).leaves, 2);
	CHECK_EQ(band_pages(leaf * fence, page_size).fences, 1);
	CHECK_EQ(band_pages(leaf * fence + 1, page_size).fences, 2);
}

TEST(entries_with_enough_bands)
{
	std::mt19937_64 random(5);
	for (const int min_count : {-1, 0, 1, 2, 3, 9})
		for (const std::size_t n : {0, 1, 2, 50, 300}) {
			std::vector<std::uint32_t> entries(n), expected;
			std::map<std::uint32_t, int> counts;
			for (std::uint32_t &entry : entries)
				++counts[entry = static_cast<std::uint32_t>(random() % 80)];
			for (const auto &[entry, count] : counts)
				if (count >= min_count)
					expected.push_back(entry);
			entries.resize(keep_frequent_entries(entries.data(), n, min_count));
			CHECK_EQ(entries == expected, true, min_count, n);
		}
}

// ---- the directory, beside one label for each unit

namespace {

struct Model {
	std::vector<std::uint32_t> labels;
	std::map<std::uint32_t, bool> live;
	std::vector<std::uint32_t> fresh;

	void replace(std::uint32_t from, std::uint32_t to) { std::replace(labels.begin(), labels.end(), from, to); }
	void drop(std::uint32_t id)
	{
		replace(unit_label(UnitKind::pages, id), free_label);
		live.erase(id);
	}
};

struct Directory {
	static constexpr std::size_t room = 60;
	alignas(8) std::uint8_t bytes[directory_size(room + 1)] = {};
	std::uint32_t units = 0;

	SketchDirectory &get() { return *reinterpret_cast<SketchDirectory *>(bytes); }
	DirectoryEditor editor() { return {get(), units, room}; }
};

std::string fault_of(Directory &directory)
{
	const char *fault =
		directory_size_fault(directory.get(), directory.units, Directory::room, 4, 1, 32, fence_capacity(page_size));
	if (fault == nullptr)
		fault = directory_fault(directory.get(), directory.units, 4);
	return fault == nullptr ? "" : fault;
}

void check_same(Directory &directory, const Model &model, int step)
{
	CHECK_EQ(directory.units, model.labels.size(), step);
	std::uint32_t uncovered = 0;
	for (std::uint32_t unit = 0; unit < directory.units; ++unit) {
		const std::uint32_t label = model.labels[unit];
		CHECK_EQ(label_of(directory.get(), unit), label, step, unit);
		const bool is_open =
			label == tail_label || (kind_of(label) == UnitKind::covered && !model.live.at(table_of(label)));
		CHECK_EQ(is_uncovered(directory.get(), label), is_open, step, unit);
		uncovered += is_open;
	}
	CHECK_EQ(uncovered_groups(directory.get(), directory.units), uncovered, step);
	CHECK_EQ(fault_of(directory), "", step);
	CHECK_EQ(directory.get().segments <= Directory::room, true, step);
	for (std::size_t i = 0; i < model.fresh.size() && i < max_new_groups; ++i)
		CHECK_EQ(directory.get().new_group[i], model.fresh[model.fresh.size() - 1 - i], step, i);
}

void add_group(Directory &directory, Model &model)
{
	DirectoryEditor editor = directory.editor();
	const std::uint32_t unit = editor.add_group();
	directory.units = editor.units();
	if (unit == model.labels.size())
		model.labels.push_back(free_label);
	CHECK_EQ(model.labels.at(unit), free_label);
	model.labels[unit] = tail_label;
	model.fresh.push_back(unit);
}

void make_table(std::mt19937_64 &random, Directory &directory, Model &model)
{
	std::vector<std::uint32_t> sources;
	for (const auto &[id, live] : model.live)
		if (live && random() % 3 != 0)
			sources.push_back(id);
	const auto most = static_cast<std::uint32_t>(random() % 3 == 0 ? random() % 20 : ~std::uint32_t{0});
	const std::uint32_t id = directory.editor().begin_table(sources.data(), sources.size(), most);
	if (id == 0)
		return;
	model.live[id] = false;
	for (std::uint32_t left = most; std::uint32_t & label : model.labels)
		if (label == tail_label && left > 0) {
			label = unit_label(UnitKind::covered, id);
			--left;
		}
	for (std::size_t i = 0; i < model.fresh.size() && i < max_new_groups; ++i)
		if (std::uint32_t &label = model.labels[model.fresh[model.fresh.size() - 1 - i]];
			label == unit_label(UnitKind::covered, id))
			label = tail_label;
	if (random() % 5 == 0)
		return; // something went wrong
	const auto count = static_cast<std::uint32_t>(1 + random() % 8);
	std::uint32_t first;
	DirectoryEditor editor = directory.editor();
	if (!editor.allocate(id, count, &first))
		return;
	directory.units = editor.units();
	model.labels.resize(std::max<std::size_t>(model.labels.size(), first + count), free_label);
	for (std::uint32_t unit = first; unit < first + count; ++unit) {
		CHECK_EQ(model.labels[unit], free_label);
		model.labels[unit] = unit_label(UnitKind::pages, id);
	}
	auto &table = const_cast<BandTable &>(*find_table(directory.get(), id));
	table.first = first;
	table.leaves = 4 * count - 2;
	table.fences = 1;
	if (random() % 5 == 0)
		return;
	directory.editor().finish_table(id, sources.data(), sources.size());
	model.live[id] = true;
	for (const std::uint32_t source : sources) {
		model.replace(unit_label(UnitKind::covered, source), unit_label(UnitKind::covered, id));
		model.drop(source);
	}
}

void drop_unfinished(Directory &directory, Model &model)
{
	directory.editor().drop_unfinished();
	for (auto table = model.live.begin(); table != model.live.end();) {
		const auto [id, live] = *table++;
		if (!live) {
			model.replace(unit_label(UnitKind::covered, id), tail_label);
			model.drop(id);
		}
	}
}

} // namespace

TEST(directory_is_a_label_for_each_unit)
{
	std::mt19937_64 random(6);
	for (int round = 0; round < 20; ++round) {
		Directory directory;
		Model model;
		directory.units = static_cast<std::uint32_t>(1 + random() % 20);
		model.labels.assign(directory.units, tail_label);
		const auto fresh = static_cast<std::uint32_t>(random() % (max_new_groups + 1));
		directory.editor().start(26, fresh);
		for (std::uint32_t i = std::min(fresh, directory.units); i-- > 0;)
			model.fresh.push_back(directory.units - 1 - i);
		int uncovered = 0;
		for (int step = 0; step < 600; ++step) {
			switch (random() % 8) {
			case 0:
				make_table(random, directory, model);
				break;
			case 1:
				drop_unfinished(directory, model);
				break;
			case 2: {
				const auto unit = static_cast<std::uint32_t>(random() % directory.units);
				const std::uint32_t label = model.labels[unit];
				if (kind_of(label) == UnitKind::covered && model.live.at(table_of(label)) &&
					directory.editor().uncover(unit)) {
					model.labels[unit] = tail_label;
					++uncovered;
				}
				break;
			}
			default:
				add_group(directory, model);
			}
			check_same(directory, model, step);
		}
		CHECK_EQ(uncovered > 0, true, round);
	}
}

// Everything is done until there is no room for it any more; what comes after the directory stays as it was.
TEST(directory_stays_within_its_arrays)
{
	for (std::size_t room = 14; room <= 60; ++room) {
		Directory directory;
		directory.units = 2000;
		std::fill(directory.bytes + directory_size(room), directory.bytes + sizeof directory.bytes, 0xAA);
		const auto is_inside = [&] {
			return std::all_of(directory.bytes + directory_size(room), directory.bytes + sizeof directory.bytes,
					   [](std::uint8_t b) { return b == 0xAA; }) &&
				directory.get().segments <= room && directory.get().tables <= max_band_tables;
		};
		const auto editor = [&] { return DirectoryEditor(directory.get(), directory.units, room); };
		editor().start(26);
		std::size_t tables = 0, uncovered = 0;
		for (std::uint32_t first; tables < 2 * max_band_tables; ++tables) {
			const std::uint32_t id = editor().begin_table(nullptr, 0, 50);
			DirectoryEditor with_pages = editor();
			if (id == 0 || !with_pages.allocate(id, 2, &first))
				break;
			directory.units = with_pages.units();
			editor().finish_table(id, nullptr, 0);
			CHECK_EQ(is_inside(), true, room, tables);
		}
		CHECK_EQ(tables > 0 && tables <= max_band_tables, true, room, tables);
		for (std::uint32_t unit = 1; unit < 1000; unit += 2) // each one splits a segment
			if (is_group(label_of(directory.get(), unit)))
				uncovered += editor().uncover(unit);
		CHECK_EQ(uncovered < room, true, room, uncovered);
		for (int i = 0; i < 50; ++i) {
			DirectoryEditor adding = editor();
			adding.add_group();
			directory.units = adding.units();
			CHECK_EQ(is_inside(), true, room, i);
		}
		const std::uint32_t id = editor().begin_table(nullptr, 0, 50);
		std::uint32_t first;
		if (id != 0 && editor().allocate(id, 2, &first))
			editor().finish_table(id, nullptr, 0);
		CHECK_EQ(is_inside(), true, room);
		CHECK_EQ(room < 60 || tables == max_band_tables, true, room, tables);
	}
}

TEST(directory_faults_are_noticed)
{
	Directory directory;
	directory.units = 100;
	directory.editor().start(26);
	DirectoryEditor editor = directory.editor();
	const std::uint32_t id = editor.begin_table(nullptr, 0, 100);
	std::uint32_t first;
	CHECK_EQ(editor.allocate(id, 3, &first), true);
	editor.finish_table(id, nullptr, 0);
	const_cast<BandTable &>(*find_table(directory.get(), id)).first = first;
	const_cast<BandTable &>(*find_table(directory.get(), id)).leaves = 9;
	const_cast<BandTable &>(*find_table(directory.get(), id)).fences = 1;
	directory.units = editor.units();
	const auto fault_after = [&](auto change) {
		Directory copy = directory;
		change(copy.get());
		return fault_of(copy) != "";
	};
	CHECK_EQ(fault_after([](SketchDirectory &) {}), false);
	CHECK_EQ(fault_after([](SketchDirectory &d) { d.bands = 0; }), true);
	CHECK_EQ(fault_after([](SketchDirectory &d) { d.zero = 1; }), true);
	CHECK_EQ(fault_after([](SketchDirectory &d) { d.zeros = 1; }), true);
	CHECK_EQ(fault_after([](SketchDirectory &d) { d.tables = max_band_tables + 1; }), true);
	CHECK_EQ(fault_after([](SketchDirectory &d) { d.segments = Directory::room + 1; }), true);
	CHECK_EQ(fault_after([](SketchDirectory &d) { d.last_id = 0; }), true);
	CHECK_EQ(fault_after([](SketchDirectory &d) { d.new_group[0] = 101; }), true); // a page of the table
	CHECK_EQ(fault_after([](SketchDirectory &d) { d.new_group[1] = 1000; }), true);
	CHECK_EQ(fault_after([](SketchDirectory &d) { d.table[0].live = 2; }), true);
	CHECK_EQ(fault_after([](SketchDirectory &d) { d.table[0].fences = 2; }), true);
	CHECK_EQ(fault_after([](SketchDirectory &d) { d.table[0].fences = 0; }), true);
	CHECK_EQ(fault_after([](SketchDirectory &d) { d.table[0].leaves = d.table[0].fences = 0xFFFFFFFF; }), true);
	CHECK_EQ(fault_after([](SketchDirectory &d) { d.bands = 33; }), true);
	CHECK_EQ(fault_after([](SketchDirectory &d) { d.segments = 0; }), true);
	CHECK_EQ(fault_after([](SketchDirectory &d) { d.segment[0].first = 1; }), true);
	CHECK_EQ(fault_after([](SketchDirectory &d) { d.segment[1].first = 0; }), true);
	CHECK_EQ(fault_after([](SketchDirectory &d) { d.segment[0].label = unit_label(UnitKind::covered, 7); }), true);
	CHECK_EQ(fault_after([](SketchDirectory &d) { d.table[0].id = 9; }), true);
	CHECK_EQ(fault_after([](SketchDirectory &d) { d.table[0].first = 0; }), true);
	CHECK_EQ(fault_after([](SketchDirectory &d) { d.table[0].leaves = 4000; }), true);
	CHECK_EQ(fault_after([](SketchDirectory &d) { // more fences than a page has room for
		d.table[0].fences = static_cast<std::uint32_t>(fence_capacity(page_size) + 1);
		d.table[0].leaves = static_cast<std::uint32_t>(fence_capacity(page_size) * fence_capacity(page_size) + 1);
	}),
		true);
	CHECK_EQ(fault_after([](SketchDirectory &d) { d.table[d.tables++] = d.table[0]; }), true);
	CHECK_EQ(fault_after([&](SketchDirectory &d) { // a unit besides those of its pages
		std::copy_backward(d.segment, d.segment + d.segments, d.segment + d.segments + 1);
		++d.segments;
		d.segment[0].label = unit_label(UnitKind::pages, id);
		d.segment[1].first = 1;
	}),
		true);
	// what has nothing in it is no fault
	Directory empty;
	empty.editor().start(26);
	CHECK_EQ(fault_of(empty), "");
	Directory without_pages;
	without_pages.units = 100;
	without_pages.editor().start(26);
	const std::uint32_t bare = without_pages.editor().begin_table(nullptr, 0, 50);
	without_pages.editor().finish_table(bare, nullptr, 0);
	CHECK_EQ(find_table(without_pages.get(), bare)->live, 1);
	CHECK_EQ(fault_of(without_pages), "");
}
