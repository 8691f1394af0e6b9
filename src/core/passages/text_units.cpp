#include "core/passages/text_units.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <string>

#include "core/base/bytes.hpp"
#include "core/text/pipeline.hpp"
#include "core/text/utf8.hpp"

namespace txtfp::core {

namespace {

constexpr std::size_t max_marked_bytes = std::size_t{1} << 30;

constexpr bool is_white(char c) noexcept { return c == ' ' || (c >= '\t' && c <= '\r'); }

// The next line, with its line feed.
std::string_view line_at(std::string_view text, std::size_t from) noexcept
{
	return text.substr(from, std::min(text.find('\n', from), text.size() - 1) + 1 - from);
}

bool is_blank(std::string_view line) noexcept { return std::all_of(line.begin(), line.end(), is_white); }

// Calls fn(begin, end of what is hashed, end) for each line or paragraph.
template <class Fn> void for_each_block(std::string_view text, PassageUnit unit, Fn fn)
{
	for (std::size_t at = 0; at < text.size();) {
		const std::size_t begin = at;
		at += line_at(text, at).size();
		if (unit == PassageUnit::paragraph)
			while (at < text.size() && !is_blank(line_at(text, at)))
				at += line_at(text, at).size();
		const std::size_t end = at;
		if (unit == PassageUnit::paragraph)
			while (at < text.size() && is_blank(line_at(text, at)))
				at += line_at(text, at).size();
		fn(begin, end, at);
	}
}

// Replaces what white space separates by single spaces, in place.
void collapse_white_space(TextBuffer &text)
{
	char *const bytes = text.data();
	std::size_t size = 0;
	bool pending = false;
	for (std::size_t i = 0; i < text.size(); ++i) {
		if (is_white(bytes[i])) {
			pending = size > 0;
			continue;
		}
		if (pending)
			bytes[size++] = ' ';
		pending = false;
		bytes[size++] = bytes[i];
	}
	text.set_size(size);
}

bool has_words(std::string_view text, std::size_t least, Segmenter segmenter, StopToken stop)
{
	if (segmenter == Segmenter::word) { // stops as soon as there are enough
		WordRange words[token_batch];
		std::size_t count = 0;
		for (std::size_t from = 0; count < least;) {
			const WordBatch batch = next_words(text, from, true, words);
			count += batch.count;
			if (batch.finished)
				break;
			from = batch.next;
			stop.check();
		}
		return count >= least;
	}
	TokenizerSpec spec;
	spec.segmenter = segmenter;
	std::size_t count = 0;
	for_each_token(text, spec, [&](Tokens tokens) { count += tokens.size(); }, stop);
	return count >= least;
}

std::vector<Hash128> word_hashes(std::string_view utf8, const UnitOptions &options, StopToken stop)
{
	std::vector<Hash128> hashes;
	TokenizerSpec spec;
	spec.segmenter = options.segmenter;
	const auto sink = [&](Tokens words) {
		std::uint64_t lo[token_batch], hi[token_batch];
		hash128(HashFamily::xxh3, words, default_seed, lo, hi);
		for (std::size_t i = 0; i < words.size(); ++i)
			hashes.push_back({lo[i], hi[i]});
	};
	Pipeline<decltype(sink)>(options.canonical, spec, sink, stop).append(utf8, true);
	return hashes;
}

} // namespace

std::optional<PassageUnit> parse_passage_unit(std::string_view name) noexcept
{
	if (name == "paragraph")
		return PassageUnit::paragraph;
	if (name == "line")
		return PassageUnit::line;
	return name == "word" ? std::optional(PassageUnit::word) : std::nullopt;
}

std::vector<Hash128> unit_hashes(std::string_view utf8, const UnitOptions &options, StopToken stop)
{
	if (options.unit == PassageUnit::word)
		return word_hashes(utf8, options, stop);
	std::vector<Hash128> hashes;
	const Canonicalizer canonicalizer(options.canonical, stop);
	TextBuffer canonical;
	for_each_block(utf8, options.unit, [&](std::size_t begin, std::size_t end, std::size_t) {
		stop.check();
		canonical.set_size(0);
		canonicalizer.append(utf8.substr(begin, end - begin), true, canonical);
		collapse_white_space(canonical);
		hashes.push_back(has_words(canonical, options.min_words, options.segmenter, stop)
				? xxh3_128(canonical.data(), canonical.size(), default_seed)
				: Hash128{0, 0});
	});
	return hashes;
}

UnitPlaces::UnitPlaces(std::string_view utf8, const UnitOptions &options, StopToken stop) : text_(utf8)
{
	if (options.unit != PassageUnit::word) {
		for_each_block(utf8, options.unit,
			[&](std::size_t begin, std::size_t, std::size_t end) { units_.push_back({begin, end}); });
		return;
	}
	mapped_.emplace(utf8, options.canonical, stop);
	TokenizerSpec spec;
	spec.segmenter = options.segmenter;
	const auto sink = [&](Tokens tokens) {
		for (const std::string_view token : tokens) {
			const auto start = static_cast<std::size_t>(token.data() - mapped_->canonical().data());
			units_.push_back({start, start + token.size()});
		}
	};
	for_each_token(mapped_->canonical(), spec, sink, stop);
}

std::size_t UnitPlaces::begin_of(std::size_t unit) const
{
	const WordRange &place = units_[unit];
	return mapped_ ? mapped_->source_of(place.start, place.end).byte : place.start;
}

// A word: up to the last blank before the next word, but in its line; without a blank, up to the end of the line if there is no other word.
std::size_t UnitPlaces::end_of(std::size_t unit) const
{
	if (!mapped_)
		return units_[unit].end;
	const SourceRange word = mapped_->source_of(units_[unit].start, units_[unit].end);
	const std::size_t end = word.byte + word.bytes;
	const bool is_last = unit + 1 == units_.size();
	const std::size_t next = is_last ? text_.size() : std::max(end, begin_of(unit + 1));
	const std::string_view gap = text_.substr(end, next - end);
	const std::size_t line = gap.find_first_of("\r\n");
	if (line == gap.npos && is_last)
		return text_.size();
	const std::size_t blank = gap.substr(0, line).find_last_of(" \t");
	if (line != gap.npos)
		return end + line;
	return blank == gap.npos ? end : end + blank + 1;
}

SourceRange UnitPlaces::range(std::size_t first, std::size_t last)
{
	const std::size_t begin = begin_of(first), end = std::max(begin, end_of(last));
	if (begin < byte_)
		byte_ = character_ = 0;
	const auto characters_to = [&](std::size_t byte) {
		for (; byte_ < byte; ++byte_)
			character_ += !is_continuation(text_[byte_]);
		return character_;
	};
	const std::size_t character = characters_to(begin), characters = characters_to(end) - character;
	byte_ = begin; // the next range may begin at the same place
	character_ = character;
	return {begin, end - begin, character, characters};
}

Hash128 window_hash(std::span<const Hash128> units)
{
	if (units.size() == 1)
		return units[0];
	if constexpr (std::endian::native == std::endian::big) { // the same on every machine
		std::vector<std::uint64_t> words;
		for (const Hash128 &unit : units)
			words.insert(words.end(), {byte_swap(unit.lo), byte_swap(unit.hi)});
		return xxh3_128(words.data(), units.size_bytes(), default_seed);
	}
	return xxh3_128(units.data(), units.size_bytes(), default_seed);
}

PassageKeys::PassageKeys(std::string_view utf8, const UnitOptions &options, StopToken stop)
	: hashes_(unit_hashes(utf8, options, stop)), places_(utf8, options, stop), window_(options.window())
{
}

bool PassageKeys::next(PassageKey &key)
{
	while (next_ < hashes_.size() && is_none(hashes_[next_]))
		++next_;
	if (next_ + window_ > hashes_.size())
		return false;
	const Hash128 hash = window_hash({hashes_.data() + next_, window_});
	store_le64(key.bytes, byte_swap(hash.hi));
	store_le64(key.bytes + 8, byte_swap(hash.lo));
	key.range = places_.range(next_, next_ + window_ - 1);
	++next_;
	return true;
}

namespace {

// Goes forward through a text, to one character after the other.
class CharacterWalk {
public:
	CharacterWalk(std::string_view utf8, StopToken stop) : utf8_(utf8), stop_(stop) {}

