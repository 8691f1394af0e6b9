// The page layout of an index of the access method `sketch`. src/core/sketch/README.md has the table.
//
// The index stores a TID and a signature for each row of the table. A signature is a fixed number of bytes from which a
// lower bound of the distance of two values can be computed, and a hash of each leading column, if the index has some.
// Rows are stored in groups of 1 to 8 pages. A signature consists of fields, and a group stores each field of its rows
// as one array (column-wise). The first page of a group holds its header, the TIDs and the fields that every scan
// reads.
// The other pages hold fields that refine the bounds of the rows that the first page does not exclude.
//
// A set of terms has a signature of many bits, where each term sets some, and the number of the terms. The
// bits are stored in planes. A plane has the same bit of all rows of the group, so that a search reads the planes of the
// probe's terms and no others. A plane is a whole number of cache lines.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
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
	minhash256_compact,
	terms
};

// How signatures are compared (core/sketch/matcher.hpp): their fields are bit planes, and rows differ in some of them; a
// digest; counts of a filter; or sets of terms.
enum class SignatureWay { planes, digest, filter, terms };

constexpr std::size_t sketch_max_fields = 16, sketch_max_pages = 8, sketch_max_signature = 512; // bytes
constexpr std::size_t sketch_max_keys = 4; // leading columns of an index
// Of a group of sets of terms. Five pages have 565 bits for each row, and each further page 126 more.
constexpr std::size_t terms_min_pages = 2, terms_default_pages = 5, terms_max_pages = sketch_max_pages;
// Upper bounds for a group whose pages have up to 32 kB: its rows, and the 64-bit words of one of its bit planes.
constexpr std::size_t sketch_max_rows = 2560, sketch_max_words = 1024;
// Bytes that are reserved on every page: PostgreSQL's header at the start, and the special space of the access method
// at the end.
constexpr std::size_t sketch_page_header = 24, sketch_page_mark = 16;

// Stored in the first page of a group, after PostgreSQL's header.
struct SketchGroupHeader {
	std::uint16_t used;        // rows 0 … used − 1 are or were in use
	std::uint16_t free;        // how many of them are empty now; the TID of an empty row is 0
	std::uint16_t nulls;       // how many of them have the value NULL; their bit is set, and their signature is 0
	std::uint16_t flags;       // sketch_group_closed, or 0
	std::uint32_t stamp;       // incremented whenever vacuum empties rows of the group
	std::uint16_t least, most; // of sets of terms: no row has, or had, fewer or more terms; otherwise 0
};
static_assert(sizeof(SketchGroupHeader) == 16);
// No row may be added to the group, because a table of the band directory covers it or is being built from it.
constexpr std::uint16_t sketch_group_closed = 1;

// What an index stores of the values of a kind.
struct SignatureKind {
	SketchKind number;
	SignatureWay way;
	bool is_exact;    // the final bound is the distance
	bool one_by_one;  // bounds are computed row by row, which takes longer
	int max_distance; // the greatest distance of this kind
	std::uint16_t fields;
	std::uint16_t sizes[sketch_max_fields]; // of the fields, in bytes; of planes each page has four
};

constexpr std::size_t fields_of_page = 4; // planes

namespace detail {

// `planes` bit planes of slots.
constexpr SignatureKind minhash_signature_kind(SketchKind number, int slots, std::uint16_t planes)
{
	SignatureKind kind{number, SignatureWay::planes, planes == 8, false, slots, planes, {}};
	for (std::size_t i = 0; i < planes; ++i)
		kind.sizes[i] = static_cast<std::uint16_t>(slots / 8);
	return kind;
}

} // namespace detail

inline constexpr SignatureKind signature_kinds[] = {
	detail::minhash_signature_kind(SketchKind::minhash64, 64, 16),
	detail::minhash_signature_kind(SketchKind::minhash128, 128, 16),
	detail::minhash_signature_kind(SketchKind::minhash256, 256, 16),
	{SketchKind::simhash64, SignatureWay::planes, true, false, 64, 1, {8}},
	// length class, ratios, checksum, low bits of the codes, high bits of the codes
	{SketchKind::tlsh, SignatureWay::digest, true, false, 2473, 5, {1, 1, 1, 16, 16}},
	// set bits of each 64-bit word of the filter; their sum; bytes of the structure; counts of its nibbles
	{SketchKind::lavinhash, SignatureWay::filter, false, true, 100, 4, {128, 2, 1, 16}},
	detail::minhash_signature_kind(SketchKind::minhash64_compact, 64, 8),
	detail::minhash_signature_kind(SketchKind::minhash128_compact, 128, 8),
	detail::minhash_signature_kind(SketchKind::minhash256_compact, 256, 8),
	{SketchKind::terms, SignatureWay::terms, false, false, 1024, 1, {2}}, // the number of terms
};
constexpr const SignatureKind &signature_kind(SketchKind number)
{
	return signature_kinds[static_cast<std::size_t>(number) - 1];
}

