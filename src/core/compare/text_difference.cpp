#include "core/compare/text_difference.hpp"

#include <algorithm>

#include "core/compare/shared_passages.hpp"
#include "core/text/utf8.hpp"

namespace txtfp::core {

namespace {

// Words [begin, end) of one text that are moved, in order.
struct WordRun {
	std::uint32_t begin, end;
	bool operator<(const WordRun &other) const noexcept { return begin < other.begin; }
};

// The words of one text that the alignment leaves over, part by part, with a symbol between the parts that nothing else
// has.
struct LeftOver {
	std::vector<std::uint32_t> numbers, words;

	void add(const TextWords &text, std::uint32_t begin, std::uint32_t end, std::uint32_t separator)
	{
		for (std::uint32_t i = begin; i < end; ++i) {
			numbers.push_back(text.numbers[i]);
			words.push_back(i);
		}
		if (begin < end) {
			numbers.push_back(separator);
			words.push_back(end);
		}
	}
};

struct MovedRuns {
	std::vector<WordRun> a, b;
};

MovedRuns find_moved(const AlignedWords &words, StopToken stop)
{
	LeftOver a, b;
	auto separator = static_cast<std::uint32_t>(words.distinct());
	words.for_each_rest([&](std::uint32_t a0, std::uint32_t a1, std::uint32_t b0, std::uint32_t b1) {
		a.add(words.a(), a0, a1, no_symbol);
		b.add(words.b(), b0, b1, separator++);
	});
	MovedRuns moved;
	std::vector<bool> used(b.words.size());
	for (const SharedRun &run : shared_runs(a.numbers, b.numbers, moved_words, stop)) {
		const auto in_b = used.begin() + run.b;
		if (std::find(in_b, in_b + run.length, true) != in_b + run.length)
			continue;
		std::fill_n(in_b, run.length, true);
		moved.a.push_back({a.words[run.a], a.words[run.a] + run.length});
		moved.b.push_back({b.words[run.b], b.words[run.b] + run.length});
	}
	std::sort(moved.b.begin(), moved.b.end());
	return moved;
}

// Words [begin, end) of one text and the bytes that go with them.
struct Piece {
	std::uint32_t begin, end, first_byte, last_byte;
	bool moved;
};

class Differences {
public:
	Differences(const AlignedWords &words, const MovedRuns &moved) : a_(words.a()), b_(words.b()), words_(words)
	{
		moved_[0] = {&moved.a, 0};
		moved_[1] = {&moved.b, 0};
	}

	// The words [a0, a1) and [b0, b1) are left over. The gaps before the next words belong to this part.
	void add(std::uint32_t a0, std::uint32_t a1, std::uint32_t b0, std::uint32_t b1)
	{
		if (a0 == a1 && b0 == b1)
			add_gap(a0, b0);
		else if (a1 - a0 == b1 - b0 && (a1 - a0 <= paired_words || spelled_alike(a0, a1, b0)) && !begins_moved(0, a1) &&
			!begins_moved(1, b1))
			add_pairs(a0, a1, b0);
		else
			add_block(a0, a1, b0, b1);
	}

	// A word that both texts have.
	void add_word(std::uint32_t i, std::uint32_t j)
	{
		const std::string_view a = a_.word(i), b = b_.word(j);
		if (a == b)
			return;
		const DifferenceKind kind = kind_of_word(a_, i);
		put(kind < DifferenceKind::word ? kind : kind_of_spelling(a, b), a_.places[i].begin, a_.places[i].end,
			b_.places[j].begin, b_.places[j].end);
	}

	std::vector<Difference> extract() { return std::move(found_); }

private:
	bool spelled_alike(std::uint32_t a, std::uint32_t a1, std::uint32_t b) const
	{
		for (; a < a1; ++a, ++b)
			if (folded(words_.canonical(a_.numbers[a])) != folded(words_.canonical(b_.numbers[b])))
				return false;
		return true;
	}

	static std::string folded(std::string_view word)
	{
		return std::string(std::string_view(canonicalize(word, CanonicalOptions{})));
	}

