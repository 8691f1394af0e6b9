// WordPiece: takes the longest token that begins the word, then the longest that continues it, and so on. If this
// fails, the whole word is unknown.
#include <algorithm>

#include "program/tokenizer/model.hpp"

namespace txtfp::embed {

namespace {

class WordPiece final : public Model {
public:
	WordPiece(const WordPieceSettings &settings, Vocabulary vocabulary)
		: settings_(settings), vocabulary_(std::move(vocabulary)), unknown_(find(settings.unknown))
	{
		for (const auto &[token, id] : vocabulary_)
			longest_ = std::max(longest_, token.size());
	}

	void tokenize(std::string_view text, std::vector<TokenId> &out) const override
	{
		const std::size_t before = out.size();
		if (!cut(text, out)) {
			if (!unknown_)
				throw Failure(FailureKind::tokenizer, "the vocabulary has no \"" + settings_.unknown + "\"");
			out.resize(before);
			out.push_back(*unknown_);
		}
	}

	std::optional<TokenId> find(std::string_view token) const override
	{
		const auto found = vocabulary_.find(token);
		return found == vocabulary_.end() ? std::nullopt : std::optional(found->second);
	}

	std::size_t vocabulary_size() const override { return vocabulary_.size(); }
	std::optional<TokenId> unknown() const override { return unknown_; }

	void for_each_token(const std::function<void(std::string_view)> &fn) const override
	{
		for (const auto &[token, id] : vocabulary_)
			fn(token);
	}

private:
	bool cut(std::string_view word, std::vector<TokenId> &out) const
	{
		const auto characters = static_cast<std::size_t>(
			std::count_if(word.begin(), word.end(), [](char byte) { return !core::is_continuation(byte); }));
		if (characters > settings_.max_characters)
			return false;
		std::string buffer = settings_.prefix;
		for (std::size_t start = 0; start < word.size();) {
			std::string_view key = word.substr(0, longest_);
			if (start > 0) {
				buffer.resize(settings_.prefix.size());
				buffer.append(word.substr(start, longest_));
				key = buffer;
			}
			const std::size_t head = start > 0 ? settings_.prefix.size() : 0;
			std::optional<TokenId> token;
			while (key.size() > head && !(token = find(key))) {
				do
					key.remove_suffix(1);
				while (key.size() > head && core::is_continuation(word[start + key.size() - head]));
			}
			if (!token)
				return false;
			out.push_back(*token);
			start += key.size() - head;
		}
		return true;
	}

	WordPieceSettings settings_;
	Vocabulary vocabulary_;
	std::optional<TokenId> unknown_;
	std::size_t longest_ = 0; // length in bytes of the longest token
};

std::unique_ptr<Model> wordpiece_of(json::Element settings, const std::string &where)
{
	WordPieceSettings wordpiece;
	wordpiece.unknown = json::text_member(settings, "unk_token", where);
	if (json::find(settings, "continuing_subword_prefix"))
		wordpiece.prefix = json::text_member(settings, "continuing_subword_prefix", where);
	if (const auto limit = json::find(settings, "max_input_chars_per_word"))
		wordpiece.max_characters =
			static_cast<std::size_t>(json::integer(*limit, 0, INT64_MAX, where + ".max_input_chars_per_word"));
	return make_wordpiece(wordpiece, vocabulary_of(json::member(settings, "vocab", where), where + ".vocab"));
}

} // namespace

std::unique_ptr<Model> make_wordpiece(const WordPieceSettings &settings, Vocabulary vocabulary)
{
	return std::make_unique<WordPiece>(settings, std::move(vocabulary));
}

std::unique_ptr<Model> make_model(json::Element settings, const std::string &where)
{
	// Older files do not name the type.
	const auto named = json::find(settings, "type");
	const std::string_view type = named  ? json::text(*named, where + ".type")
		: json::find(settings, "merges") ? std::string_view("BPE")
		: json::find(settings, "unk_id") ? std::string_view("Unigram")
										 : std::string_view("WordPiece");
	const std::string inside = where + " " + std::string(type);
	if (type == "WordPiece")
		return wordpiece_of(settings, inside);
	if (type == "Unigram")
		return make_unigram(settings, inside);
	if (type == "BPE")
		return make_bpe(settings, inside);
	config_failure(where + ": the model \"" + std::string(type) + "\" is not supported");
}

Vocabulary vocabulary_of(json::Element object, const std::string &where)
{
	simdjson::dom::object members;
	if (object.get(members) != simdjson::SUCCESS)
		config_failure(where + ": must be an object");
	Vocabulary vocabulary;
	vocabulary.reserve(members.size());
	for (const auto &[token, id] : members)
		vocabulary.insert_or_assign(std::string(token), static_cast<TokenId>(json::integer(id, 0, UINT32_MAX, where)));
	return vocabulary;
}

std::string byte_token(unsigned char byte)
{
	static constexpr char digits[] = "0123456789ABCDEF";
	return {'<', '0', 'x', digits[byte >> 4], digits[byte & 15], '>'};
}

} // namespace txtfp::embed
