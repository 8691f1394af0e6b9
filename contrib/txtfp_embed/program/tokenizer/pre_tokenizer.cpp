#include "program/tokenizer/pre_tokenizer.hpp"

#include <algorithm>

#include "program/tokenizer/byte_level.hpp"
#include "program/tokenizer/pattern.hpp"
#include "program/tokenizer/unicode.hpp"

namespace txtfp::embed {

namespace {

// What happens to the delimiters.
enum class Behavior { removed, isolated, with_previous, with_next, contiguous };

Behavior parse_behavior(std::string_view name, const std::string &where)
{
	if (name == "Removed")
		return Behavior::removed;
	if (name == "Isolated")
		return Behavior::isolated;
	if (name == "MergedWithPrevious")
		return Behavior::with_previous;
	if (name == "MergedWithNext")
		return Behavior::with_next;
	if (name == "Contiguous")
		return Behavior::contiguous;
	config_failure(where + ": the behavior \"" + std::string(name) + "\" is not supported");
}

struct Part {
	std::size_t start, end;
	bool delimiter;
};

void add_gap(std::vector<Part> &parts, std::size_t start, std::size_t end)
{
	if (start < end)
		parts.push_back({start, end, false});
}

// Cuts into delimiter characters, one per part, and the parts between them.
template <typename IsDelimiter> std::vector<Part> parts_by(std::string_view text, IsDelimiter is_delimiter)
{
	std::vector<Part> parts;
	std::size_t at = 0, start = 0;
	for_each_character(text, [&](char32_t c, std::string_view bytes) {
		if (is_delimiter(c)) {
			add_gap(parts, start, at);
			start = at + bytes.size();
			parts.push_back({at, start, true});
		}
		at += bytes.size();
	});
	add_gap(parts, start, text.size());
	return parts;
}

std::vector<Part> parts_by(std::string_view text, const Pattern &pattern)
{
	std::vector<Part> parts;
	std::size_t start = 0;
	for (const Match &match : pattern.matches(text)) {
		add_gap(parts, start, match.start);
		parts.push_back({match.start, match.end, true});
		start = match.end;
	}
	add_gap(parts, start, text.size());
	return parts;
}

// Of several consecutive delimiters the first is joined to the part before; the others are parts of their own.
std::vector<Part> merged_with_previous(const std::vector<Part> &parts)
{
	std::vector<Part> merged;
	bool after_delimiter = false;
	for (const Part &part : parts) {
		if (part.delimiter && !after_delimiter && !merged.empty())
			merged.back().end = part.end;
		else
			merged.push_back(part);
		after_delimiter = part.delimiter;
	}
	return merged;
}

std::vector<Part> merged_with_next(const std::vector<Part> &parts)
{
	std::vector<Part> merged;
	bool before_delimiter = false;
	for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
		if (part->delimiter && !before_delimiter && !merged.empty())
			merged.back().start = part->start;
		else
			merged.push_back(*part);
		before_delimiter = part->delimiter;
	}
	std::reverse(merged.begin(), merged.end());
	return merged;
}

std::vector<Part> merged_runs(const std::vector<Part> &parts)
{
	std::vector<Part> merged;
	for (const Part &part : parts) {
		if (!merged.empty() && merged.back().delimiter == part.delimiter)
			merged.back().end = part.end;
		else
			merged.push_back(part);
	}
	return merged;
}

void append_parts(const Piece &piece, std::vector<Part> parts, Behavior behavior, std::vector<Piece> &out)
{
	switch (behavior) {
	case Behavior::with_previous:
		parts = merged_with_previous(parts);
		break;
	case Behavior::with_next:
		parts = merged_with_next(parts);
		break;
	case Behavior::contiguous:
		parts = merged_runs(parts);
		break;
	case Behavior::removed:
	case Behavior::isolated:
		break;
	}
	for (const Part &part : parts)
		if (behavior != Behavior::removed || !part.delimiter)
			out.push_back(
				{piece.text.substr(part.start, part.end - part.start), piece.at_start && part.start == 0, {}});
}

using CharacterTest = bool (*)(char32_t) noexcept;

class ByCharacter final : public PreTokenizer {
public:
	ByCharacter(CharacterTest test, Behavior behavior) : test_(test), behavior_(behavior) {}
	void cut(Piece &&piece, std::vector<Piece> &out) const override
	{
		append_parts(piece, parts_by(piece.text, test_), behavior_, out);
	}

private:
	CharacterTest test_;
	Behavior behavior_;
};

class ByPattern final : public PreTokenizer {
public:
	ByPattern(Pattern pattern, bool invert, Behavior behavior)
		: pattern_(std::move(pattern)), invert_(invert), behavior_(behavior)
	{
	}
	void cut(Piece &&piece, std::vector<Piece> &out) const override
	{
		std::vector<Part> parts = parts_by(piece.text, pattern_);
		if (invert_)
			for (Part &part : parts)
				part.delimiter = !part.delimiter;
		append_parts(piece, std::move(parts), behavior_, out);
	}

private:
	Pattern pattern_;
	bool invert_;
	Behavior behavior_;
};

// Removes white space; each punctuation character is a part.
class BertPreTokenizer final : public PreTokenizer {
public:
	void cut(Piece &&piece, std::vector<Piece> &out) const override
	{
		std::size_t at = 0, start = 0;
		const auto flush = [&](std::size_t end) {
			if (start < end)
				out.push_back({piece.text.substr(start, end - start), piece.at_start && start == 0, {}});
		};
		for_each_character(piece.text, [&](char32_t c, std::string_view bytes) {
			const bool space = unicode::is_white_space(c);
			if (space || unicode::is_punctuation(c)) {
				flush(at);
				start = at;
				if (!space)
					flush(at + bytes.size());
				start = at + bytes.size();
			}
			at += bytes.size();
		});
		flush(piece.text.size());
	}
};

// Runs of word characters, and runs of other characters except white space.
class Words final : public PreTokenizer {
public:
	void cut(Piece &&piece, std::vector<Piece> &out) const override
	{
		enum class Kind { space, word, other };
		std::size_t at = 0, start = 0;
		Kind kind = Kind::space;
		const auto flush = [&] {
			if (kind != Kind::space)
				out.push_back({piece.text.substr(start, at - start), piece.at_start && start == 0, {}});
		};
		for_each_character(piece.text, [&](char32_t c, std::string_view bytes) {
			const Kind here = unicode::is_white_space(c) ? Kind::space
				: unicode::is_word_character(c)          ? Kind::word
														 : Kind::other;
			if (here != kind) {
				flush();
				kind = here;
				start = at;
			}
			at += bytes.size();
		});
		flush();
	}
};

// Replaces blanks by a mark; words begin with it.
class Metaspace final : public PreTokenizer {
public:
	Metaspace(json::Element settings, const std::string &where)
		: mark_(
			  json::find(settings, "replacement") ? json::text_member(settings, "replacement", where) : "\xE2\x96\x81"),
		  split_(json::boolean_member(settings, "split", true, where))
	{
		if (mark_.empty() || core::decode(mark_.data(), mark_.data() + mark_.size()).length != mark_.size())
			config_failure(where + ".replacement: must be one character");
		std::string_view scheme = "always";
		if (const auto given = json::find(settings, "prepend_scheme"))
			scheme = json::text(*given, where + ".prepend_scheme");
		else if (!json::boolean_member(settings, "add_prefix_space", true, where))
			scheme = "never";
		if (scheme != "always" && scheme != "first" && scheme != "never")
			config_failure(where + ".prepend_scheme: must be always, first or never");
		always_ = scheme == "always";
		first_ = scheme == "first";
	}