	// The byte at which the character begins, or the text ends; npos if the text has fewer. Characters ascend.
	std::size_t byte_of(std::size_t character)
	{
		for (; character_ < character; ++character_) {
			if (byte_ == utf8_.size())
				return utf8_.npos;
			for (++byte_; byte_ < utf8_.size() && is_continuation(utf8_[byte_]);)
				++byte_;
			if ((character_ & 0xFFFF) == 0)
				stop_.check();
		}
		return byte_;
	}

private:
	std::string_view utf8_;
	StopToken stop_;
	std::size_t byte_ = 0, character_ = 0;
};

} // namespace

bool place_ranges(std::string_view utf8, std::vector<SourceRange> &ranges, StopToken stop)
{
	const auto end = [&](std::size_t i) { return ranges[i].character + ranges[i].characters; };
	std::sort(ranges.begin(), ranges.end(),
		[](const SourceRange &a, const SourceRange &b) { return a.character < b.character; });
	std::vector<std::size_t> by_end(ranges.size());
	std::iota(by_end.begin(), by_end.end(), std::size_t{0});
	std::sort(by_end.begin(), by_end.end(), [&](std::size_t a, std::size_t b) { return end(a) < end(b); });
	CharacterWalk to_end(utf8, stop), to_begin(utf8, stop);
	for (const std::size_t i : by_end)
		if ((ranges[i].bytes = to_end.byte_of(end(i))) == utf8.npos)
			return false;
	for (SourceRange &range : ranges) {
		range.byte = to_begin.byte_of(range.character);
		range.bytes -= range.byte;
	}
	return true;
}

std::string without_ranges(std::string_view utf8, std::span<const SourceRange> ranges, std::string_view mark)
{
	if (!mark.empty() && ranges.size() > max_marked_bytes / mark.size())
		throw Error(ErrorKind::too_large, "result text would exceed 1 GB");
	std::string out;
	std::size_t done = 0;
	for (const SourceRange &range : ranges) {
		// Ranges of words overlap where both have a character whose canonical form is several words.
		const std::size_t begin = std::max(done, range.byte), end = std::max(done, range.byte + range.bytes);
		out += utf8.substr(done, begin - done);
		done = end;
		if (mark.empty())
			continue;
		out += mark;
		const std::string_view cut = utf8.substr(begin, end - begin);
		const auto white = std::find_if_not(cut.rbegin(), cut.rend(), is_white);
		out.append(white.base(), cut.end());
	}
	out += utf8.substr(done);
	return out;
}

} // namespace txtfp::core
