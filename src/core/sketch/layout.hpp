// The pages of an index of the access method `sketch`. docs/sketch.md draws them.
//
// A row is a TID and a signature: a fixed number of bytes that say how far two values are apart at least. Rows lie in groups of
// 1 to 4 pages. A signature consists of fields; a group holds the fields of its rows as arrays, one array for each field. The first
// page of a group has the group's header, the TIDs and the fields that every scan reads, the others have those that tell more of
// the few rows that are left.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>

namespace txtfp::core {

// The numbers stand in indexes.
enum class SketchKind : std::uint8_t { minhash64 = 1, minhash128, minhash256, simhash64, tlsh, lavinhash };

constexpr std::size_t sketch_max_fields = 16, sketch_max_pages = 4, sketch_max_signature = 512;
// Of a group on pages of up to 32 kB: rows, and words of a plane.
constexpr std::size_t sketch_max_rows = 2560, sketch_max_words = 1024;
// On every page, PostgreSQL's header before and the mark of the access method behind our data.
constexpr std::size_t sketch_page_header = 24, sketch_page_mark = 16;

// At the start of the first page of a group, behind PostgreSQL's header.
struct SketchGroupHeader {
	std::uint16_t used;  // rows 0 … used − 1 are or were in use
	std::uint16_t free;  // of them, without a row now: their TID is 0
	std::uint16_t nulls; // of them, rows whose value is NULL: their bit is set, their signature is 0
	std::uint16_t flags; // sketch_group_closed, or 0
	std::uint32_t stamp; // grows by one whenever vacuum empties rows of the group
	std::uint32_t zero;
};
static_assert(sizeof(SketchGroupHeader) == 16);
// The band directory has the rows, or is being made of them: no row may be added.
constexpr std::uint16_t sketch_group_closed = 1;

struct SketchField {
	std::uint16_t page;   // of the group
	std::uint16_t offset; // of row 0 within the page
	std::uint16_t size;   // bytes of a row
	std::uint16_t at;     // within a signature in one piece
};

struct SketchLayout {
	SketchKind kind;
	std::uint16_t pages, rows; // of a group
	std::uint16_t fields, signature_size;
	std::uint16_t nulls_offset, tids_offset; // within the first page: a bit for each row; 6 bytes for each row
	SketchField field[sketch_max_fields];
};

constexpr std::size_t sketch_tid_size = 6;

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

constexpr void add_fields(SketchLayout &layout)
{
	switch (layout.kind) {
	case SketchKind::minhash64:
	case SketchKind::minhash128:
	case SketchKind::minhash256: {
		const std::size_t plane = std::size_t{8} << (static_cast<int>(layout.kind) - 1);
		for (std::size_t i = 0; i < 16; ++i)
			add_field(layout, i / 4, plane);
		break;
	}
	case SketchKind::simhash64:
		add_field(layout, 0, 8);
		break;
	case SketchKind::tlsh: // length class, ratios, checksum, low bits and high bits of the codes
		for (const std::size_t size : {1, 1, 1, 16, 16})
			add_field(layout, 0, size);
		break;
	case SketchKind::
		lavinhash: // set bits of each 64 of the filter, of all, bytes of the structure, its nibbles by value
		for (const std::size_t size : {128, 2, 1, 16})
			add_field(layout, 0, size);
		break;
	}
}

} // namespace detail

// As many rows as fit the fullest page.
constexpr SketchLayout sketch_layout(SketchKind kind, std::size_t page_size)
{
	SketchLayout layout{};
	layout.kind = kind;
	detail::add_fields(layout);
	std::size_t bytes[sketch_max_pages] = {};
	for (std::size_t i = 0; i < layout.fields; ++i)
		bytes[layout.field[i].page] += layout.field[i].size;
	layout.pages = static_cast<std::uint16_t>(layout.field[layout.fields - 1].page + 1);
	std::size_t rows = page_size / (sketch_tid_size + bytes[0]);
	for (std::size_t page = 1; page < layout.pages; ++page)
		while (sketch_page_header + rows * bytes[page] + sketch_page_mark > page_size)
			--rows;
	while (detail::first_page_size(rows, bytes[0]) > page_size)
		--rows;
	layout.rows = static_cast<std::uint16_t>(rows);
	layout.nulls_offset = static_cast<std::uint16_t>(sketch_page_header + sizeof(SketchGroupHeader));
	layout.tids_offset = static_cast<std::uint16_t>(layout.nulls_offset + detail::null_bytes(rows));
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