	// Is one of the words before `end` moved? Forgets the runs that lie before this part.
	bool begins_moved(unsigned side, std::uint32_t end) const
	{
		const auto &[runs, at] = moved_[side];
		return at < runs->size() && (*runs)[at].begin < end;
	}

	void add_gap(std::uint32_t i, std::uint32_t j)
	{
		std::uint32_t a0 = a_.gap_begin(i), a1 = a_.gap_end(i), b0 = b_.gap_begin(j), b1 = b_.gap_end(j);
		if (a_.between(a0, a1) == b_.between(b0, b1))
			return;
		trim(a0, a1, b0, b1, a1 - a0, b1 - b0, a1 - a0, b1 - b0);
		put(kind_of_gaps(a_, a0, a1, b_, b0, b1), a0, a1, b0, b1);
	}

	void add_pairs(std::uint32_t a0, std::uint32_t a1, std::uint32_t b0)
	{
		for (; a0 < a1; ++a0, ++b0) {
			add_gap(a0, b0);
			const DifferenceKind kind =
				folded(words_.canonical(a_.numbers[a0])) == folded(words_.canonical(b_.numbers[b0]))
				? kind_of_spelling(a_.word(a0), b_.word(b0))
				: std::max(kind_of_word(a_, a0), kind_of_word(b_, b0));
			put(kind, a_.places[a0].begin, a_.places[a0].end, b_.places[b0].begin, b_.places[b0].end);
		}
		add_gap(a0, b0);
	}

	void add_block(std::uint32_t a0, std::uint32_t a1, std::uint32_t b0, std::uint32_t b1)
	{
		std::uint32_t a_byte = a_.gap_begin(a0), a_end = a_.gap_end(a1), b_byte = b_.gap_begin(b0),
					  b_end = b_.gap_end(b1);
		const auto size = [](const TextWords &text, std::uint32_t i) { return text.gap_end(i) - text.gap_begin(i); };
		trim(a_byte, a_end, b_byte, b_end, size(a_, a0), size(b_, b0), size(a_, a1), size(b_, b1));
		pieces_[0].clear();
		pieces_[1].clear();
		cut(0, a_, a0, a1, a_byte, a_end);
		cut(1, b_, b0, b1, b_byte, b_end);
		auto a = pieces_[0].begin(), b = pieces_[1].begin();
		const auto more = [this](unsigned side, auto at) { return at != pieces_[side].end(); };
		while (more(0, a) || more(1, b)) {
			if (more(0, a) && a->moved) {
				put(DifferenceKind::moved, a->first_byte, a->last_byte, b_byte, b_byte);
				a_byte = a++->last_byte;
			} else if (more(1, b) && b->moved) {
				put(DifferenceKind::moved, a_byte, a_byte, b->first_byte, b->last_byte);
				b_byte = b++->last_byte;
			} else {
				const Piece none_a{a0, a0, a_byte, a_byte, false}, none_b{b0, b0, b_byte, b_byte, false};
				const Piece &in_a = more(0, a) ? *a++ : none_a, &in_b = more(1, b) ? *b++ : none_b;
				put(kind_of_pieces(in_a, in_b), in_a.first_byte, in_a.last_byte, in_b.first_byte, in_b.last_byte);
				a_byte = in_a.last_byte;
				b_byte = in_b.last_byte;
			}
		}
	}

	// Cuts the bytes at the moved runs. Each piece has the gap behind its words.
	void cut(unsigned side, const TextWords &text, std::uint32_t begin, std::uint32_t end, std::uint32_t byte,
		std::uint32_t last_byte)
	{
		std::vector<Piece> &pieces = pieces_[side];
		if (begin == end && byte < last_byte)
			pieces.push_back({begin, end, byte, last_byte, false});
		while (begin < end) {
			const bool some = begins_moved(side, end);
			auto &[runs, at] = moved_[side];
			Piece piece{begin, end, byte, last_byte, false};
			if (some && (*runs)[at].begin > begin) {
				piece.end = (*runs)[at].begin;
			} else if (some) {
				piece.end = (*runs)[at++].end;
				piece.moved = true;
			}
			if (piece.end < end)
				piece.last_byte = text.places[piece.end].begin;
			pieces.push_back(piece);
			begin = piece.end;
			byte = piece.last_byte;
		}
	}

