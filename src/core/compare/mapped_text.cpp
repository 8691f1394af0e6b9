#include "core/compare/mapped_text.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "core/text/segment.hpp"
#include "core/text/utf8.hpp"

namespace txtfp::core {

namespace {

constexpr std::size_t small_step = 64, large_step = 4096; // bytes to canonicalize at once

std::size_t ascii_run(std::string_view text) noexcept
{
	constexpr std::uint64_t high_bits = 0x8080808080808080;
	std::size_t n = 0;
	for (std::uint64_t block; n + sizeof block <= text.size(); n += sizeof block) {
		std::memcpy(&block, text.data() + n, sizeof block);
		if ((block & high_bits) != 0)
			break;
	}
	while (n < text.size() && static_cast<unsigned char>(text[n]) < 0x80)
		++n;
	return n;
}

} // namespace

MappedText::MappedText(std::string_view source, const CanonicalOptions &options, StopToken stop)
	: source_(source), canonicalizer_(options, stop), stop_(stop)
{
	Mark mark{};
	marks_.push_back(mark);
	while (mark.source < source_.size()) {
		const std::string_view rest = source_.substr(mark.source);
		const std::size_t ascii = ascii_run(rest.substr(0, large_step));
		const std::size_t consumed = settle(mark.source, ascii > small_step ? ascii : small_step);
		// Canonicalized ASCII keeps its length. Confusable mapping is the exception: it makes some ASCII longer, none
		// shorter.
		const bool same = consumed <= ascii && canonical_.size() - mark.canonical == consumed;
		marks_.back().is_same = same;
		mark.character += same ? consumed : count_characters(rest.substr(0, consumed));
		mark.source += consumed;
		mark.canonical = canonical_.size();
		marks_.push_back(mark);
		stop_.check();
	}
}

// Canonicalizes source text from `from` on: as much as `step` bytes determine, or more if they determine nothing.
// Returns the number of source bytes consumed.
std::size_t MappedText::settle(std::size_t from, std::size_t step)
{
	const std::string_view rest = source_.substr(from);
	for (;; step *= 2) {
		const std::size_t n = character_boundary(rest, step);
		if (const std::size_t consumed = canonicalizer_.append(rest.substr(0, n), n == rest.size(), canonical_);
			consumed > 0)
			return consumed;
	}
}

SourceRange MappedText::source_of(std::size_t begin, std::size_t end) const
{
	const Mark from = place(begin, false), to = place(end - 1, true);
	return {from.source, to.source - from.source, from.character, to.character - from.character};
}

// Finds the smallest piece of source that yields this canonical byte on its own; returns its begin, or its end if
// `behind`.
MappedText::Mark MappedText::place(std::size_t canonical_byte, bool behind) const
{
	const auto next = std::upper_bound(marks_.begin(), marks_.end(), canonical_byte,
		[](std::size_t byte, const Mark &mark) { return byte < mark.canonical; });
	const Mark &mark = next[-1];
	if (mark.is_same) {
		const std::size_t n = canonical_byte - mark.canonical + (behind ? 1 : 0);
		return {mark.canonical + n, mark.source + n, mark.character + n};
	}
	return place_in(mark, canonical_byte, behind);
}

// As place(), by canonicalizing the piece again, character by character.
MappedText::Mark MappedText::place_in(const Mark &mark, std::size_t canonical_byte, bool behind) const
{
	Mark at = mark;
	TextBuffer out;
	for (std::size_t step = 1;;) {
		stop_.check();
		const std::string_view rest = source_.substr(at.source);
		// character_boundary does not serve here: it steps back and may return 0.
		std::size_t n = std::min(step, rest.size());
		while (n < rest.size() && is_continuation(rest[n]))
			++n;
		out.set_size(0);
		// Prefer what is determined without the end of the text; otherwise the last characters would form one piece.
		std::size_t consumed = canonicalizer_.append(rest.substr(0, n), false, out);
		if (consumed == 0 && n == rest.size())
			consumed = canonicalizer_.append(rest, true, out);
		if (consumed == 0) {
			// It grows fast: with millions of combining marks, rescanning from the start must stay cheap.
			step = n < 16 ? n + 1 : 2 * n;
			continue;
		}
		const Mark next{
			at.canonical + out.size(), at.source + consumed, at.character + count_characters(rest.substr(0, consumed))};
		if (canonical_byte < next.canonical)
			return place_among(at, next, canonical_byte, behind);
		if (next.source == source_.size())
			throw Error(ErrorKind::internal, "canonical text does not map to its source");
		at = next;
		step = 1;
	}
}

// As place(), within a piece that may have several characters because no normalization boundary separates them (for
// example before U+0130). Its characters are told apart if their canonical forms, concatenated, equal the form of the
// piece.
MappedText::Mark MappedText::place_among(
	const Mark &begin, const Mark &end, std::size_t canonical_byte, bool behind) const
{
	const std::string_view piece = source_.substr(begin.source, end.source - begin.source);
	TextBuffer out;
	Mark found[2] = {begin, end}; // the begin and the end of the character
	for (std::size_t from = 0; from < piece.size();) {
		stop_.check();
		const Segment cluster = next_grapheme(piece, from, true);
		const std::string_view character = piece.substr(from, cluster.end - from);
		const std::size_t size = out.size();
		canonicalizer_.append(character, true, out);
		const auto mark = [&](std::size_t canonical, std::size_t source) {
			return Mark{begin.canonical + canonical, begin.source + source,
				begin.character + count_characters(piece.substr(0, source))};
		};
		if (begin.canonical + size <= canonical_byte && canonical_byte < begin.canonical + out.size()) {
			found[0] = mark(size, from);
			found[1] = mark(out.size(), cluster.end);
		}
		from = cluster.end;
	}
	if (out != canonical().substr(begin.canonical, end.canonical - begin.canonical))
		return behind ? end : begin;
	return found[behind];
}

} // namespace txtfp::core
