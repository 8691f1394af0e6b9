// The page layout of an index of the access method `sketch`. src/pg/sketch/README.md draws it.
//
// The index stores a TID and a signature for each row of the table. A signature is a fixed number of bytes from which a lower bound of the
// distance of two values can be computed, and a hash of each leading column, if the index has some. Rows are stored in groups of 1 to 4 pages. A signature consists of fields, and a group stores each
// field of its rows as one array (column-wise). The first page of a group holds its header, the TIDs and the fields that every scan reads.
// The other pages hold fields that refine the bounds of the rows that the first page does not exclude.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>

namespace txtfp::core {

// The numbers are stored in indexes.
enum class SketchKind : std::uint8_t {
	minhash64 = 1,
	minhash128,
	minhash256,
	simhash64,
	tlsh,
	lavinhash,
	minhash64_compact,
	minhash128_compact,
	minhash256_compact
};

constexpr std::size_t sketch_max_fields = 16, sketch_max_pages = 4, sketch_max_signature = 512; // bytes
constexpr std::size_t sketch_max_keys = 4; // leading columns of an index
// Upper bounds for a group whose pages have up to 32 kB: its rows, and the 64-bit words of one of its bit planes.
constexpr std::size_t sketch_max_rows = 2560, sketch_max_words = 1024;
// Bytes that are reserved on every page: PostgreSQL's header at the start, and the special space of the access method at the end.
constexpr std::size_t sketch_page_header = 24, sketch_page_mark = 16;

// Stored in the first page of a group, after PostgreSQL's header.
struct SketchGroupHeader {
	std::uint16_t used;  // rows 0 … used − 1 are or were in use
	std::uint16_t free;  // how many of them are empty now; the TID of an empty row is 0
	std::uint16_t nulls; // how many of them have the value NULL; their bit is set, and their signature is 0
	std::uint16_t flags; // sketch_group_closed, or 0
	std::uint32_t stamp; // incremented whenever vacuum empties rows of the group
	std::uint32_t zero;
};
static_assert(sizeof(SketchGroupHeader) == 16);
// No row may be added to the group, because a table of the band directory covers it or is being built from it.
constexpr std::uint16_t sketch_group_closed = 1;

// Sizes and offsets are in bytes.
struct SketchField {
	std::uint16_t page;   // of the group, 0 to pages − 1
	std::uint16_t offset; // of row 0 within the page
	std::uint16_t size;   // of one row
	std::uint16_t at;     // offset within a contiguous signature
};

struct SketchLayout {
	SketchKind kind;
	std::uint16_t pages, rows; // of a group
	std::uint16_t fields, signature_size;
	std::uint16_t keys; // leading columns
	std::uint16_t nulls_offset, tids_offset; // within the first page: one bit for each row; 6 bytes for each row
	std::uint16_t keys_offset;               // the same: for each leading column the hashes of all rows, 4 bytes each
	SketchField field[sketch_max_fields];
};

constexpr std::size_t sketch_tid_size = 6, sketch_key_size = 4;

namespace detail {

constexpr std::size_t null_bytes(std::size_t rows) { return (rows + 63) / 64 * 8; }

constexpr std::size_t first_page_size(std::size_t rows, std::size_t field_bytes)
{
	return sketch_page_header + sizeof(SketchGroupHeader) + null_bytes(rows) + rows * (sketch_tid_size + field_bytes) +
		sketch_page_mark;
}

constexpr void add_field(SketchLayout &layout, std::size_t page, std::size_t size)
{
	layout.field[layout.fields++] = {static_cast<std::uint16_t>(page), 0, static_cast<std::uint16_t>(size),
		static_cast<std::uint16_t>(layout.signature_size)};
	layout.signature_size = static_cast<std::uint16_t>(layout.signature_size + size);
}

// Bit planes of a MinHash sketch, four on each page. `smallest` is the kind of the same form that has 64 slots.
constexpr void add_planes(SketchLayout &layout, SketchKind smallest, std::size_t planes)
{
	const std::size_t size = std::size_t{8} << (static_cast<int>(layout.kind) - static_cast<int>(smallest));
	for (std::size_t i = 0; i < planes; ++i)
		add_field(layout, i / 4, size);
}

constexpr void add_fields(SketchLayout &layout)
{
	switch (layout.kind) {
	case SketchKind::minhash64:
	case SketchKind::minhash128:
	case SketchKind::minhash256:
		add_planes(layout, SketchKind::minhash64, 16);
		break;
	case SketchKind::minhash64_compact:
	case SketchKind::minhash128_compact:
	case SketchKind::minhash256_compact:
		add_planes(layout, SketchKind::minhash64_compact, 8);
		break;
	case SketchKind::simhash64:
		add_field(layout, 0, 8);
		break;
	case SketchKind::tlsh: // length class, ratios, checksum, low bits of the codes, high bits of the codes
		for (const std::size_t size : {1, 1, 1, 16, 16})
			add_field(layout, 0, size);
		break;
	case SketchKind::
		lavinhash: // set bits of each 64-bit word of the filter; their sum; bytes of the structure; counts of its nibbles
		for (const std::size_t size : {128, 2, 1, 16})
			add_field(layout, 0, size);
		break;
	}
}

} // namespace detail

// The layout of a kind for pages of `page_size` bytes and an index with `keys` leading columns. A group has as many rows as fit into its
// fullest page.
constexpr SketchLayout sketch_layout(SketchKind kind, std::size_t page_size, std::size_t keys = 0)
{
	SketchLayout layout{};
	layout.kind = kind;
	layout.keys = static_cast<std::uint16_t>(keys);
	detail::add_fields(layout);
	std::size_t bytes[sketch_max_pages] = {};
	for (std::size_t i = 0; i < layout.fields; ++i)
		bytes[layout.field[i].page] += layout.field[i].size;
	layout.pages = static_cast<std::uint16_t>(layout.field[layout.fields - 1].page + 1);
	const std::size_t key_bytes = sketch_key_size * keys;
	std::size_t rows = page_size / (sketch_tid_size + key_bytes + bytes[0]);
	for (std::size_t page = 1; page < layout.pages; ++page)
		while (sketch_page_header + rows * bytes[page] + sketch_page_mark > page_size)
			--rows;
	while (detail::first_page_size(rows, key_bytes + bytes[0]) > page_size)
		--rows;
	layout.rows = static_cast<std::uint16_t>(rows);
	layout.nulls_offset = static_cast<std::uint16_t>(sketch_page_header + sizeof(SketchGroupHeader));
	layout.keys_offset = static_cast<std::uint16_t>(layout.nulls_offset + detail::null_bytes(rows));
	layout.tids_offset = static_cast<std::uint16_t>(layout.keys_offset + key_bytes * rows);
	std::size_t next[sketch_max_pages] = {
		layout.tids_offset + rows * sketch_tid_size, sketch_page_header, sketch_page_header, sketch_page_header};
	for (std::size_t i = 0; i < layout.fields; ++i) {
		SketchField &field = layout.field[i];
		field.offset = static_cast<std::uint16_t>(next[field.page]);
		next[field.page] += rows * field.size;
	}
	return layout;
}

} // namespace txtfp::core