	void cut(Piece &&piece, std::vector<Piece> &out) const override
	{
		Piece marked{{}, piece.at_start, {}};
		for (const char c : piece.text) {
			if (c == ' ')
				marked.text.append(mark_);
			else
				marked.text.push_back(c);
		}
		if ((always_ || (first_ && piece.at_start)) && !marked.text.starts_with(mark_))
			marked.text.insert(0, mark_);
		if (!split_) {
			out.push_back(std::move(marked));
			return;
		}
		const char32_t mark = core::decode(mark_.data(), mark_.data() + mark_.size()).code_point;
		append_parts(marked, parts_by(marked.text, [&](char32_t c) { return c == mark; }), Behavior::with_next, out);
	}

private:
	std::string mark_;
	bool split_;
	bool always_, first_;
};

// Cuts as GPT-2 does, and writes each byte as a character.
class ByteLevel final : public PreTokenizer {
public:
	ByteLevel(bool add_blank, bool cut, const std::string &where) : add_blank_(add_blank)
	{
		if (cut)
			pattern_ = Pattern::of_regex(
				"'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+", where);
	}

	void cut(Piece &&piece, std::vector<Piece> &out) const override
	{
		if (add_blank_ && !piece.text.starts_with(' '))
			piece.text.insert(0, 1, ' ');
		const std::size_t first = out.size();
		if (pattern_)
			append_parts(piece, parts_by(piece.text, *pattern_), Behavior::isolated, out);
		else
			out.push_back(std::move(piece));
		for (std::size_t i = first; i < out.size(); ++i)
			out[i].text = byte_characters(out[i].text);
	}

private:
	bool add_blank_;
	std::optional<Pattern> pattern_;
};

class Delimiter final : public PreTokenizer {
public:
	explicit Delimiter(char32_t delimiter) : delimiter_(delimiter) {}
	void cut(Piece &&piece, std::vector<Piece> &out) const override
	{
		append_parts(
			piece, parts_by(piece.text, [this](char32_t c) { return c == delimiter_; }), Behavior::removed, out);
	}

private:
	char32_t delimiter_;
};

class PreTokenizers final : public PreTokenizer {
public:
	PreTokenizers(json::Element settings, const std::string &where)
	{
		for (const json::Element part : json::array(json::member(settings, "pretokenizers", where), where))
			parts_.push_back(make_pre_tokenizer(part, where));
	}
	void cut(Piece &&piece, std::vector<Piece> &out) const override
	{
		std::vector<Piece> pieces;
		pieces.push_back(std::move(piece));
		for (const auto &part : parts_)
			pieces = cut_all(*part, std::move(pieces));
		std::move(pieces.begin(), pieces.end(), std::back_inserter(out));
	}

private:
	std::vector<std::unique_ptr<PreTokenizer>> parts_;
};

Behavior behavior_of(json::Element settings, std::string_view otherwise, const std::string &where)
{
	const auto behavior = json::find(settings, "behavior");
	return parse_behavior(behavior ? json::text(*behavior, where + ".behavior") : otherwise, where);
}

} // namespace

