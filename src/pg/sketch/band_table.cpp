// Writes tables of the band directory.
#include "core/sketch/bands.hpp"
#include "pg/base/large_array.hpp"
#include "pg/sketch/band_sort.hpp"
#include "pg/sketch/sketch.hpp"

#include <algorithm>
#include <span>

extern "C" {
#include "miscadmin.h"
}

namespace txtfp::pg {

namespace {

constexpr std::size_t leaf_capacity = core::leaf_capacity(BLCKSZ), fence_capacity = core::fence_capacity(BLCKSZ);

// Writes consecutive pages of a table, the leaves from the items that are added.
class TableWriter {
public:
	// `keys` are the first keys of all leaves of the table; the writer sets those that it writes.
	TableWriter(Relation index, const core::SketchLayout &layout, const core::BandTable &table, std::uint32_t first,
		std::uint32_t *keys)
		: index_(index), layout_(layout), table_(table), keys_(keys), number_(first)
	{
	}

	void add(std::span<const std::uint64_t> items)
	{
		for (std::size_t taken; !items.empty(); items = items.subspan(taken)) {
			taken = std::min(items.size(), leaf_capacity - pending_);
			std::copy_n(items.begin(), taken, leaf_ + pending_);
			pending_ += taken;
			if (pending_ == leaf_capacity)
				write_leaf();
		}
	}

	// Writes what has been added. `end` is the number of the leaf behind the last one.
	void finish_leaves(std::uint32_t end)
	{
		if (pending_ > 0)
			write_leaf();
		if (number_ != end)
			elog(ERROR, "band table has %u leaves, not %u", number_, end);
	}

	void write_fences()
	{
		std::uint32_t first_keys[fence_capacity]; // the content of the root
		for (std::size_t f = 0; f < table_.fences; ++f) {
			const std::uint32_t *keys = keys_ + f * fence_capacity;
			first_keys[f] = keys[0];
			write_keys(keys, std::min<std::size_t>(fence_capacity, table_.leaves - f * fence_capacity));
		}
		write_keys(first_keys, table_.fences);
	}

private:
	void write_leaf()
	{
		if (number_ >= table_.leaves)
			elog(ERROR, "band table has more than %u leaves", table_.leaves);
		start_page();
		core::fill_leaf(bytes_of(page()), BLCKSZ, leaf_, pending_);
		keys_[number_] = core::item_key(leaf_[0]);
		pending_ = 0;
		write_page();
	}

	void write_keys(const std::uint32_t *keys, std::size_t n)
	{
		start_page();
		core::fill_fences(bytes_of(page()), keys, n);
		write_page();
	}

	Page page() { return (Page) page_.data; }
	void start_page() { init_table_page(page(), table_, number_); }

	void write_page()
	{
		CHECK_FOR_INTERRUPTS();
		write_new_pages(index_, block_of(layout_, table_.first, 0) + number_++, &page_, 1);
	}

	Relation index_;
	const core::SketchLayout &layout_;
	const core::BandTable &table_;
	std::uint32_t *keys_;
	std::uint32_t number_; // of the next page
	std::size_t pending_ = 0;
	std::uint64_t leaf_[leaf_capacity];
	PGAlignedBlock page_;
};
static_assert(std::is_trivially_destructible_v<TableWriter>);

} // namespace

void write_table(Relation index, const core::SketchLayout &layout, const core::BandTable &table, BandSort &sort)
{
	if (table.leaves == 0)
		return;
	extend_for_table(index, layout, table);
	auto *keys = allocate<std::uint32_t>(CurrentMemoryContext, table.leaves);
	TableWriter writer(index, layout, table, 0, keys);
	for (std::span<const std::uint64_t> items; !(items = sort.next()).empty();)
		writer.add(items);
	writer.finish_leaves(table.leaves);
	writer.write_fences();
	pfree(keys);
}

void extend_for_table(Relation index, const core::SketchLayout &layout, const core::BandTable &table)
{
	if (table.fences > fence_capacity)
		elog(ERROR, "band table has too many pages");
	extend_to_block(index, block_of(layout, table.first, 0) + table.leaves + table.fences);
}

void write_leaves(Relation index, const core::SketchLayout &layout, const core::BandTable &table, BandSort &sort,
	std::uint32_t partition, std::uint32_t first, std::uint32_t *keys)
{
	TableWriter writer(index, layout, table, first, keys);
	for (std::span<const std::uint64_t> items; !(items = sort.next_of(partition)).empty();)
		writer.add(items);
	writer.finish_leaves(first + core::band_pages(sort.total_of(partition), BLCKSZ).leaves);
}

void write_fences(Relation index, const core::SketchLayout &layout, const core::BandTable &table, std::uint32_t *keys)
{
	TableWriter(index, layout, table, table.leaves, keys).write_fences();
}

void add_row_items(const SketchClass &type, int bands, std::uint32_t entry, const std::uint8_t *signature,
	const SketchKeys &leading, BandSort &sort)
{
	for (std::size_t i = 0; i < type.layout.keys; ++i)
		sort.add(core::band_item(core::leading_key(leading.hash[i], i), entry));
	if (signature == nullptr || bands == 0)
		return;
	std::uint32_t keys[core::max_bands];
	core::signature_band_keys(
		signature, type.layout.fields, type.layout.field[0].size, static_cast<std::size_t>(bands), keys);
	for (int b = 0; b < bands; ++b)
		sort.add(core::band_item(keys[b], entry));
}

void add_group_items(
	const SketchClass &type, int bands, std::uint32_t group, const PGAlignedBlock *pages, BandSort &sort)
{
	const core::SketchLayout &layout = type.layout;
	Page first = (Page) pages[0].data;
	std::uint8_t signature[core::sketch_max_signature];
	for (std::size_t row = 0; row < group_header(first).used; ++row) {
		if (!ItemPointerIsValid(&row_tids(first, layout)[row]))
			continue;
		SketchKeys keys{};
		for (std::size_t i = 0; i < layout.keys; ++i)
			memcpy(&keys.hash[i], row_keys(first, layout, i, row), sizeof keys.hash[i]);
		for (std::size_t i = 0; bands > 0 && i < layout.fields; ++i) {
			const core::SketchField &field = layout.field[i];
			memcpy(signature + field.at, pages[field.page].data + field.offset + row * field.size, field.size);
		}
		add_row_items(type, bands, group * layout.rows + static_cast<std::uint32_t>(row),
			row_is_null(first, layout, row) ? nullptr : signature, keys, sort);
	}
}

} // namespace txtfp::pg
