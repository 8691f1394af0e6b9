// The "pre_tokenizer" of tokenizer.json, which cuts the text into the pieces for the model: BertPreTokenizer,
// Whitespace,
// WhitespaceSplit, Punctuation, Digits, CharDelimiterSplit, Metaspace, Split, ByteLevel and Sequence. Another
// type is an error when the file is loaded.
#pragma once

#include <memory>
#include <vector>

#include "program/base/json.hpp"
#include "program/tokenizer/piece.hpp"

namespace txtfp::embed {

class PreTokenizer {
public:
	virtual ~PreTokenizer() = default;
	// Appends the parts of a piece that is not a token.
	virtual void cut(Piece &&piece, std::vector<Piece> &out) const = 0;
};

// Throws Failure(config).
std::unique_ptr<PreTokenizer> make_pre_tokenizer(json::Element settings, const std::string &where);
std::unique_ptr<PreTokenizer> make_bert_pre_tokenizer();

// Cuts every piece that is not a token.
std::vector<Piece> cut_all(const PreTokenizer &pre_tokenizer, std::vector<Piece> &&pieces);

} // namespace txtfp::embed
