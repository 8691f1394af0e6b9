#include "reference/naive.hpp"

#include <array>
#include <limits>
#include <utility>

#include "core/text/utf8.hpp"

namespace txtfp::test {

using namespace cjk;

namespace {

std::u32string decoded(std::string_view text)
{
	std::u32string out;
	for (const char *p = text.data(), *const end = p + text.size(); p < end;) {
		const core::Decoded c = core::decode(p, end);
		out.push_back(c.code_point);
		p += c.length;
	}
	return out;
}

std::string encoded(std::u32string_view text)
{
	std::string out;
	for (const char32_t c : text)
		core::append(out, c);
	return out;
}

void emit(std::u32string_view token, Strings &out)
{
	bool white = true;
	for (const char32_t c : token)
		white = white && is_white_space(c);
	if (!white)
		out.push_back(encoded(token));
}

bool is_letter_or_digit(char32_t c) { return c < 0x80 && is_ascii_letter_or_digit(static_cast<char>(c)); }
bool is_digit(char32_t c) { return c >= '0' && c <= '9'; }

} // namespace

Lexicon<std::uint32_t> words_of(const CharacterTable &characters, std::span<const TrieNode> nodes)
{
	std::vector<char32_t> character_of_code(0x10000); // the first that has it
	for (char32_t c = 0x110000; c-- > 0;)
		character_of_code[characters[c] & 0xFFFF] = c;
	Lexicon<std::uint32_t> words;
	for (std::uint32_t i = 1; i < nodes.size(); ++i) {
		if (nodes[i].check == TrieNode::free || nodes[i].value == 0)
			continue;
		std::u32string word;
		for (std::uint32_t node = i; node != Trie::root; node = nodes[node].check)
			word.insert(word.begin(), character_of_code.at(node - nodes[nodes[node].check].base));
		words.emplace(word, nodes[i].value);
	}
	return words;
}

NaiveJieba::NaiveJieba(const Dictionary &file) : dictionary_(file)
{
	for (const auto &[word, weight] :
		words_of(dictionary_.characters, file.section<TrieNode>(JiebaDictionary::section_nodes)))
		weights_.emplace(word, dictionary_.weights[weight]);
}

Strings NaiveJieba::cut(std::string_view text, bool with_model) const
{
	const std::u32string all = decoded(text);
	Strings out;
	for (std::size_t i = 0; i < all.size();) {
		std::size_t end = i;
		while (end < all.size() && is_block_character(all[end]))
			++end;
		if (end > i)
			cut_block(all.substr(i, end - i), with_model, out);
		else
			emit(all.substr(i, ++end - i), out);
		i = end;
	}
	return out;
}

void NaiveJieba::cut_block(const std::u32string &block, bool with_model, Strings &out) const
{
	const std::size_t n = block.size();
	std::vector<double> best(n + 1, 0);
	std::vector<std::size_t> end(n);
	for (std::size_t i = n; i-- > 0;) {
		bool any = false;
		for (std::size_t j = i + 1; j <= n && j - i <= jieba_longest_word; ++j) {
			const auto word = weights_.find(block.substr(i, j - i));
			if (word == weights_.end())
				continue;
			const double candidate = word->second + best[j];
			if (!any || candidate >= best[i]) {
				best[i] = candidate;
				end[i] = j;
			}
			any = true;
		}
		if (!any) {
			best[i] = dictionary_.weights[0] + best[i + 1];
			end[i] = i + 1;
		}
	}
	std::u32string held; // single characters; without the model only ASCII letters and digits
	for (std::size_t i = 0; i < n; i = end[i]) {
		const std::u32string segment = block.substr(i, end[i] - i);
		if (segment.size() == 1 && (with_model || is_letter_or_digit(segment[0]))) {
			held += segment;
			continue;
		}
		if (with_model)
			cut_unknown(held, out);
		else if (!held.empty())
			emit(held, out);
		held.clear();
		emit(segment, out);
	}
	if (with_model)
		cut_unknown(held, out);
	else if (!held.empty())
		emit(held, out);
}

void NaiveJieba::cut_unknown(const std::u32string &run, Strings &out) const
{
	if (run.size() <= 1 || weights_.contains(run)) {
		for (const char32_t c : run)
			emit({&c, 1}, out);
		return;
	}
	for (std::size_t i = 0; i < run.size();) {
		std::size_t end = i;
		while (end < run.size() && has_emissions(run[end]) == has_emissions(run[i]))
			++end;
		const std::u32string part = run.substr(i, end - i);
		i = end;
		if (has_emissions(part[0])) {
			viterbi(part, out);
			continue;
		}
		std::u32string between;
		for (std::size_t at = 0; at < part.size();) {
			if (!is_letter_or_digit(part[at])) {
				between += part[at++];
				continue;
			}
			emit(between, out);
			between.clear();
			const std::size_t begin = at;
			while (at < part.size() && is_letter_or_digit(part[at]))
				++at;
			std::size_t digits = at + 1;
			while (digits < part.size() && is_digit(part[digits]))
				++digits;
			if (digits > at + 1)
				at = digits;
			if (at < part.size() && part[at] == '%')
				++at;
			emit(part.substr(begin, at - begin), out);
		}
		emit(between, out);
	}
}

void NaiveJieba::viterbi(const std::u32string &run, Strings &out) const
{
	constexpr double none = impossible;
	constexpr double start[4] = {-0.26268660809250016, none, none, -1.4652633398537678};
	constexpr double change[4][4] = {// from B, E, M, S to B, E, M, S
		{none, -0.510825623765990, -0.916290731874155, none}, {-0.5897149736854513, none, none, -0.8085250474669937},
		{none, -0.33344856811948514, -1.2603623820268226, none},
		{-0.7211965654669841, none, none, -0.6658631448798212}};
	constexpr bool may_follow[4][4] = {
		{false, true, true, false}, {true, false, false, true}, {false, true, true, false}, {true, false, false, true}};
	const std::size_t n = run.size();
	std::vector<std::array<double, 4>> v(n);
	std::vector<std::array<int, 4>> from(n);
	for (std::size_t i = 0; i < n; ++i)
		for (int y = 0; y < 4; ++y) {
			const double emitted = dictionary_.emissions[run[i] - first_emission][y];
			if (i == 0) {
				v[0][y] = start[y] + emitted;
				continue;
			}
			v[i][y] = -std::numeric_limits<double>::infinity();
			for (int y0 = 0; y0 < 4; ++y0)
				if (may_follow[y0][y] && v[i - 1][y0] + change[y0][y] + emitted >= v[i][y]) {
					v[i][y] = v[i - 1][y0] + change[y0][y] + emitted;
					from[i][y] = y0;
				}
		}
	std::string states(n, ' ');
	int y = v[n - 1][state_s] >= v[n - 1][state_e] ? state_s : state_e;
	for (std::size_t i = n; i-- > 0; y = from[i][y])
		states[i] = "BEMS"[y];
	std::u32string word;
	for (std::size_t i = 0; i < n; ++i) {
		word += run[i];
		if (states[i] == 'E' || states[i] == 'S') {
			emit(word, out);
			word.clear();
		}
	}
	if (!word.empty())
		emit(word, out);
}

NaiveLattice::NaiveLattice(const Dictionary &file) : dictionary_(file)
{
	for (const auto &[word, value] :
		words_of(dictionary_.characters, file.section<TrieNode>(LatticeDictionary::section_nodes))) {
		const LatticeRow *const first = dictionary_.rows + (value >> 8);
		rows_.emplace(word, std::vector<LatticeRow>(first, first + (value & 0xFF)));
	}
}

Strings NaiveLattice::cut(std::string_view text) const
{
	Strings out;
	std::u32string piece;
	for (const char32_t c : decoded(text)) {
		piece += c;
		if (c == '\n' || c == '\t' || c == U'。' || c == U'、') {
			cut_piece(piece, out);
			piece.clear();
		}
	}
	if (!piece.empty())
		cut_piece(piece, out);
	return out;
}

void NaiveLattice::add(Ends &ends, std::size_t start, std::size_t end, const LatticeRow &row) const
{
	Edge edge{start, std::numeric_limits<std::int64_t>::max(), row.right, 0};
	for (std::size_t i = 0; i < ends[start].size(); ++i) {
		const Edge &left = ends[start][i];
		const std::int64_t cost = left.cost + dictionary_.matrix[row.left * dictionary_.matrix_columns + left.right];
		if (cost < edge.cost) {
			edge.cost = cost;
			edge.left = i;
		}
	}
	edge.cost += row.cost;
	ends[end].push_back(edge);
}

void NaiveLattice::cut_piece(const std::u32string &piece, Strings &out) const
{
	const std::size_t n = piece.size();
	Ends ends(n + 2);
	ends[0].push_back({0, 0, dictionary_.begin, 0});
	std::size_t unknown_until = 0;
	for (std::size_t i = 0; i < n; ++i) {
		if (ends[i].empty())
			continue;
		bool found = false;
		for (std::size_t length = std::min<std::size_t>(n - i, 64); length > 0; --length)
			if (const auto word = rows_.find(piece.substr(i, length)); word != rows_.end()) {
				found = true;
				for (const LatticeRow &row : word->second)
					add(ends, i, i + length, row);
			}
		if (unknown_until > i)
			continue;
		for (std::size_t k = 0; k < set(piece[i]).count; ++k) {
			const LatticeCategory &category = dictionary_.categories[set(piece[i]).categories[k]];
			if (category.invoke == 0 && found)
				continue;
			std::size_t end = i + 1;
			while (category.group != 0 && end < n && k < set(piece[end]).count &&
				set(piece[end]).categories[k] == set(piece[i]).categories[k])
				++end;
			for (std::size_t row = 0; row < category.rows; ++row)
				add(ends, i, end, dictionary_.unknown_rows[category.first_row + row]);
			unknown_until = end;
		}
	}
	add(ends, n, n + 1, {dictionary_.end, 0, 0});
	std::vector<std::size_t> starts;
	std::size_t edge = ends[n + 1][0].left;
	for (std::size_t at = n; at > 0;) {
		const Edge &here = ends[at][edge];
		starts.push_back(here.start);
		at = here.start;
		edge = here.left;
	}
	for (std::size_t i = starts.size(); i-- > 0;) {
		const std::u32string token = piece.substr(starts[i], (i == 0 ? n : starts[i - 1]) - starts[i]);
		bool space = true;
		for (const char32_t c : token)
			space = space && set(c).is_space != 0;
		if (!space)
			emit(token, out);
	}
}

} // namespace txtfp::test
