#include "core/sketch/directory.hpp"

#include <algorithm>
#include <cstring>

namespace txtfp::core {

namespace {

// The number of segments that building a table may add: around each new group, after the part of the tail that it
// takes, and for its pages.
// Functions that change single groups leave room for that many.
constexpr std::size_t table_segments = 2 * max_new_groups + 4;

std::uint32_t end_of(const SketchDirectory &directory, std::size_t segment, std::uint32_t units) noexcept
{
	return segment + 1 < directory.segments ? directory.segment[segment + 1].first : units;
}

// True if the segment before this one is tail. Then the tail can be extended without a further segment.
bool follows_tail(const SketchDirectory &directory, std::size_t segment) noexcept
{
	return segment > 0 && directory.segment[segment - 1].label == tail_label;
}

// One beyond the last unit of a table's pages: leaves, fences and root.
std::uint64_t end_of_pages(const BandTable &table, std::uint32_t unit_pages) noexcept
{
	const std::uint64_t pages = std::uint64_t{table.leaves} + table.fences + 1;
	return table.first + (pages + unit_pages - 1) / unit_pages;
}

std::uint64_t units_with(const SketchDirectory &directory, std::uint32_t label, std::uint32_t units) noexcept
{
	std::uint64_t sum = 0;
	for (std::size_t i = 0; i < directory.segments; ++i)
		if (directory.segment[i].label == label)
			sum += end_of(directory, i, units) - directory.segment[i].first;
	return sum;
}

} // namespace

std::size_t segment_of(const SketchDirectory &directory, std::uint32_t unit) noexcept
{
	const SketchSegment *begin = directory.segment, *end = begin + directory.segments;
	const SketchSegment *next = std::upper_bound(
		begin, end, unit, [](std::uint32_t wanted, const SketchSegment &s) { return wanted < s.first; });
	return static_cast<std::size_t>(next - begin) - 1;
}

const BandTable *find_table(const SketchDirectory &directory, std::uint32_t id) noexcept
{
	for (std::size_t i = 0; i < directory.tables; ++i)
		if (directory.table[i].id == id)
			return &directory.table[i];
	return nullptr;
}

bool is_uncovered(const SketchDirectory &directory, std::uint32_t label) noexcept
{
	if (kind_of(label) != UnitKind::covered)
		return label == tail_label;
	const BandTable *table = find_table(directory, table_of(label));
	return table == nullptr || table->live == 0;
}

std::uint32_t uncovered_groups(const SketchDirectory &directory, std::uint32_t units) noexcept
{
	std::uint32_t sum = 0;
	for (std::size_t i = 0; i < directory.segments; ++i)
		if (is_uncovered(directory, directory.segment[i].label))
			sum += end_of(directory, i, units) - directory.segment[i].first;
	return sum;
}

void DirectoryEditor::start(int bands, std::uint32_t new_groups) noexcept
{
	std::memset(static_cast<void *>(&directory_), 0, directory_size(1));
	directory_.bands = static_cast<std::uint16_t>(bands);
	directory_.segments = 1; // the zeroed segment: tail from unit 0 on
	for (std::uint32_t i = 0; i < max_new_groups; ++i)
		directory_.new_group[i] = i < new_groups && i < units_ ? units_ - 1 - i : ~std::uint32_t{0};
}

std::uint32_t DirectoryEditor::add_group() noexcept
{
	SketchSegment *segment = directory_.segment;
	std::uint32_t unit = units_;
	for (std::size_t i = 0; i < directory_.segments; ++i)
		if (segment[i].label == free_label && (follows_tail(directory_, i) || has_room(1 + table_segments))) {
			unit = segment[i].first;
			break;
		}
	if (unit != units_) {
		relabel(unit, 1, tail_label);
	} else {
		++units_;
		if (segment[directory_.segments - 1].label != tail_label)
			segment[directory_.segments++] = {unit, tail_label};
	}
	std::copy_backward(
		directory_.new_group, directory_.new_group + max_new_groups - 1, directory_.new_group + max_new_groups);
	directory_.new_group[0] = unit;
	return unit;
}

void DirectoryEditor::merge_equal() noexcept
{
	std::size_t kept = 0;
	for (std::size_t i = 0; i < directory_.segments; ++i) {
		const SketchSegment segment = directory_.segment[i];
		const bool is_empty = end_of(directory_, i, units_) == segment.first;
		if (!is_empty && (kept == 0 || directory_.segment[kept - 1].label != segment.label))
			directory_.segment[kept++] = segment;
	}
	directory_.segments = static_cast<std::uint16_t>(kept);
}

// Changes the label of units that lie within one segment, which is split into up to three.
void DirectoryEditor::relabel(std::uint32_t first, std::uint32_t count, std::uint32_t label) noexcept
{
	SketchSegment *segment = directory_.segment;
	const std::size_t at = segment_of(directory_, first);
	const std::uint32_t end = end_of(directory_, at, units_), before = segment[at].label;
	SketchSegment pieces[3];
	std::size_t n = 0;
	if (segment[at].first < first)
		pieces[n++] = {segment[at].first, before};
	// units that join the previous segment need no segment of their own
	if (!(n == 0 && at > 0 && segment[at - 1].label == label))
		pieces[n++] = {first, label};
	if (first + count < end)
		pieces[n++] = {first + count, before};
	std::memmove(segment + at + n, segment + at + 1, (directory_.segments - at - 1) * sizeof *segment);
	std::copy_n(pieces, n, segment + at);
	directory_.segments = static_cast<std::uint16_t>(directory_.segments + n - 1);
	merge_equal();
}

void DirectoryEditor::replace(std::uint32_t from, std::uint32_t to) noexcept
{
	for (std::size_t i = 0; i < directory_.segments; ++i)
		if (directory_.segment[i].label == from)
			directory_.segment[i].label = to;
}

// Gives the label to the first `max_groups` groups of the tail.
void DirectoryEditor::relabel_tail(std::uint32_t max_groups, std::uint32_t label) noexcept
{
	for (std::size_t i = 0; i < directory_.segments && max_groups > 0; ++i)
		if (SketchSegment &segment = directory_.segment[i]; segment.label == tail_label) {
			const std::uint32_t count = end_of(directory_, i, units_) - segment.first;
			if (count > max_groups)
				return relabel(segment.first, max_groups, label);
			segment.label = label;
			max_groups -= count;
		}
}

void DirectoryEditor::drop_table(std::uint32_t id) noexcept
{
	replace(unit_label(UnitKind::pages, id), free_label);
	BandTable *end = directory_.table + directory_.tables;
	if (BandTable *table = std::find_if(directory_.table, end, [id](const BandTable &t) { return t.id == id; });
		table != end) {
		std::move(table + 1, end, table);
		*(end - 1) = {};
		--directory_.tables;
	}
}

bool DirectoryEditor::uncover(std::uint32_t unit) noexcept
{
	if (!has_room(2 + table_segments))
		return false;
	relabel(unit, 1, tail_label);
	return true;
}

std::uint32_t DirectoryEditor::begin_table(
	const std::uint32_t *sources, std::size_t n, std::uint32_t max_groups) noexcept
{
	if (directory_.tables == max_band_tables || !has_room(table_segments))
		return 0;
	const std::uint32_t id = ++directory_.last_id, label = unit_label(UnitKind::covered, id);
	relabel_tail(max_groups, label);
	for (const std::uint32_t unit : directory_.new_group)
		if (unit < units_ && label_of(directory_, unit) == label)
			relabel(unit, 1, tail_label);
	std::uint32_t groups = 0;
	for (std::size_t i = 0; i < directory_.segments; ++i) {
		const std::uint32_t segment_label = directory_.segment[i].label;
		const bool is_source = std::any_of(sources, sources + n,
			[segment_label](std::uint32_t s) { return segment_label == unit_label(UnitKind::covered, s); });
		if (segment_label == label || is_source)
			groups += end_of(directory_, i, units_) - directory_.segment[i].first;
	}
	directory_.table[directory_.tables++] = {id, 0, 0, 0, 0, groups, 0};
	merge_equal();
	return id;
}

bool DirectoryEditor::allocate(std::uint32_t id, std::uint32_t count, std::uint32_t *first) noexcept
{
	if (!has_room(2))
		return false;
	const std::uint32_t label = unit_label(UnitKind::pages, id);
	std::uint32_t at = units_;
	for (std::size_t i = 0; i < directory_.segments && at == units_; ++i)
		if (directory_.segment[i].label == free_label &&
			end_of(directory_, i, units_) - directory_.segment[i].first >= count)
			at = directory_.segment[i].first;
	if (at != units_) {
		relabel(at, count, label);
	} else {
		units_ += count;
		directory_.segment[directory_.segments++] = {at, label};
	}
	*first = at;
	return true;
}

void DirectoryEditor::finish_table(std::uint32_t id, const std::uint32_t *sources, std::size_t n) noexcept
{
	for (std::size_t i = 0; i < n; ++i) {
		replace(unit_label(UnitKind::covered, sources[i]), unit_label(UnitKind::covered, id));
		drop_table(sources[i]);
	}
	const_cast<BandTable *>(find_table(directory_, id))->live = 1;
	merge_equal();
}

void DirectoryEditor::drop_unfinished() noexcept
{
	for (std::size_t i = directory_.tables; i-- > 0;)
		if (const BandTable table = directory_.table[i]; table.live == 0) {
			replace(unit_label(UnitKind::covered, table.id), tail_label);
			drop_table(table.id);
		}
	merge_equal();
}

const char *directory_size_fault(const SketchDirectory &directory, std::uint32_t units, std::size_t segment_capacity,
	std::uint32_t unit_pages, int min_bands, int max_bands, std::size_t fence_keys) noexcept
{
	if (directory.bands < min_bands || directory.bands > max_bands)
		return "a wrong number of bands";
	if (directory.segments < 1 || directory.segments > segment_capacity || directory.tables > max_band_tables)
		return "too many segments or tables";
	if (directory.segment[0].first != 0)
		return "no first segment";
	for (std::size_t i = 0; i < directory.segments; ++i)
		if (end_of(directory, i, units) <= directory.segment[i].first && units > 0)
			return "segments out of order";
	for (std::size_t i = 0; i < directory.tables; ++i) {
		const BandTable &table = directory.table[i];
		if (table.live > 1)
			return "a table in an unknown state";
		if (table.fences != (std::uint64_t{table.leaves} + fence_keys - 1) / fence_keys || table.fences > fence_keys)
			return "a table with a wrong number of pages";
		if (table.live == 1 && table.leaves > 0 && end_of_pages(table, unit_pages) > units)
			return "a table behind the end";
	}
	return nullptr;
}

const char *directory_fault(const SketchDirectory &directory, std::uint32_t units, std::uint32_t unit_pages) noexcept
{
	for (std::size_t i = 0; i < directory.segments; ++i) {
		const std::uint32_t label = directory.segment[i].label, table = table_of(label);
		if ((kind_of(label) == UnitKind::covered || kind_of(label) == UnitKind::pages)
				? find_table(directory, table) == nullptr
				: table != 0)
			return "a segment of a missing table";
	}
	for (const std::uint32_t unit : directory.new_group)
		if (unit != ~std::uint32_t{0} && (unit >= units || !is_group(label_of(directory, unit))))
			return "a new group that does not exist";
	for (std::size_t i = 0; i < directory.tables; ++i) {
		const BandTable &table = directory.table[i];
		if (table.id == 0 || table.id > directory.last_id || find_table(directory, table.id) != &table)
			return "a table with a wrong number";
		if (table.live == 0 || table.leaves == 0)
			continue;
		const std::uint64_t end = end_of_pages(table, unit_pages);
		const std::uint32_t label = unit_label(UnitKind::pages, table.id);
		for (std::uint64_t unit = table.first; unit < end; ++unit)
			if (label_of(directory, static_cast<std::uint32_t>(unit)) != label)
				return "a table in units of others";
		if (units_with(directory, label, units) != end - table.first)
			return "a unit that belongs to no page of its table";
	}
	return directory.zero != 0 || directory.zeros != 0 ? "a number that should be zero" : nullptr;
}

} // namespace txtfp::core
