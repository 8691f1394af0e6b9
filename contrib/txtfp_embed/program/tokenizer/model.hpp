// The "model" of tokenizer.json: WordPiece, Unigram or BPE. It turns a piece of text into tokens.
#pragma once

#include <memory>
#include <vector>

#include "program/base/json.hpp"
#include "program/tokenizer/piece.hpp"

namespace txtfp::embed {

class Model {
public:
	virtual ~Model() = default;
	// Appends the tokens of `text`, which is not empty. Throws Failure(tokenizer) if the text contains something that
	// the vocabulary lacks, and there is no token for unknown text.
	virtual void tokenize(std::string_view text, std::vector<TokenId> &out) const = 0;
	virtual std::optional<TokenId> find(std::string_view token) const = 0;
	virtual std::size_t vocabulary_size() const = 0;
	virtual std::optional<TokenId> unknown() const = 0;
	virtual void for_each_token(const std::function<void(std::string_view)> &fn) const = 0;
};

// Throws Failure(config).
std::unique_ptr<Model> make_model(json::Element settings, const std::string &where);

std::unique_ptr<Model> make_unigram(json::Element settings, const std::string &where);
std::unique_ptr<Model> make_bpe(json::Element settings, const std::string &where);

struct WordPieceSettings {
	std::string unknown = "[UNK]";
	std::string prefix = "##"; // prefix of a token that continues a word
	std::size_t max_characters = 100;
};
std::unique_ptr<Model> make_wordpiece(const WordPieceSettings &settings, Vocabulary vocabulary);

Vocabulary vocabulary_of(json::Element object, const std::string &where);
std::string byte_token(unsigned char byte); // "<0x0A>"

} // namespace txtfp::embed
