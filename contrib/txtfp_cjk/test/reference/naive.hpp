// The segmenters implemented directly from their definitions, as references for the fast ones: words in a std::map,
// whole tables, no pruning, the whole text at once.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/jieba.hpp"
#include "core/lattice.hpp"

namespace txtfp::test {

using Strings = std::vector<std::string>;

template <class Value> using Lexicon = std::unordered_map<std::u32string, Value>;

// The words in a double array: each node's parent is its check.
Lexicon<std::uint32_t> words_of(const cjk::CharacterTable &characters, std::span<const cjk::TrieNode> nodes);

class NaiveJieba {
public:
	explicit NaiveJieba(const cjk::Dictionary &file);
	Strings cut(std::string_view text, bool with_model) const;

private:
	void cut_block(const std::u32string &block, bool with_model, Strings &out) const;
	void cut_unknown(const std::u32string &run, Strings &out) const;
	void viterbi(const std::u32string &run, Strings &out) const;

	cjk::JiebaDictionary dictionary_;
	Lexicon<double> weights_;
};

class NaiveLattice {
public:
	explicit NaiveLattice(const cjk::Dictionary &file);
	Strings cut(std::string_view text) const;

private:
	struct Edge {
		std::size_t start;
		std::int64_t cost;
		std::uint16_t right;
		std::size_t left; // index among the edges that end at start
	};
	using Ends = std::vector<std::vector<Edge>>;

	void cut_piece(const std::u32string &piece, Strings &out) const;
	void add(Ends &ends, std::size_t start, std::size_t end, const cjk::LatticeRow &row) const;
	const cjk::LatticeCategorySet &set(char32_t c) const { return dictionary_.sets[dictionary_.characters[c] >> 16]; }

	cjk::LatticeDictionary dictionary_;
	Lexicon<std::vector<cjk::LatticeRow>> rows_;
};

} // namespace txtfp::test
