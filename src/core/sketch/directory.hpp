// The allocation map of an index of the access method `sketch`: what each of its units is used for. It is stored in the
// metapage.
//
// A unit is as many consecutive pages as a group has. It is either a group of rows, or part of a table of the band
// directory (core/sketch/bands.hpp), or free. A table covers groups: a search finds the rows of these groups through
// the table and need not visit the groups themselves.
//
// The units are divided into segments. A segment is a run of consecutive units that have the same use, which its label
// encodes. Every change of the map is one of the functions below. They know nothing of pages, locks and logs, do not
// allocate and do not fail.
#pragma once

#include <cstddef>
#include <cstdint>

namespace txtfp::core {

constexpr std::size_t max_band_tables = 24, max_new_groups = 4;

// The label of a segment: the use of its units, and the id of the table if there is one.
//   tail     groups that no table covers
//   covered  groups that the table covers, or will cover as soon as it is complete
//   pages    pages of the table
//   free     unused
// The numbers are stored in indexes.
enum class UnitKind : std::uint32_t { tail = 0, covered = 1, pages = 2, free = 3 };
constexpr std::uint32_t table_id_bits = 30;
constexpr std::uint32_t unit_label(UnitKind kind, std::uint32_t table)
{
	return static_cast<std::uint32_t>(kind) << table_id_bits | table;
}
constexpr UnitKind kind_of(std::uint32_t label) { return static_cast<UnitKind>(label >> table_id_bits); }
constexpr std::uint32_t table_of(std::uint32_t label) { return label & ((std::uint32_t{1} << table_id_bits) - 1); }
constexpr std::uint32_t tail_label = 0, free_label = unit_label(UnitKind::free, 0);

struct SketchSegment {
	std::uint32_t first; // first unit; the segment ends where the next one begins
	std::uint32_t label;
};

struct BandTable {
	std::uint32_t id;
	std::uint32_t live;           // 1: complete; 0: under construction or abandoned, and covering nothing yet
	std::uint32_t first;          // first unit of its pages
	std::uint32_t leaves, fences; // numbers of pages
	std::uint32_t groups;         // number of groups that it was built from
	std::uint64_t items;
};

// Stored in the metapage after SketchMeta. An index without a band directory does not store it, and all its units are
// tail.
struct SketchDirectory {
	std::uint16_t bands;    // 0 only if the index has leading columns
	std::uint16_t tables;   // in use in `table`
	std::uint16_t segments; // in use in `segment`
	std::uint16_t zero;
	std::uint32_t last_id; // highest table id given so far
	std::uint32_t zeros;
	std::uint32_t new_group[max_new_groups]; // the groups added last, which writers fill; the latest first
	BandTable table[max_band_tables];
	SketchSegment segment[1]; // as many as fit into the page
};
// Bytes of a directory with this many segments.
constexpr std::size_t directory_size(std::size_t segments)
{
	return offsetof(SketchDirectory, segment) + segments * sizeof(SketchSegment);
}

// Changes a directory in place. The index has `units` units, and the directory has room for `segment_capacity`
// segments. Functions that return bool or an id return false or 0 if there is not enough room, and have then changed
// nothing.
class DirectoryEditor {
public:
	DirectoryEditor(SketchDirectory &directory, std::uint32_t units, std::size_t segment_capacity) noexcept
		: directory_(directory), units_(units), segment_capacity_(segment_capacity)
	{
	}

	std::uint32_t units() const noexcept { return units_; }

	// Makes all units tail. The last `new_groups` units, at most max_new_groups, become the new groups.
	void start(int bands, std::uint32_t new_groups = max_new_groups) noexcept;
	// Adds a group to the tail, in a free unit or at the end, and returns its unit. This never fails: the other
	// functions leave room for one more segment.
	std::uint32_t add_group() noexcept;
	// Makes a covered group tail again.
	bool uncover(std::uint32_t unit) noexcept;
	// Begins a table that will cover the first `max_groups` groups of the tail, except the new ones, and the groups
	// that the n tables `sources` cover. Returns its id.
	std::uint32_t begin_table(const std::uint32_t *sources, std::size_t n, std::uint32_t max_groups) noexcept;
	// Gives `count` consecutive units to the pages of a table, free units or new ones at the end. `first` becomes the
	// first of them.
	bool allocate(std::uint32_t id, std::uint32_t count, std::uint32_t *first) noexcept;
	// Completes a table and drops the sources: it covers the groups that begin_table chose, and those that the sources
	// cover now, except groups that have been uncovered since.
	void finish_table(std::uint32_t id, const std::uint32_t *sources, std::size_t n) noexcept;
	// Removes tables that were begun and not finished. Their groups become tail, and their pages free.
	void drop_unfinished() noexcept;

private:
	void relabel(std::uint32_t first, std::uint32_t count, std::uint32_t label) noexcept; // may add 2 segments
	void replace(std::uint32_t from, std::uint32_t to) noexcept;
	void relabel_tail(std::uint32_t max_groups, std::uint32_t label) noexcept;
	void drop_table(std::uint32_t id) noexcept;
	void merge_equal() noexcept;
	bool has_room(std::size_t more) const noexcept { return directory_.segments + more + 1 <= segment_capacity_; }

	SketchDirectory &directory_;
	std::uint32_t units_;
	std::size_t segment_capacity_;
};

// The index of the segment that contains a unit, which must be one of the index.
std::size_t segment_of(const SketchDirectory &directory, std::uint32_t unit) noexcept;
inline std::uint32_t label_of(const SketchDirectory &directory, std::uint32_t unit) noexcept
{
	return directory.segment[segment_of(directory, unit)].label;
}
const BandTable *find_table(const SketchDirectory &directory, std::uint32_t id) noexcept; // nullptr: there is none
// True for groups that no complete table covers: every search must visit them.
bool is_uncovered(const SketchDirectory &directory, std::uint32_t label) noexcept;
inline bool is_group(std::uint32_t label) noexcept { return kind_of(label) <= UnitKind::covered; }
std::uint32_t uncovered_groups(const SketchDirectory &directory, std::uint32_t units) noexcept;

// Checks what searches and changes of a directory rely on: that no number leads beyond an array or a page. A page of
// fences has room for `fence_keys` keys. Returns a description of the first violation as a static string, or nullptr.
const char *directory_size_fault(const SketchDirectory &directory, std::uint32_t units, std::size_t segment_capacity,
	std::uint32_t unit_pages, int min_bands, int max_bands, std::size_t fence_keys) noexcept;
// Checks the other invariants, given a directory without such a violation. Returns a description of the first violation
// as a static string, or nullptr.
const char *directory_fault(const SketchDirectory &directory, std::uint32_t units, std::uint32_t unit_pages) noexcept;

} // namespace txtfp::core
