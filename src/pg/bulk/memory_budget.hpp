// How the bulk functions divide maintenance_work_mem. What does not fit into its share goes to temporary files.
//
//   share of 32   near_duplicate_pairs, near_duplicate_clusters, deduplicate of sketches
//   10            the sketches, read again while pairs are verified
//    8            the band keys, before they are sorted
//    4            the sort of a part of them
//    4            the rows of one bucket that are cut further (scratch)
//    2            the ids
//    2            texts and priorities
//    1            the rows that may have equal sketches
//    1            the names of groups, and buffers of one row
//
// Band keys that do not fit are in a file before the first bucket is made; their share then serves the sort of a part
// of them, and the sketches that are read together. If the file of the sketches exceeds the cache of the operating
// system and few of them fit into their share, it serves those that are read together, too. Where there are two queries, the keys of
// the first are known while the second is read, in memory that sort and scratch use later.
//
// Embeddings put their vectors where sketches have theirs and the band keys, and use a little less. Ids are ranked
// before the sort's share is needed, so they use that. Numbers of 4 or 8 bytes per row come on top
// (docs/reference_bulk.md states them).
#pragma once

#include <cstddef>

namespace txtfp::pg {

enum class Share : std::size_t { // of 32
	sketches = 10,
	bands = 8,
	sort = 4,
	scratch = 4,
	ids = 2,
	texts = 2,
	equal_rows = 1,
	row = 1,

	vectors = 16,    // of embeddings, instead of sketches
	codes = 8,       // of embeddings that are joined exactly
	key_filter = 8,  // while the rows of a second query are read; the sort's share and scratch
	bands_sort = 8,  // half of the bands' share, and the sort's
	batch = 4,       // the other half
	file_batch = 14, // the same and the sketches' share, if all sketches are in a file that exceeds the cache
	group_names = row,
	decided_ids = row,
	ranks = sort,       // while ids are ranked; the sort comes later
	kept_rows = bands,  // of deduplicate: the bands were read before
	passage_rows = 8,   // passage_pairs: rows by fingerprint; it uses `ids`, `ranks` and `sort`, too
	passage_values = 8, // the fingerprints, read again while pairs are counted
	passage_offsets = 2,
	passage_pairs = 4,
	counted_rows = 16, // frequent_passages: documents by fingerprint, and their sort
	counted_sort = 16,
	repeats = 24, // deduplicate_passages, beside `ids`, `texts` and `row`; `ranks` come before
	string_terms =
		11, // similar_string_pairs: trigrams as strings arrive; in the order of their number; the index, when the first are free
	string_sets = 12,
	string_index = 15,
	component_ids = 16, // connected_components has only ids and links
	component_ranks = 8,
};

constexpr std::size_t sum_of(Share share) { return static_cast<std::size_t>(share); }
template <class... Shares> constexpr std::size_t sum_of(Share first, Shares... rest)
{
	return sum_of(first) + sum_of(rest...);
}
static_assert(sum_of(Share::sketches, Share::bands, Share::sort, Share::scratch, Share::ids, Share::texts,
				  Share::equal_rows, Share::row) == 32);
static_assert(sum_of(Share::key_filter) <= sum_of(Share::sort, Share::scratch));
static_assert(sum_of(Share::bands_sort, Share::batch) <= sum_of(Share::bands, Share::sort));
static_assert(sum_of(Share::file_batch) == sum_of(Share::batch, Share::sketches));
static_assert(sum_of(Share::vectors, Share::codes, Share::sort, Share::ids, Share::texts) <= 32);
static_assert(sum_of(Share::passage_rows, Share::passage_values, Share::passage_offsets, Share::passage_pairs,
				  Share::sort, Share::ids) <= 32);
static_assert(sum_of(Share::repeats, Share::ids, Share::texts, Share::row) <= 32);
static_assert(sum_of(Share::counted_rows, Share::counted_sort) <= 32);
static_assert(
	sum_of(Share::string_terms, Share::string_sets, Share::ranks, Share::ids, Share::texts, Share::row) <= 32);
static_assert(sum_of(Share::string_index, Share::string_sets, Share::ids, Share::texts, Share::row) <= 32);
static_assert(sum_of(Share::component_ids, Share::component_ranks) <= 32);

// Bytes.
constexpr std::size_t share_of(std::size_t maintenance_work_mem, Share share)
{
	return maintenance_work_mem / 32 * static_cast<std::size_t>(share);
}

} // namespace txtfp::pg