	DifferenceKind kind_of_pieces(const Piece &a, const Piece &b) const
	{
		if (a.begin == a.end && b.begin == b.end)
			return kind_of_gaps(a_, a.first_byte, a.last_byte, b_, b.first_byte, b.last_byte);
		DifferenceKind kind = DifferenceKind::space;
		for (std::uint32_t i = a.begin; i < a.end; ++i)
			kind = std::max(kind, kind_of_word(a_, i));
		for (std::uint32_t i = b.begin; i < b.end; ++i)
			kind = std::max(kind, kind_of_word(b_, i));
		return kind;
	}

	// Leaves out equal characters at the beginning and at the end, at most this many bytes.
	void trim(std::uint32_t &a0, std::uint32_t &a1, std::uint32_t &b0, std::uint32_t &b1, std::uint32_t a_first,
		std::uint32_t b_first, std::uint32_t a_last, std::uint32_t b_last) const
	{
		const auto starts_character = [](const TextWords &text, std::uint32_t at) {
			return at == text.text.size() || !is_continuation(text.text[at]);
		};
		std::uint32_t n = 0, most = std::min({a_first, b_first, a1 - a0, b1 - b0});
		while (n < most && a_.text[a0 + n] == b_.text[b0 + n])
			++n;
		while (n > 0 && !(starts_character(a_, a0 + n) && starts_character(b_, b0 + n)))
			--n;
		a0 += n;
		b0 += n;
		n = 0;
		most = std::min({a_last, b_last, a1 - a0, b1 - b0});
		while (n < most && a_.text[a1 - n - 1] == b_.text[b1 - n - 1])
			++n;
		while (n > 0 && !starts_character(a_, a1 - n)) // then b has the same byte there
			--n;
		a1 -= n;
		b1 -= n;
	}

	void put(DifferenceKind kind, std::uint32_t a0, std::uint32_t a1, std::uint32_t b0, std::uint32_t b1)
	{
		if (a_.between(a0, a1) != b_.between(b0, b1))
			found_.push_back({kind, {a0, a1 - a0, 0, 0}, {b0, b1 - b0, 0, 0}});
	}

	const TextWords &a_, &b_;
	const AlignedWords &words_;
	struct {
		const std::vector<WordRun> *runs;
		std::size_t at;
	} moved_[2];
	std::vector<Piece> pieces_[2];
	std::vector<Difference> found_;
};

// Counts the characters before and in the ranges, which ascend.
void place_characters(std::string_view text, SourceRange Difference::*side, std::vector<Difference> &differences)
{
	std::size_t byte = 0, character = 0;
	const auto to = [&](std::size_t end) {
		for (; byte < end; ++byte)
			character += !is_continuation(text[byte]);
		return character;
	};
	for (Difference &difference : differences) {
		SourceRange &range = difference.*side;
		range.character = to(range.byte);
		range.characters = to(range.byte + range.bytes) - range.character;
	}
}

} // namespace

std::vector<Difference> text_difference(
	std::string_view a, std::string_view b, const CanonicalOptions &canonical, Segmenter segmenter, StopToken stop)
{
	if (a == b)
		return {};
	const AlignedWords words(a, b, canonical, segmenter, stop);
	const MovedRuns moved = find_moved(words, stop);
	Differences differences(words, moved);
	std::uint32_t steps = 0;
	words.for_each_rest([&](std::uint32_t a0, std::uint32_t a1, std::uint32_t b0, std::uint32_t b1) {
		differences.add(a0, a1, b0, b1);
		if (a1 < words.a().count())
			differences.add_word(a1, b1);
		if ((++steps & 0xFFF) == 0)
			stop.check();
	});
	std::vector<Difference> found = differences.extract();
	place_characters(a, &Difference::a, found);
	place_characters(b, &Difference::b, found);
	return found;
}

} // namespace txtfp::core
