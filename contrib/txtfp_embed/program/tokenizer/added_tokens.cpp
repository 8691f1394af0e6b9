#include "program/tokenizer/added_tokens.hpp"

#include <algorithm>

#include "program/tokenizer/unicode.hpp"

namespace txtfp::embed {

namespace {

bool ends_with_word(std::string_view text)
{
	std::size_t at = text.size();
	while (at > 0 && core::is_continuation(text[at - 1]))
		--at;
	if (at > 0)
		--at;
	return !text.empty() &&
		unicode::is_word_character(core::decode(text.data() + at, text.data() + text.size()).code_point);
}

bool begins_with_word(std::string_view text)
{
	return !text.empty() && unicode::is_word_character(core::decode(text.data(), text.data() + text.size()).code_point);
}

std::size_t leading_space(std::string_view text)
{
	std::size_t length = 0;
	while (length < text.size()) {
		const core::Decoded c = core::decode(text.data() + length, text.data() + text.size());
		if (!unicode::is_white_space(c.code_point))
			break;
		length += c.length;
	}
	return length;
}

// The position at which the trailing white space begins
std::size_t without_trailing_space(std::string_view text)
{
	std::size_t at = 0, end = 0;
	for_each_character(text, [&](char32_t c, std::string_view bytes) {
		at += bytes.size();
		if (!unicode::is_white_space(c))
			end = at;
	});
	return end;
}

} // namespace

// ---------------------------------------------------------------------------------------------- finding

void AddedTokens::Finder::add(std::string pattern, std::size_t token)
{
	if (pattern.empty())
		return;
	empty_ = false;
	by_byte_[static_cast<unsigned char>(pattern[0])].push_back({std::move(pattern), token});
}

void AddedTokens::Finder::finish()
{
	for (auto &entries : by_byte_)
		std::stable_sort(entries.begin(), entries.end(),
			[](const Entry &a, const Entry &b) { return a.pattern.size() > b.pattern.size(); });
}

const AddedTokens::Finder::Entry *AddedTokens::Finder::at(std::string_view rest) const
{
	for (const Entry &entry : by_byte_[static_cast<unsigned char>(rest[0])])
		if (rest.starts_with(entry.pattern))
			return &entry;
	return nullptr;
}

void AddedTokens::Finder::split(
	const Piece &piece, const std::vector<AddedToken> &tokens, std::vector<Piece> &out) const
{
	if (empty_) {
		out.push_back(piece);
		return;
	}
	const std::string_view text = piece.text;
	std::size_t done = 0; // the text before this position has been returned
	const auto emit = [&](std::size_t start, std::size_t end, std::optional<TokenId> token) {
		out.push_back({std::string(text.substr(start, end - start)), piece.at_start && start == 0, token});
	};
	for (std::size_t at = 0; at < text.size();) {
		const Entry *entry = this->at(text.substr(at));
		if (entry == nullptr) {
			++at;
			continue;
		}
		const AddedToken &token = tokens[entry->token];
		std::size_t start = at, end = at + entry->pattern.size();
		at = end;
		if (token.single_word && (ends_with_word(text.substr(0, start)) || begins_with_word(text.substr(end))))
			continue;
		if (token.left_strip)
			start = std::max(without_trailing_space(text.substr(0, start)), done);
		if (token.right_strip)
			end += leading_space(text.substr(end));
		if (done < start)
			emit(done, start, std::nullopt);
		emit(std::max(start, std::min(done, end)), end, token.id);
		done = end;
	}
	if (done < text.size())
		emit(done, text.size(), std::nullopt);
}

AddedTokens::AddedTokens(std::vector<AddedToken> tokens, const Normalizer *normalizer) : tokens_(std::move(tokens))
{
	// Special tokens are first: of two tokens with the same content the first one is found.
	for (const bool special : {true, false}) {
		for (std::size_t i = 0; i < tokens_.size(); ++i) {
			if (tokens_[i].special != special)
				continue;
			if (!tokens_[i].normalized) {
				raw_.add(tokens_[i].content, i);
				continue;
			}
			Piece content{tokens_[i].content, true, {}};
			if (normalizer != nullptr)
				normalizer->apply(content);
			normalized_.add(std::move(content.text), i);
		}
	}
	raw_.finish();
	normalized_.finish();
}

std::vector<Piece> AddedTokens::split(std::string_view text, const Normalizer *normalizer) const
{
	std::vector<Piece> raw, pieces;
	raw_.split({std::string(text), true, {}}, tokens_, raw);
	for (Piece &piece : raw) {
		if (piece.token) {
			pieces.push_back(std::move(piece));
			continue;
		}
		if (normalizer != nullptr)
			normalizer->apply(piece);
		normalized_.split(piece, tokens_, pieces);
	}
	std::erase_if(pieces, [](const Piece &piece) { return !piece.token && piece.text.empty(); });
	return pieces;
}

std::optional<TokenId> AddedTokens::find(std::string_view content) const
{
	for (const AddedToken &token : tokens_)
		if (token.content == content)
			return token.id;
	return std::nullopt;
}

// ---------------------------------------------------------------------------------------------- reading

std::vector<AddedToken> added_tokens_of(json::Element array, const Model &model, const std::string &where)
{
	std::vector<AddedToken> tokens;
	std::size_t next = model.vocabulary_size();
	for (const json::Element entry : json::array(array, where)) {
		AddedToken token;
		token.content = json::text_member(entry, "content", where);
		token.single_word = json::boolean_member(entry, "single_word", false, where);
		token.left_strip = json::boolean_member(entry, "lstrip", false, where);
		token.right_strip = json::boolean_member(entry, "rstrip", false, where);
		token.special = json::boolean_member(entry, "special", false, where);
		token.normalized = json::boolean_member(entry, "normalized", !token.special, where);
		if (token.content.empty())
			continue;
		const auto same = std::find_if(
			tokens.begin(), tokens.end(), [&](const AddedToken &other) { return other.content == token.content; });
		if (same != tokens.end())
			token.id = same->id;
		else if (const auto known = model.find(token.content))
			token.id = *known;
		else
			token.id = static_cast<TokenId>(next++);
		tokens.push_back(std::move(token));
	}
	return tokens;
}

} // namespace txtfp::embed
