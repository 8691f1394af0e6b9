#include "program/tokenizer/normalizer.hpp"

#include <algorithm>

#include "program/tokenizer/byte_level.hpp"
#include "program/tokenizer/charsmap.hpp"
#include "program/tokenizer/pattern.hpp"
#include "program/tokenizer/unicode.hpp"

namespace txtfp::embed {

namespace {

// Keeps the characters for which `keep` is true, mapped by `append`.
template <typename Keep, typename Append> void filter(Piece &piece, Keep keep, Append append)
{
	std::string out;
	out.reserve(piece.text.size());
	bool first = true;
	for_each_character(piece.text, [&](char32_t c, std::string_view bytes) {
		if (keep(c))
			append(out, c, bytes);
		else if (first)
			piece.at_start = false;
		first = false;
	});
	piece.text = std::move(out);
}

void append_bytes(std::string &out, char32_t, std::string_view bytes) { out.append(bytes); }

void lower(Piece &piece)
{
	std::string out;
	out.reserve(piece.text.size());
	for_each_character(piece.text, [&](char32_t c, std::string_view) { unicode::append_lower(out, c); });
	piece.text = std::move(out);
}

class BertNormalizer final : public Normalizer {
public:
	explicit BertNormalizer(const BertNormalization &settings) : settings_(settings) {}

	void apply(Piece &piece) const override
	{
		if (settings_.clean_text)
			filter(
				piece, [](char32_t c) { return !unicode::is_bert_removed(c); },
				[](std::string &out, char32_t c, std::string_view bytes) {
					if (unicode::is_bert_white_space(c))
						out.push_back(' ');
					else
						out.append(bytes);
				});
		if (settings_.handle_chinese_chars)
			set_ideographs_apart(piece);
		if (settings_.strip_accents) {
			piece.text = unicode::normalized(piece.text, unicode::Form::nfd);
			filter(
				piece, [](char32_t c) { return !unicode::is_bert_accent(c); }, append_bytes);
		}
		if (settings_.lowercase)
			lower(piece);
	}

private:
	static void set_ideographs_apart(Piece &piece)
	{
		std::string out;
		out.reserve(piece.text.size());
		for_each_character(piece.text, [&](char32_t c, std::string_view bytes) {
			const bool apart = c >= 0x3400 && unicode::is_cjk_ideograph(c);
			if (apart)
				out.push_back(' ');
			out.append(bytes);
			if (apart)
				out.push_back(' ');
		});
		piece.text = std::move(out);
	}

	BertNormalization settings_;
};

class FormNormalizer final : public Normalizer {
public:
	explicit FormNormalizer(unicode::Form form) : form_(form) {}
	void apply(Piece &piece) const override { piece.text = unicode::normalized(piece.text, form_); }

private:
	unicode::Form form_;
};

class Lowercase final : public Normalizer {
public:
	void apply(Piece &piece) const override { lower(piece); }
};

class StripAccents final : public Normalizer {
public:
	void apply(Piece &piece) const override
	{
		filter(
			piece, [](char32_t c) { return !unicode::is_combining_mark(c); }, append_bytes);
	}
};

class Strip final : public Normalizer {
public:
	Strip(bool left, bool right) : left_(left), right_(right) {}

	void apply(Piece &piece) const override
	{
		std::size_t first = std::string::npos, last = 0, at = 0;
		for_each_character(piece.text, [&](char32_t c, std::string_view bytes) {
			if (!unicode::is_white_space(c)) {
				if (first == std::string::npos)
					first = at;
				last = at + bytes.size();
			}
			at += bytes.size();
		});
		const std::size_t start = left_ ? std::min(first, piece.text.size()) : 0;
		const std::size_t end = right_ ? std::max(last, start) : piece.text.size();
		if (start > 0)
			piece.at_start = false;
		piece.text = piece.text.substr(start, end - start);
	}

private:
	bool left_, right_;
};

class Replace final : public Normalizer {
public:
	Replace(Pattern pattern, std::string_view content) : pattern_(std::move(pattern)), content_(content) {}

