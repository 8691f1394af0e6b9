#include "core/jieba.hpp"

#include <algorithm>
#include <limits>

#include "core/text/utf8.hpp"

namespace txtfp::cjk {

namespace {

constexpr std::size_t stop_interval = 4096; // characters

constexpr std::size_t length_at(const char *p) noexcept
{
	const auto lead = static_cast<unsigned char>(*p);
	return lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
}

// In malformed UTF-8 a character of the model may have a length other than 3.
bool is_modelled(const char *p, const char *end) noexcept
{
	const core::Decoded c = core::decode(p, end);
	return has_emissions(c.code_point) && c.length == 3;
}

} // namespace

JiebaDictionary::JiebaDictionary(const Dictionary &file) noexcept
	: characters{file.section<std::uint16_t>(section_pages).data(),
		  file.section<std::uint32_t>(section_entries).data()},
	  trie(file.section<TrieNode>(section_nodes).data()), weights(file.section<double>(section_weights).data()),
	  emissions(reinterpret_cast<const double (*)[jieba_states]>(file.section<double>(section_emissions).data()))
{
}

// Takes the available text up to a place where a block may be cut; about `wanted` bytes, so that few tokens wait at a
// time.
std::size_t Jieba::unit(std::string_view text, bool last) const noexcept
{
	constexpr std::size_t wanted = 4096;
	const char *const begin = text.data(), *const end = begin + text.size();
	const char *whole = begin; // no block is cut before this place
	for (const char *p = begin; p < end;) {
		const core::Decoded c = core::decode(p, end);
		p += c.length;
		if (is_block_character(c.code_point))
			continue;
		whole = p;
		if (p - begin >= static_cast<std::ptrdiff_t>(wanted))
			break;
		if (p == end)
			return text.size();
	}
	if (whole - begin >= static_cast<std::ptrdiff_t>(wanted))
		return static_cast<std::size_t>(whole - begin);
	return last ? text.size() : static_cast<std::size_t>(whole - begin);
}

void Jieba::cut(std::string_view unit, const core::StopToken &stop)
{
	stop.check();
	const char *p = unit.data(), *const end = p + unit.size();
	while (p < end) {
		const char *const block_end = read_block(p, end, stop);
		if (block_end > p) {
			find_route(stop);
			if (with_model_)
				cut_unknown_runs(p, stop);
			else
				join_single_ascii(p);
			p = block_end;
		} else {
			const core::Decoded c = core::decode(p, end);
			token(c.length, is_white_space(c.code_point));
			p += c.length;
		}
	}
}

// Reads the block that begins at p: stores the codes of its characters and returns its end.
const char *Jieba::read_block(const char *p, const char *end, const core::StopToken &stop)
{
	codes_.clear();
	while (p < end) {
		const core::Decoded c = core::decode(p, end);
		if (!is_block_character(c.code_point))
			break;
		codes_.push_back(static_cast<std::uint16_t>(dictionary_.characters[c.code_point]));
		p += c.length;
		if (codes_.size() % (16 * stop_interval) == 0)
			stop.check();
	}
	return p;
}

void Jieba::find_route(const core::StopToken &stop)
{
	constexpr std::size_t ring = 2 * jieba_longest_word, mask = ring - 1;
	const std::size_t n = codes_.size();
	const Trie trie = dictionary_.trie;
	const double *const weights = dictionary_.weights;
	route_.resize(n);
	double best_from[ring]; // R of the last characters; a word is no longer than the ring
	best_from[n & mask] = 0;
	for (std::size_t i = n; i-- > 0;) {
		double best = -std::numeric_limits<double>::infinity();
		std::size_t length = 0;
		std::uint32_t node = Trie::root;
		for (std::size_t j = i; j < n && (node = trie.child(node, codes_[j])) != Trie::none; ++j) {
			const std::uint32_t word = trie.value(node);
			if (word == 0)
				continue;
			const double candidate = weights[word] + best_from[(j + 1) & mask];
			if (candidate >= best) {
				best = candidate;
				length = j + 1 - i;
			}
		}
		if (length == 0) {
			best = weights[0] + best_from[(i + 1) & mask];
			length = 1;
		}
		best_from[i & mask] = best;
		route_[i] = static_cast<std::uint8_t>(length);
		if (i % stop_interval == 0)
			stop.check();
	}
}

void Jieba::join_single_ascii(const char *block)
{
	std::size_t joined = 0;
	for (std::size_t i = 0; i < route_.size();) {
		const char *const begin = block;
		for (const std::size_t next = i + route_[i]; i < next; ++i)
			block += length_at(block);
		const auto bytes = static_cast<std::size_t>(block - begin);
		if (bytes == 1 && is_ascii_letter_or_digit(*begin)) {
			++joined;
			continue;
		}
		if (joined > 0)
			token(joined);
		joined = 0;
		token(bytes);
	}
	if (joined > 0)
		token(joined);
}

// A run of single characters is either words that the dictionary does not have, or no words.
void Jieba::cut_unknown_runs(const char *block, const core::StopToken &stop)
{
	const char *run = block;
	std::size_t singles = 0;
	for (std::size_t i = 0; i < route_.size();) {
		const char *const begin = block;
		const std::size_t length = route_[i];
		for (const std::size_t next = i + length; i < next; ++i)
			block += length_at(block);
		if (length == 1) {
			++singles;
			continue;
		}
		cut_unknown({run, static_cast<std::size_t>(begin - run)}, singles, stop);
		token(static_cast<std::size_t>(block - begin));
		run = block;
		singles = 0;
	}
	cut_unknown({run, static_cast<std::size_t>(block - run)}, singles, stop);
}

bool Jieba::is_word(std::string_view word) const noexcept
{
	std::uint32_t node = Trie::root;
	for (const char *p = word.data(), *const end = p + word.size(); p < end && node != Trie::none;) {
		const core::Decoded c = core::decode(p, end);
		node = dictionary_.trie.child(node, dictionary_.characters[c.code_point] & 0xFFFF);
		p += c.length;
	}
	return node != Trie::none && dictionary_.trie.value(node) != 0;
}

void Jieba::cut_unknown(std::string_view run, std::size_t characters, const core::StopToken &stop)
{
	if (characters <= 1) {
		if (characters == 1)
			token(run.size());
		return;
	}
	const char *p = run.data(), *const end = p + run.size();
	if (characters <= jieba_longest_word && is_word(run)) {
		for (; p < end; p += length_at(p))
			token(length_at(p));
		return;
	}
	while (p < end) {
		const char *const begin = p;
		const bool modelled = is_modelled(p, end);
		while (p < end && is_modelled(p, end) == modelled)
			p += length_at(p);
		const std::string_view part(begin, static_cast<std::size_t>(p - begin));
		if (!modelled)
			cut_other(part);
		else if (part.size() == 3)
			token(3);
		else
			viterbi(part, stop);
	}
}

// Splits by the pattern [A-Za-z0-9]+(.[0-9]+)?%? into matches and the parts between them.
void Jieba::cut_other(std::string_view run)
{
	const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
	const char *p = run.data(), *const end = p + run.size(), *between = p;
	while (p < end) {
		if (!is_ascii_letter_or_digit(*p)) {
			p += length_at(p);
			continue;
		}
		if (p > between)
			token(static_cast<std::size_t>(p - between));
		const char *const begin = p;
		while (p < end && is_ascii_letter_or_digit(*p))
			++p;
		if (p < end) {
			const char *digits = p + length_at(p);
			const char *const first = digits;
			while (digits < end && is_digit(*digits))
				++digits;
			if (digits > first)
				p = digits;
		}
		if (p < end && *p == '%')
			++p;
		token(static_cast<std::size_t>(p - begin));
		between = p;
	}
	if (p > between)
		token(static_cast<std::size_t>(p - between));
}

namespace {

constexpr double start_probability[jieba_states] = {-0.26268660809250016, -3.14e100, -3.14e100, -1.4652633398537678};

struct Transition {
	JiebaState from;
	double probability;
};
// Transitions into B, E, M, S; the greater state first, because the first of equal ones wins.
constexpr Transition transitions[jieba_states][2] = {
	{{state_s, -0.7211965654669841}, {state_e, -0.5897149736854513}},
	{{state_m, -0.33344856811948514}, {state_b, -0.510825623765990}},
	{{state_m, -1.2603623820268226}, {state_b, -0.916290731874155}},
	{{state_s, -0.6658631448798212}, {state_e, -0.8085250474669937}},
};

} // namespace

// run: two or more characters with emissions, 3 bytes each.
void Jieba::viterbi(std::string_view run, const core::StopToken &stop)
{
	const std::size_t n = run.size() / 3;
	const char *const end = run.data() + run.size();
	const auto emission = [&](std::size_t i) -> const double * {
		return dictionary_.emissions[core::decode(run.data() + 3 * i, end).code_point - first_emission];
	};
	came_from_.resize(n);
	double now[jieba_states], next[jieba_states];
	for (int y = 0; y < jieba_states; ++y)
		now[y] = start_probability[y] + emission(0)[y];
	for (std::size_t i = 1; i < n; ++i) {
		const double *const emitted = emission(i);
		unsigned from = 0;
		for (int y = 0; y < jieba_states; ++y) {
			const Transition *into = transitions[y];
			const double a = now[into[0].from] + into[0].probability + emitted[y];
			const double b = now[into[1].from] + into[1].probability + emitted[y];
			next[y] = a >= b ? a : b;
			from |= static_cast<unsigned>(into[a >= b ? 0 : 1].from) << (2 * y);
		}
		came_from_[i] = static_cast<std::uint8_t>(from);
		std::copy(next, next + jieba_states, now);
		if (i % stop_interval == 0)
			stop.check();
	}
	states_.resize(n);
	unsigned state = now[state_s] >= now[state_e] ? state_s : state_e;
	for (std::size_t i = n; i-- > 0;) {
		states_[i] = static_cast<std::uint8_t>(state);
		state = came_from_[i] >> (2 * state) & 3;
	}
	std::size_t open = 0, closed = 0; // open: where the current word begins; closed: tokens have been made up to here
	for (std::size_t i = 0; i < n; ++i) {
		if (states_[i] == state_b) {
			open = i;
		} else if (states_[i] == state_e) {
			token(3 * (i + 1 - open));
			closed = i + 1;
		} else if (states_[i] == state_s) {
			token(3);
			closed = i + 1;
		}
	}
	if (closed < n)
		token(3 * (n - closed));
}

} // namespace txtfp::cjk
