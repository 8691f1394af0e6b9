// What the units of an index of the access method `sketch` are for: a unit is the pages of a group, or as many pages of a table of the band
// directory. The metapage has it. A table covers groups: a search finds their rows through it and need not look at the groups
// themselves.
//
// The units are cut into segments, each with a label. Every change of them is one of the functions below, which know nothing of
// pages, locks and logs.
#pragma once

#include <cstddef>
#include <cstdint>

namespace txtfp::core {

constexpr std::size_t max_band_tables = 24, max_new_groups = 4;

// A label: what kind of unit it is, and of which table.
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
	std::uint32_t first; // unit; the next segment's is its end
	std::uint32_t label;
};

struct BandTable {
	std::uint32_t id;
	std::uint32_t live; // 1; 0: it is being built, or was when something went wrong, and covers nothing yet
	std::uint32_t first, leaves, fences; // unit; pages
	std::uint32_t groups;                // that it was made of
	std::uint64_t items;
};

// In the metapage, behind the rest. Without a directory it is not there, and all units are tail.
struct SketchDirectory {
	std::uint16_t bands;
	std::uint16_t tables;
	std::uint16_t segments;
	std::uint16_t zero;
	std::uint32_t last_id; // of a table
	std::uint32_t zeros;
	std::uint32_t new_group[max_new_groups]; // the last ones added, which writers fill: the latest first
	BandTable table[max_band_tables];
	SketchSegment segment[1]; // as many as fit
};
constexpr std::size_t directory_size(std::size_t segments)
{
	return offsetof(SketchDirectory, segment) + segments * sizeof(SketchSegment);
}

// Changes a directory in place, of `units` units, with room for so many segments. Where there is not enough room, false, and nothing has
// changed.
class DirectoryEditor {
public:
	DirectoryEditor(SketchDirectory &directory, std::uint32_t units, std::size_t room) noexcept
		: directory_(directory), units_(units), room_(room)
	{
	}

	std::uint32_t units() const noexcept { return units_; }

	// All units are tail, the last `fresh` ones new: at most max_new_groups.
	void start(int bands, std::uint32_t fresh = max_new_groups) noexcept;
	// A new group of the tail, of a free unit or behind the end. Always possible: a place is kept for it.
	std::uint32_t add_group() noexcept;
	// A group that a table covers becomes tail.
	bool uncover(std::uint32_t unit) noexcept;
	// A table that is to be made of the first `most` groups of the tail without the new ones, and of what the tables `sources` cover. Returns
	// its id, 0 without room.
	std::uint32_t begin_table(const std::uint32_t *sources, std::size_t n, std::uint32_t most) noexcept;
	// Units for its pages, free ones or behind the end; the first of them in `first`.
	bool allocate(std::uint32_t id, std::uint32_t count, std::uint32_t *first) noexcept;
	// It is ready: covers what was tail then and still is, and what the sources cover now, which are dropped.
	void finish_table(std::uint32_t id, const std::uint32_t *sources, std::size_t n) noexcept;
	// What became of it is undone.
	void drop_unfinished() noexcept;

private:
	void relabel(std::uint32_t first, std::uint32_t count, std::uint32_t label) noexcept; // room: 2 segments
	void replace(std::uint32_t from, std::uint32_t to) noexcept;
	void take_tail(std::uint32_t most, std::uint32_t label) noexcept;
	void drop_table(std::uint32_t id) noexcept;
	void merge_equal() noexcept;
	bool has_room(std::size_t more) const noexcept { return directory_.segments + more + 1 <= room_; }

	SketchDirectory &directory_;
	std::uint32_t units_;
	std::size_t room_;
};

// Of a unit below `units`.
std::size_t segment_of(const SketchDirectory &directory, std::uint32_t unit) noexcept;
inline std::uint32_t label_of(const SketchDirectory &directory, std::uint32_t unit) noexcept
{
	return directory.segment[segment_of(directory, unit)].label;
}
const BandTable *find_table(const SketchDirectory &directory, std::uint32_t id) noexcept; // nullptr: none
// Must searches look at the units themselves?
bool is_uncovered(const SketchDirectory &directory, std::uint32_t label) noexcept;
inline bool is_group(std::uint32_t label) noexcept { return kind_of(label) <= UnitKind::covered; }
bool is_new_group(const SketchDirectory &directory, std::uint32_t unit) noexcept;
std::uint32_t uncovered_groups(const SketchDirectory &directory, std::uint32_t units) noexcept;

// The first thing that is wrong with it, or nullptr.
const char *directory_fault(const SketchDirectory &directory, std::uint32_t units, std::size_t room,
	std::uint32_t unit_pages, int max_bands) noexcept;

} // namespace txtfp::core