std::unique_ptr<PreTokenizer> make_bert_pre_tokenizer() { return std::make_unique<BertPreTokenizer>(); }

std::unique_ptr<PreTokenizer> make_pre_tokenizer(json::Element settings, const std::string &where)
{
	const std::string_view type = json::text_member(settings, "type", where);
	const std::string inside = where + " " + std::string(type);
	if (type == "BertPreTokenizer")
		return make_bert_pre_tokenizer();
	if (type == "Whitespace")
		return std::make_unique<Words>();
	if (type == "WhitespaceSplit")
		return std::make_unique<ByCharacter>(unicode::is_white_space, Behavior::removed);
	if (type == "Punctuation")
		return std::make_unique<ByCharacter>(unicode::is_punctuation, behavior_of(settings, "Isolated", inside));
	if (type == "Digits")
		return std::make_unique<ByCharacter>(unicode::is_numeric,
			json::boolean_member(settings, "individual_digits", false, inside) ? Behavior::isolated
																			   : Behavior::contiguous);
	if (type == "CharDelimiterSplit") {
		const std::string_view delimiter = json::text_member(settings, "delimiter", inside);
		if (delimiter.empty())
			config_failure(inside + ".delimiter: must be one character");
		return std::make_unique<Delimiter>(
			core::decode(delimiter.data(), delimiter.data() + delimiter.size()).code_point);
	}
	if (type == "Metaspace")
		return std::make_unique<Metaspace>(settings, inside);
	if (type == "Split")
		return std::make_unique<ByPattern>(Pattern(json::member(settings, "pattern", inside), inside),
			json::boolean_member(settings, "invert", false, inside), behavior_of(settings, "", inside));
	if (type == "ByteLevel")
		return std::make_unique<ByteLevel>(json::boolean_member(settings, "add_prefix_space", true, inside),
			json::boolean_member(settings, "use_regex", true, inside), inside);
	if (type == "Sequence")
		return std::make_unique<PreTokenizers>(settings, inside);
	config_failure(where + ": the pre-tokenizer \"" + std::string(type) + "\" is not supported");
}

std::vector<Piece> cut_all(const PreTokenizer &pre_tokenizer, std::vector<Piece> &&pieces)
{
	std::vector<Piece> out;
	out.reserve(pieces.size());
	for (Piece &piece : pieces) {
		if (piece.token)
			out.push_back(std::move(piece));
		else
			pre_tokenizer.cut(std::move(piece), out);
	}
	std::erase_if(out, [](const Piece &piece) { return !piece.token && piece.text.empty(); });
	return out;
}

} // namespace txtfp::embed