// Sizes and offsets are in bytes.
struct SketchField {
	std::uint16_t page;   // of the group, 0 to pages − 1
	std::uint16_t offset; // of row 0 within the page
	std::uint16_t size;   // of one row
	std::uint16_t at;     // offset within a contiguous signature
};

struct SketchLayout {
	const SignatureKind *kind;
	std::uint16_t pages, rows; // of a group
	std::uint16_t fields, signature_size;
	std::uint16_t keys;                      // leading columns
	std::uint16_t nulls_offset, tids_offset; // within the first page: one bit for each row; 6 bytes for each row
	std::uint16_t keys_offset;               // the same: for each leading column the hashes of all rows, 4 bytes each
	SketchField field[sketch_max_fields];
	// Of sets of terms: the last bytes of the signature are stored by bit. A plane has one bit of all rows.
	std::uint16_t planes;                         // 0: there are none
	std::uint16_t plane_size;                     // a bit for each row
	std::uint16_t plane_limit[sketch_max_pages];  // planes below the number are on this page or one before it
	std::uint16_t plane_offset[sketch_max_pages]; // of the first plane on the page
};

constexpr std::size_t sketch_tid_size = 6, sketch_key_size = 4;

// The greatest number of units of an index: its blocks have numbers of 32 bits, and so have the entries of a directory,
// row + rows · group, where the greatest number stays free.
constexpr std::uint32_t sketch_most_units(const SketchLayout &layout, bool has_directory)
{
	constexpr std::uint32_t most = 0xFFFFFFFE;
	const std::uint32_t by_blocks = most / layout.pages - 1, by_entries = most / layout.rows;
	return has_directory && by_entries < by_blocks ? by_entries : by_blocks;
}

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

// Kernels read whole vectors, and so up to this many bytes beyond a plane.
constexpr std::size_t plane_slack = 64, cache_line = 64;

// Fills the pages with planes.
constexpr void place_planes(SketchLayout &layout, std::size_t page_size, std::size_t first_end)
{
	std::size_t placed = 0;
	for (std::size_t page = 0; page < layout.pages; ++page) {
		const std::size_t used = page == 0 ? first_end : sketch_page_header, end = page_size - plane_slack;
		const std::size_t begin = (used + cache_line - 1) / cache_line * cache_line;
		layout.plane_offset[page] = static_cast<std::uint16_t>(begin);
		placed += begin < end ? (end - begin) / layout.plane_size : 0;
		layout.plane_limit[page] = static_cast<std::uint16_t>(placed);
	}
	layout.planes = static_cast<std::uint16_t>(placed);
}

// Sets of terms: as many rows as a plane of one cache line has bits, on pages of 8 kB; leading columns may take their
// room. All room that is left is for planes.
constexpr void add_term_planes(SketchLayout &layout, std::size_t page_size, std::size_t key_bytes, std::size_t pages)
{
	layout.pages = static_cast<std::uint16_t>(pages);
	const std::size_t row = key_bytes + layout.field[0].size;
	std::size_t rows = page_size / 16;
	while (first_page_size(rows, row) + plane_slack > page_size)
		rows /= 2;
	layout.rows = static_cast<std::uint16_t>(rows);
	layout.plane_size = static_cast<std::uint16_t>(rows / 8);
	place_planes(layout, page_size, first_page_size(rows, row) - sketch_page_mark);
	layout.signature_size = static_cast<std::uint16_t>(layout.signature_size + (layout.planes + 7) / 8);
}

} // namespace detail

