// The segmentation of lindera (github.com/lindera/lindera 3.0.7, mode "normal"), with the dictionaries of MeCab.
//
// A text is cut after every LF, TAB, U+3002 and U+3001; each piece is a lattice. Its edges are the words of the lexicon
// and unknown words, by rules that differ from MeCab's. The path of least cost is computed from left to right: the cost
// of an edge is the least cost of an edge that ends where it begins, plus the cost of the connection and its own; of
// equal ones the edge that was added first wins. Edges are added in the order of their begin; at one place the longest
// words first, and lexicon words before unknown ones.
//
// Two things are done differently from lindera, with the same result: of the edges that end at one place with the same
// connections only the best is used, and paths that cannot be continued are dropped while the lattice grows. One thing
// changes the result: costs have 64 bits, not 32, so a piece of a million characters and more also has its tokens.
//
// Memory: 12 bytes per character of the longest piece, and 24 per edge that a path may still use.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/dictionary.hpp"
#include "core/segmenter.hpp"
#include "core/trie.hpp"

namespace txtfp::cjk {

struct LatticeRow {
	std::uint16_t left, right; // connection ids on either side: a row and a column of the matrix
	std::int16_t cost;
};

struct LatticeCategory {
	std::uint16_t invoke; // 1: adds an unknown word even if the lexicon has a word
	std::uint16_t group;  // 1: the unknown word has all following characters of the category
	std::uint16_t first_row, rows;
};

struct LatticeCategorySet {
	static constexpr std::size_t max_categories = 6;

	std::uint8_t is_space, count; // is_space: the character is skipped if its word has only such characters
	std::uint8_t categories[max_categories];
};

constexpr std::size_t lattice_longest_word = 256; // characters; more than any dictionary has

struct LatticeDictionary {
	enum Sections {
		section_pages,
		section_entries,
		section_nodes,
		section_rows,
		section_matrix,
		section_sets,
		section_categories,
		section_unknown_rows
	};
	enum Parameters { parameter_matrix_rows, parameter_matrix_columns, parameter_begin, parameter_end };

	LatticeDictionary() = default;
	explicit LatticeDictionary(const Dictionary &file) noexcept;

	CharacterTable characters{}; // the upper 16 bits of an entry: category set
	Trie trie; // value: first row · 256 + number of rows; rows are in the order in which edges are added
	const LatticeRow *rows = nullptr;
	const std::int16_t *matrix = nullptr; // [left of the right word][right of the left word]
	const LatticeCategorySet *sets = nullptr;
	const LatticeCategory *categories = nullptr;
	const LatticeRow *unknown_rows = nullptr;
	std::size_t matrix_rows = 0, matrix_columns = 0;
	std::uint16_t begin = 0, end = 0; // connections at the beginning and the end of the text
};

class Lattice final : public Segmenter {
public:
	explicit Lattice(const LatticeDictionary &dictionary);

	// For tests: looks for edges to drop whenever their number has grown by this many.
	void set_edge_limit(std::size_t edges) noexcept { edge_limit_ = first_edge_limit_ = edges; }

protected:
	std::size_t unit(std::string_view text, bool last) const noexcept override;
	void cut(std::string_view unit, const core::StopToken &stop) override;
	void trim() noexcept override
	{
		Segmenter::trim(entries_);
		Segmenter::trim(ends_);
		Segmenter::trim(edges_);
		Segmenter::trim(renumbered_);
		Segmenter::trim(path_);
		Segmenter::trim(lefts_);
	}

private:
	using Index = std::uint32_t;
	static constexpr Index none = 0xFFFFFFFF;

	struct Edge {
		std::int64_t cost; // cost of the best path up to its end
		Index start;       // character
		Index left;        // the edge before it on this path
		Index next;        // another edge with the same end
		std::uint16_t right;
	};
	struct Left { // an edge that ends where edges are about to begin
		std::int64_t cost;
		Index edge;
		std::uint16_t right;
	};
	static constexpr std::int64_t never = std::int64_t{1} << 62;
	struct Seen {
		std::uint64_t place; // place at which an edge with this connection ends
		Index left;          // the edge, an index of lefts_
	};
	struct BestLeft {
		std::uint64_t place; // place for which it was computed
		std::int64_t cost;
		Index edge;
	};
	struct Run { // run of characters whose k-th category is the same
		Index begin = 0, end = 0;
	};

	void read(std::string_view piece, const core::StopToken &stop);
	void gather(Index end);
	bool add_words(Index start);
	Index add_unknown(Index start, bool found_word);
	Index run_end(Index start, std::size_t k, unsigned category);
	void add(Index start, Index end, const LatticeRow &row);
	const BestLeft &best_left(std::uint16_t connection);
	void put(Index end, std::int64_t cost, Index start, Index left, std::uint16_t right);
	void forget(Index from);
	Index keep_reachable(Index from);
	void emit_path(Index last, Index end);

	const LatticeCategorySet &set_of(Index character) const noexcept
	{
		return dictionary_.sets[entries_[character] >> 16];
	}

	LatticeDictionary dictionary_;
	std::size_t first_edge_limit_ = 1 << 15, edge_limit_ = first_edge_limit_;

	std::string_view piece_;
	std::size_t emitted_bytes_ = 0; // emitted bytes of the piece; below the same in characters
	Index emitted_ = 0;
	std::vector<std::uint32_t> entries_; // one per character of the piece
	struct Ends {
		Index first, last; // edges that end here, in the order in which they were added
	};
	std::vector<Ends> ends_;
	Index furthest_ = 0; // edges reach up to here
	std::vector<Edge> edges_;
	std::vector<Index> renumbered_, path_;
	std::vector<Left> lefts_;
	std::vector<BestLeft> best_lefts_; // indexed by connection to the left
	std::vector<Seen> seen_;           // indexed by connection to the right
	std::uint64_t place_ = 0;
	Run runs_[LatticeCategorySet::max_categories];
};

} // namespace txtfp::cjk
