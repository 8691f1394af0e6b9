// Reading the tables of the band directory: the leaves that may contain a key, and their entries.
// src/core/sketch/README.md has the pages of a table.
#pragma once

#include "core/sketch/bands.hpp"
#include "pg/sketch/scan.hpp"

namespace txtfp::pg::sketch_scan {

// The leaves of a table that may contain a key, and the estimated position of its first item in the first of them.
struct LeafRange {
	std::uint32_t first, leaves, item_hint;
};

// `replaced`: a table is not there any more, and read_newer_map() returns the map that tells which ones are.
enum class Outcome { found, too_many, replaced };

// A search for keys in all tables.
struct TableSearch {
	Relation index;
	Snapshot snapshot; // null: sketch_check asks, which reads every row
	const core::SketchLayout *layout;
	const SketchMap *map;
	int bands, needed;
	std::uint32_t keys[core::max_bands];
	std::uint8_t order[core::max_bands]; // the bands in the order of their keys
	const core::BandTable *table[core::max_band_tables];
	LeafRange *ranges; // band b in table t has ranges[t · bands + b]
	std::size_t tables;

	const LeafRange &range(std::size_t t, int band) const
	{
		return ranges[t * static_cast<std::size_t>(bands) + static_cast<std::size_t>(band)];
	}

	std::uint64_t max_entries; // of all bands together; a single band may have half as many
	std::uint32_t *entries;
	std::size_t count, capacity;
	BlockNumber missing_block; // where `lock` has not found the page of a table
	std::int64_t blocks_read;  // the counter of the scan
	bool has_requested;        // the leaves of all bands that were to be read

	Buffer lock(const core::BandTable &searched, std::uint32_t number)
	{
		const Buffer buffer = lock_table_page(index, *layout, searched, number);
		if (!BufferIsValid(buffer))
			missing_block = block_of(*layout, searched.first, 0) + number;
		else
			check_snapshot_age(snapshot, index, buffer);
		return buffer;
	}
};

// Of all tables that have leaves. `bands`: how many keys are looked up.
TableSearch start_search(Relation index, const Scan &scan, int bands);

// Finds the leaf ranges of all keys in one table. False if the table has been replaced.
bool find_leaf_ranges(TableSearch &search, const core::BandTable &table, LeafRange *ranges);

// Adds the entries of a key in one leaf, which is locked, and releases it.
void append_from_leaf(
	TableSearch &search, const core::BandTable &table, std::uint32_t number, Buffer leaf, std::uint32_t key);

// Reads the metapage again after a page of a table has not been found. Raises an error (XX002) if none of the tables has
// been replaced, because then the page is damaged.
SketchMap *read_newer_map(const TableSearch &search);

} // namespace txtfp::pg::sketch_scan