	void apply(Piece &piece) const override
	{
		const std::vector<Match> matches = pattern_.matches(piece.text);
		if (matches.empty())
			return;
		std::string out;
		std::size_t at = 0;
		for (const Match &match : matches) {
			out.append(piece.text, at, match.start - at);
			out.append(content_);
			if (match.start == 0 && match.end > 0 && content_.empty())
				piece.at_start = false;
			at = match.end;
		}
		out.append(piece.text, at);
		piece.text = std::move(out);
	}

private:
	Pattern pattern_;
	std::string content_;
};

class Prepend final : public Normalizer {
public:
	explicit Prepend(std::string_view content) : content_(content) {}
	void apply(Piece &piece) const override
	{
		if (!piece.text.empty())
			piece.text.insert(0, content_);
	}

private:
	std::string content_;
};

class Precompiled final : public Normalizer {
public:
	explicit Precompiled(std::string_view base64) : map_(decoded_base64(base64)) {}
	void apply(Piece &piece) const override { piece.text = map_.normalized(piece.text); }

private:
	Charsmap map_;
};

class ByteCharacters final : public Normalizer {
public:
	void apply(Piece &piece) const override { piece.text = byte_characters(piece.text); }
};

class Normalizers final : public Normalizer {
public:
	Normalizers(json::Element settings, const std::string &where)
	{
		for (const json::Element part : json::array(json::member(settings, "normalizers", where), where))
			parts_.push_back(make_normalizer(part, where));
	}
	void apply(Piece &piece) const override
	{
		for (const auto &part : parts_)
			part->apply(piece);
	}

private:
	std::vector<std::unique_ptr<Normalizer>> parts_;
};

std::unique_ptr<Normalizer> bert_of(json::Element settings, const std::string &where)
{
	BertNormalization bert;
	bert.clean_text = json::boolean_member(settings, "clean_text", true, where);
	bert.handle_chinese_chars = json::boolean_member(settings, "handle_chinese_chars", true, where);
	bert.lowercase = json::boolean_member(settings, "lowercase", true, where);
	bert.strip_accents = json::boolean_member(settings, "strip_accents", bert.lowercase, where);
	return make_bert_normalizer(bert);
}

} // namespace

std::unique_ptr<Normalizer> make_bert_normalizer(const BertNormalization &settings)
{
	return std::make_unique<BertNormalizer>(settings);
}

std::unique_ptr<Normalizer> make_normalizer(json::Element settings, const std::string &where)
{
	using unicode::Form;
	const std::string_view type = json::text_member(settings, "type", where);
	const std::string inside = where + " " + std::string(type);
	if (type == "BertNormalizer")
		return bert_of(settings, inside);
	if (type == "NFC")
		return std::make_unique<FormNormalizer>(Form::nfc);
	if (type == "NFD")
		return std::make_unique<FormNormalizer>(Form::nfd);
	if (type == "NFKC")
		return std::make_unique<FormNormalizer>(Form::nfkc);
	if (type == "NFKD")
		return std::make_unique<FormNormalizer>(Form::nfkd);
	if (type == "Lowercase")
		return std::make_unique<Lowercase>();
	if (type == "StripAccents")
		return std::make_unique<StripAccents>();
	if (type == "Strip")
		return std::make_unique<Strip>(json::boolean_member(settings, "strip_left", true, inside),
			json::boolean_member(settings, "strip_right", true, inside));
	if (type == "Replace")
		return std::make_unique<Replace>(
			Pattern(json::member(settings, "pattern", inside), inside), json::text_member(settings, "content", inside));
	if (type == "Prepend")
		return std::make_unique<Prepend>(json::text_member(settings, "prepend", inside));
	if (type == "Precompiled")
		return std::make_unique<Precompiled>(json::text_member(settings, "precompiled_charsmap", inside));
	if (type == "ByteLevel")
		return std::make_unique<ByteCharacters>();
	if (type == "Sequence")
		return std::make_unique<Normalizers>(settings, inside);
	config_failure(where + ": the normalizer \"" + std::string(type) + "\" is not supported");
}

} // namespace txtfp::embed