// The layout of a kind for pages of `page_size` bytes and an index with `keys` leading columns. A group has as many
// rows as fit into its fullest page. Groups of sets of terms have `term_pages` pages.
constexpr SketchLayout sketch_layout(const SignatureKind &kind, std::size_t page_size, std::size_t keys = 0,
	std::size_t term_pages = terms_default_pages)
{
	SketchLayout layout{};
	layout.kind = &kind;
	layout.keys = static_cast<std::uint16_t>(keys);
	for (std::size_t i = 0; i < kind.fields; ++i)
		detail::add_field(layout, kind.way == SignatureWay::planes ? i / fields_of_page : 0, kind.sizes[i]);
	std::size_t bytes[sketch_max_pages] = {};
	for (std::size_t i = 0; i < layout.fields; ++i)
		bytes[layout.field[i].page] += layout.field[i].size;
	layout.pages = static_cast<std::uint16_t>(layout.field[layout.fields - 1].page + 1);
	const std::size_t key_bytes = sketch_key_size * keys;
	if (kind.way == SignatureWay::terms)
		detail::add_term_planes(layout, page_size, key_bytes, term_pages);
	std::size_t rows = page_size / (sketch_tid_size + key_bytes + bytes[0]);
	for (std::size_t page = 1; page < layout.pages && layout.planes == 0; ++page)
		while (sketch_page_header + rows * bytes[page] + sketch_page_mark > page_size)
			--rows;
	while (detail::first_page_size(rows, key_bytes + bytes[0]) > page_size)
		--rows;
	if (layout.planes > 0)
		rows = layout.rows;
	layout.rows = static_cast<std::uint16_t>(rows);
	layout.nulls_offset = static_cast<std::uint16_t>(sketch_page_header + sizeof(SketchGroupHeader));
	layout.keys_offset = static_cast<std::uint16_t>(layout.nulls_offset + detail::null_bytes(rows));
	layout.tids_offset = static_cast<std::uint16_t>(layout.keys_offset + key_bytes * rows);
	std::size_t next[sketch_max_pages] = {layout.tids_offset + rows * sketch_tid_size};
	for (std::size_t page = 1; page < sketch_max_pages; ++page)
		next[page] = sketch_page_header;
	for (std::size_t i = 0; i < layout.fields; ++i) {
		SketchField &field = layout.field[i];
		field.offset = static_cast<std::uint16_t>(next[field.page]);
		next[field.page] += rows * field.size;
	}
	return layout;
}

constexpr SketchLayout sketch_layout(
	SketchKind kind, std::size_t page_size, std::size_t keys = 0, std::size_t term_pages = terms_default_pages)
{
	return sketch_layout(signature_kind(kind), page_size, keys, term_pages);
}

// Where the arrays of a group are. An index stores it, because a later version may place them differently. What a
// signature consists of belongs to the kind, and so does the page that has a field.
struct SketchPlaces {
	std::uint16_t rows; // of a group
	std::uint16_t nulls_offset, tids_offset, keys_offset;
	std::uint16_t fields_offset[sketch_max_pages]; // of the first field of each page, which the others follow
};

constexpr SketchPlaces places_of(const SketchLayout &layout)
{
	SketchPlaces places{layout.rows, layout.nulls_offset, layout.tids_offset, layout.keys_offset, {}};
	for (std::size_t i = layout.fields; i-- > 0;)
		places.fields_offset[layout.field[i].page] = layout.field[i].offset;
	return places;
}

// Sets the places of a layout. False if arrays would overlap or not lie within their page, or a buffer for the rows of
// a group would be too small. Planes of sets of terms stay where they are.
constexpr bool set_places(SketchLayout &layout, const SketchPlaces &places, std::size_t page_size)
{
	const std::size_t rows = places.rows, first = sketch_page_header + sizeof(SketchGroupHeader);
	if (rows == 0 || rows > sketch_max_rows || rows * layout.field[0].size > 8 * sketch_max_words ||
		(layout.planes > 0 && rows != layout.rows))
		return false;
	const auto fits = [&](std::size_t offset, std::size_t size, std::size_t least) {
		return offset >= least && offset + size + sketch_page_mark <= page_size;
	};
	if (!fits(places.nulls_offset, detail::null_bytes(rows), first) ||
		!fits(places.tids_offset, rows * sketch_tid_size, first) || places.tids_offset % 2 != 0 ||
		!fits(places.keys_offset, rows * sketch_key_size * layout.keys, first))
		return false;
	std::size_t next[sketch_max_pages] = {}, first_fields = 0;
	for (std::size_t page = 0; page < sketch_max_pages; ++page)
		next[page] = places.fields_offset[page];
	for (std::size_t i = 0; i < layout.fields; ++i)
		first_fields += layout.field[i].page == 0 ? rows * layout.field[i].size : 0;
	const std::size_t begin[] = {places.nulls_offset, places.tids_offset, places.keys_offset, places.fields_offset[0]};
	const std::size_t size[] = {
		detail::null_bytes(rows), rows * sketch_tid_size, rows * sketch_key_size * layout.keys, first_fields};
	for (std::size_t a = 0; a < 4; ++a)
		for (std::size_t b = 0; b < 4; ++b)
			if (a != b && size[a] > 0 && size[b] > 0 && begin[a] <= begin[b] && begin[a] + size[a] > begin[b])
				return false;
	for (std::size_t i = 0; i < layout.fields; ++i) {
		SketchField &field = layout.field[i];
		if (!fits(next[field.page], rows * field.size, field.page == 0 ? first : sketch_page_header))
			return false;
		field.offset = static_cast<std::uint16_t>(next[field.page]);
		next[field.page] += rows * field.size;
	}
	layout.rows = places.rows;
	layout.nulls_offset = places.nulls_offset;
	layout.tids_offset = places.tids_offset;
	layout.keys_offset = places.keys_offset;
	return true;
}

