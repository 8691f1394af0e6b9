// sketch_check verifies that every page is the expected one and that every TID occurs once. On request it also verifies
// that the index has every row of the table with the signature of its value, and that the band directory has all bands
// of the rows that it covers. It locks the table in share mode, so that nobody can write to it meanwhile.
#include <algorithm>
#include <span>

#include "core/sketch/bands.hpp"
#include "pg/base/large_array.hpp"
#include "pg/base/owner_rights.hpp"
#include "pg/sketch/band_sort.hpp"
#include "pg/sketch/sketch.hpp"

extern "C" {
#include "access/relation.h"
#include "access/table.h"
#include "access/tableam.h"
#include "catalog/index.h"
#include "miscadmin.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
}

using namespace txtfp;

namespace txtfp::pg {

namespace {

struct Entry {
	ItemPointerData tid;
	bool is_null;
	std::uint32_t group;
	std::uint16_t row;
};

struct Check {
	Relation index;
	const SketchClass *type;
	SketchMap *map;
	Entry *entries; // by TID, once all pages have been read
	std::size_t count;
	MemoryContext context;
};

template <typename... Arguments>
[[noreturn]] void report_corruption(const Check &check, const char *what, Arguments... arguments)
{
	const char *detail = psprintf(what, arguments...);
	ereport(ERROR,
		(errcode(ERRCODE_INDEX_CORRUPTED), errmsg("index \"%s\" is damaged", RelationGetRelationName(check.index)),
			errdetail_internal("%s", detail), errhint("Please REINDEX it.")));
}

bool precedes(const Entry &a, const Entry &b)
{
	return ItemPointerCompare(const_cast<ItemPointerData *>(&a.tid), const_cast<ItemPointerData *>(&b.tid)) < 0;
}

void check_first_page(Check &check, Page page, std::uint32_t group)
{
	const core::SketchLayout &layout = check.type->layout;
	const core::SketchGroupHeader &header = group_header(page);
	if (header.flags > core::sketch_group_closed || header.least > header.most ||
		(layout.planes == 0 && header.most != 0))
		report_corruption(check, "Group %u has a wrong header.", group);
	const core::SketchDirectory &directory = check.map->directory;
	if (header.flags == 0 && !core::is_uncovered(directory, core::label_of(directory, group)))
		report_corruption(check, "Group %u is not closed, although the band directory covers it.", group);
	if (header.used > 0 && !is_filled(page))
		report_corruption(check, "Group %u has rows in a page that is marked as empty.", group);
	std::size_t free = 0, nulls = 0;
	for (std::size_t row = 0; row < layout.rows; ++row) {
		const ItemPointerData tid = row_tids(page, layout)[row];
		const bool has_tid = ItemPointerIsValid(&tid), is_null = row_is_null(page, layout, row);
		if ((row >= header.used && has_tid) || (!has_tid && is_null))
			report_corruption(check, "Row %zu of group %u should be empty.", row, group);
		if (has_tid)
			check.entries[check.count++] = {tid, is_null, group, static_cast<std::uint16_t>(row)};
		if (std::uint16_t count; has_tid && layout.planes > 0) {
			memcpy(&count, bytes_of(page) + layout.field[0].offset + sizeof count * row, sizeof count);
			if (count < header.least || count > header.most)
				report_corruption(check, "Row %zu of group %u has %d terms; the header says %d to %d.", row, group,
					count, header.least, header.most);
		}
		nulls += is_null;
		free += row < header.used && !has_tid;
	}
	if (free != header.free || nulls != header.nulls)
		report_corruption(check, "Group %u has %zu emptied rows and %zu NULLs; its header says %d and %d.", group, free,
			nulls, header.free, header.nulls);
}

// Checks the pages of a table: the leaves must be in order, and the fences must have their first keys.
void check_table_pages(const Check &check, const core::BandTable &table)
{
	const core::SketchLayout &layout = check.type->layout;
	const std::uint32_t pages = table.leaves == 0 ? 0 : table.leaves + table.fences + 1;
	auto *first = allocate<std::uint32_t>(check.context, pages);
	std::uint64_t items = 0;
	for (std::uint32_t number = 0; number < pages; ++number) {
		CHECK_FOR_INTERRUPTS();
		const Buffer buffer = lock_table_page(check.index, layout, table, number);
		if (!BufferIsValid(buffer))
			report_corruption(check, "Page %u of band table %u is missing.", number, table.id);
		const std::uint8_t *page = bytes_of(BufferGetPage(buffer));
		bool sound;
		if (number < table.leaves) {
			sound = core::is_sound_leaf(page, BLCKSZ, number == 0 ? 0 : first[number - 1]);
			memcpy(&first[number], page + core::sketch_page_header, sizeof *first);
			items += core::leaf_count(page);
		} else {
			const bool is_root = number + 1 == pages;
			const std::size_t capacity = core::fence_capacity(BLCKSZ);
			const std::size_t from = is_root ? table.leaves : (number - table.leaves) * capacity;
			const std::size_t n = is_root ? table.fences : std::min<std::size_t>(capacity, table.leaves - from);
			sound = core::is_sound_fences(page, first + from, n);
			first[number] = sound ? core::fence_keys(page)[0] : 0;
		}
		UnlockReleaseBuffer(buffer);
		if (!sound)
			report_corruption(check, "Page %u of band table %u is wrong.", number, table.id);
	}
	pfree(first);
	if (items != table.items)
		report_corruption(check, "Band table %u has a wrong number of items.", table.id);
}

void check_directory(const Check &check)
{
	const SketchMap &map = *check.map;
	if ((map.meta.format == sketch_format && map.meta.rows != 0) || map.meta.zeros != 0)
		report_corruption(check, "The metapage has %s.", "a number that should be zero");
	if ((map.meta.features & sketch_has_directory) == 0)
		return;
	const char *fault = core::directory_fault(map.directory, map.meta.groups, check.type->layout.pages);
	if (fault != nullptr)
		report_corruption(check, "The band directory has %s.", fault);
	for (std::size_t i = 0; i < map.directory.tables; ++i)
		if (map.directory.table[i].live != 0)
			check_table_pages(check, map.directory.table[i]);
}

void check_pages(Check &check)
{
	const core::SketchLayout &layout = check.type->layout;
	check.map = read_map(check.index);
	check_directory(check);
	const BlockNumber blocks = RelationGetNumberOfBlocks(check.index);
	std::size_t groups = 0;
	for_each_group(*check.map, any_group, [&](std::uint32_t group) {
		if (blocks < block_of(layout, group + 1, 0))
			report_corruption(check, "The index has %u blocks, too few for group %u.", blocks, group);
		++groups;
	});
	check.entries = allocate<Entry>(check.context, groups * layout.rows);
	for_each_group(*check.map, any_group, [&](std::uint32_t group) {
		CHECK_FOR_INTERRUPTS();
		for (std::size_t number = 0; number < layout.pages; ++number) {
			const Buffer buffer = lock_group_page(check.index, layout, group, number, BUFFER_LOCK_SHARE);
			if (number == 0)
				check_first_page(check, BufferGetPage(buffer), group);
			UnlockReleaseBuffer(buffer);
		}
	});
	std::sort(check.entries, check.entries + check.count, precedes);
	for (std::size_t i = 1; i < check.count; ++i)
		if (!precedes(check.entries[i - 1], check.entries[i])) {
			const ItemPointerData &tid = check.entries[i].tid;
			report_corruption(check, "TID (%u,%d) is in groups %u and %u.", ItemPointerGetBlockNumber(&tid),
				ItemPointerGetOffsetNumber(&tid), check.entries[i - 1].group, check.entries[i].group);
		}
}

void read_row(const Check &check, const Entry &entry, std::uint8_t *signature, SketchKeys &keys)
{
	const core::SketchLayout &layout = check.type->layout;
	Buffer buffers[core::sketch_max_pages];
	for (std::size_t number = 0; number < layout.pages; ++number)
		buffers[number] = lock_group_page(check.index, layout, entry.group, number, BUFFER_LOCK_SHARE);
	for (std::size_t i = 0; i < layout.keys; ++i)
		memcpy(&keys.hash[i], row_keys(BufferGetPage(buffers[0]), layout, i, entry.row), sizeof keys.hash[i]);
	core::read_signature(
		layout, [&](std::size_t number) { return bytes_of(BufferGetPage(buffers[number])); }, entry.row, signature);
	for (std::size_t number = 0; number < layout.pages; ++number)
		UnlockReleaseBuffer(buffers[number]);
}

// Checks one row of the table.
void check_row(Relation, ItemPointer tid, Datum *values, bool *nulls, bool, void *state)
{
	const Check &check = *static_cast<const Check *>(state);
	Entry wanted{};
	wanted.tid = *tid;
	const Entry *end = check.entries + check.count;
	const Entry *entry = std::lower_bound(static_cast<const Entry *>(check.entries), end, wanted, precedes);
	if (entry == end || precedes(wanted, *entry))
		report_corruption(check, "Row (%u,%d) of the table is missing in the index.", ItemPointerGetBlockNumber(tid),
			ItemPointerGetOffsetNumber(tid));
	SketchValue value;
	std::uint8_t signature[core::sketch_max_signature];
	SketchKeys keys{};
	const std::size_t last = check.type->layout.keys;
	const SketchKeys wanted_keys = sketch_keys(check.index, *check.type, values, nulls);
	sketch_value(check.index, *check.type, values[last], nulls[last], value);
	read_row(check, *entry, signature, keys);
	if (entry->is_null != nulls[last] || memcmp(&keys, &wanted_keys, sizeof keys) != 0 ||
		memcmp(signature, value.signature, check.type->layout.signature_size) != 0)
		report_corruption(check, "Row (%u,%d) of the table has another value than in the index.",
			ItemPointerGetBlockNumber(tid), ItemPointerGetOffsetNumber(tid));
	if (value.config != 0 && value.config != check.map->meta.config)
		report_corruption(check, "Row (%u,%d) of the table has another configuration than the index.",
			ItemPointerGetBlockNumber(tid), ItemPointerGetOffsetNumber(tid));
}

// Checks that a band table has the given items, which all have the same key.
void check_items(const Check &check, const core::BandTable &table, std::span<const std::uint64_t> items,
	std::uint32_t **entries, std::size_t *capacity)
{
	const core::SketchLayout &layout = check.type->layout;
	const std::size_t count = table_entries(check.index, layout, table, core::item_key(items[0]), entries, capacity);
	std::sort(*entries, *entries + count);
	for (const std::uint64_t item : items)
		if (const std::uint32_t entry = core::item_entry(item); !std::binary_search(*entries, *entries + count, entry))
			report_corruption(check, "Row %u of group %u is not in the band directory with all of its bands.",
				entry % layout.rows, entry / layout.rows);
}

// Checks that every row that a table covers is found by each of its bands.
void check_bands(const Check &check, const core::BandTable &table)
{
	const core::SketchLayout &layout = check.type->layout;
	BandSort *sort = BandSort::open(check.context, static_cast<std::size_t>(maintenance_work_mem) * 1024, table.items);
	auto *pages = static_cast<PGAlignedBlock *>(palloc(sizeof(PGAlignedBlock) * core::sketch_max_pages));
	const std::uint32_t own = core::unit_label(core::UnitKind::covered, table.id);
	for_each_group(
		*check.map, [own](std::uint32_t label) { return label == own; },
		[&](std::uint32_t group) {
			CHECK_FOR_INTERRUPTS();
			for (std::size_t number = 0; number < layout.pages; ++number) {
				const Buffer buffer = lock_group_page(check.index, layout, group, number, BUFFER_LOCK_SHARE);
				memcpy(pages[number].data, BufferGetPage(buffer), BLCKSZ);
				UnlockReleaseBuffer(buffer);
			}
			add_group_items(*check.type, check.map->directory.bands, group, pages, *sort);
		});
	std::size_t capacity = 1024;
	auto *entries = allocate<std::uint32_t>(check.context, capacity);
	for (std::span<const std::uint64_t> items; !(items = sort->next()).empty();)
		for (std::size_t first = 0, end; first < items.size(); first = end) {
			CHECK_FOR_INTERRUPTS();
			for (end = first + 1; end < items.size() && core::item_key(items[end]) == core::item_key(items[first]);)
				++end;
			check_items(check, table, items.subspan(first, end - first), &entries, &capacity);
		}
	sort->close();
	pfree(entries);
	pfree(pages);
}

// Checks that the index has all rows of the table that a new snapshot sees.
void check_table(Check &check, Relation heap)
{
	for (std::size_t i = 0; i < check.map->directory.tables; ++i)
		if (check.map->directory.table[i].live != 0)
			check_bands(check, check.map->directory.table[i]);
	const OwnerRights rights = assume_owner(heap->rd_rel->relowner);
	IndexInfo *info = BuildIndexInfo(check.index);
	Snapshot snapshot = RegisterSnapshot(GetTransactionSnapshot());
	TableScanDesc scan = table_beginscan_strat(heap, snapshot, 0, nullptr, true, true);
	info->ii_Concurrent = true; // scan with this snapshot
	info->ii_Unique = false;
	table_index_build_scan(heap, check.index, info, true, false, check_row, &check, scan);
	UnregisterSnapshot(snapshot);
	restore_caller(rights);
}

} // namespace

} // namespace txtfp::pg

TXTFP_FUNCTION(txtfp_sketch_check)
{
	const Oid oid = PG_GETARG_OID(0);
	const bool with_table = PG_GETARG_BOOL(1);
	const Oid heap_oid = IndexGetRelation(oid, true);
	Relation heap = OidIsValid(heap_oid) ? table_open(heap_oid, ShareLock) : nullptr;
	Relation index = try_relation_open(oid, AccessShareLock);
	if (index == nullptr)
		ereport(ERROR, (errcode(ERRCODE_UNDEFINED_TABLE), errmsg("relation with OID %u does not exist", oid)));
	pg::check_is_sketch_index(index);
	if (!index->rd_index->indisvalid)
		ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				errmsg("index \"%s\" is not valid", RelationGetRelationName(index)), errhint("Please REINDEX it.")));
	pg::Check check{index, &pg::sketch_class(index), nullptr, nullptr, 0, CurrentMemoryContext};
	pg::check_pages(check);
	if (with_table)
		pg::check_table(check, heap);
	const auto rows = static_cast<int64>(check.count);
	pfree(check.entries);
	relation_close(index, AccessShareLock);
	table_close(heap, ShareLock);
	PG_RETURN_INT64(rows);
}