// The page that has a plane, and the plane's offset.
struct PlanePlace {
	std::size_t page, offset;
};
constexpr PlanePlace plane_place(const SketchLayout &layout, std::size_t plane)
{
	std::size_t page = 0;
	while (plane >= layout.plane_limit[page])
		++page;
	const std::size_t first = page == 0 ? 0 : layout.plane_limit[page - 1];
	return {page, layout.plane_offset[page] + (plane - first) * layout.plane_size};
}
constexpr std::size_t planes_at(const SketchLayout &layout)
{
	return layout.signature_size - (layout.planes + std::size_t{7}) / 8;
}

// Reads the signature of one row from the pages of its group. page_of(number) is a page.
template <class PageOf>
void read_signature(const SketchLayout &layout, PageOf page_of, std::size_t row, std::uint8_t *signature)
{
	for (std::size_t i = 0; i < layout.fields; ++i) {
		const SketchField &field = layout.field[i];
		std::memcpy(signature + field.at, page_of(field.page) + field.offset + row * field.size, field.size);
	}
	if (layout.planes == 0)
		return;
	std::uint8_t *bits = signature + planes_at(layout);
	std::memset(bits, 0, layout.signature_size - planes_at(layout));
	for (std::size_t plane = 0, page = 0; page < layout.pages; ++page) {
		const std::uint8_t *at = page_of(page) + layout.plane_offset[page] + row / 8;
		for (; plane < layout.plane_limit[page]; ++plane, at += layout.plane_size)
			bits[plane / 8] = static_cast<std::uint8_t>(bits[plane / 8] | (*at >> row % 8 & 1) << plane % 8);
	}
}

// Calls put(page, offset, bytes, size) for each field of a row's signature.
template <class Put>
void write_fields(const SketchLayout &layout, std::size_t row, const std::uint8_t *signature, Put put)
{
	for (std::size_t i = 0; i < layout.fields; ++i) {
		const SketchField &field = layout.field[i];
		put(std::size_t{field.page}, field.offset + row * field.size, signature + field.at, std::size_t{field.size});
	}
}

// The same for each piece of a row's signature. A byte of a plane has the bits of eight
// rows, and is put only if it changes.
template <class PageOf, class Put>
void write_signature(
	const SketchLayout &layout, PageOf page_of, std::size_t row, const std::uint8_t *signature, Put put)
{
	write_fields(layout, row, signature, put);
	if (layout.planes == 0)
		return;
	const std::uint8_t *bits = signature + planes_at(layout);
	for (std::size_t plane = 0, page = 0; page < layout.pages; ++page) {
		std::size_t offset = layout.plane_offset[page] + row / 8;
		const std::uint8_t *bytes = page_of(page);
		for (; plane < layout.plane_limit[page]; ++plane, offset += layout.plane_size) {
			const auto wanted = static_cast<std::uint8_t>(bits[plane / 8] >> plane % 8 & 1);
			const auto changed = static_cast<std::uint8_t>(bytes[offset] ^ 1 << row % 8);
			if ((bytes[offset] >> row % 8 & 1) != wanted)
				put(page, offset, &changed, std::size_t{1});
		}
	}
}

// Sets the bits of a row in the planes of a new group, where they are 0.
template <class PageOf>
void set_planes(const SketchLayout &layout, PageOf page_of, std::size_t row, const std::uint8_t *signature)
{
	const std::uint8_t *bits = signature + planes_at(layout);
	const std::size_t size = layout.signature_size - planes_at(layout);
	std::size_t page = 0, first = 0;
	std::uint8_t *at = page_of(page) + layout.plane_offset[page] + row / 8;
	const auto bit = static_cast<std::uint8_t>(1 << row % 8);
	for (std::size_t begin = 0; begin < size; begin += 8) {
		std::uint64_t word = 0;
		std::memcpy(&word, bits + begin, size - begin < 8 ? size - begin : 8);
		if constexpr (std::endian::native == std::endian::big)
			word = __builtin_bswap64(word);
		for (; word != 0; word &= word - 1) {
			const std::size_t plane = 8 * begin + static_cast<std::size_t>(std::countr_zero(word));
			for (; plane >= layout.plane_limit[page]; at = page_of(page) + layout.plane_offset[page] + row / 8)
				first = layout.plane_limit[page++];
			std::uint8_t &byte = at[(plane - first) * layout.plane_size];
			byte = static_cast<std::uint8_t>(byte | bit);
		}
	}
}

} // namespace txtfp::core
