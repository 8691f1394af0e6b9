// The "normalizer" of tokenizer.json: BertNormalizer, NFC, NFD, NFKC, NFKD, Lowercase, StripAccents, Strip, Replace,
// Prepend, Precompiled, ByteLevel and Sequence. A normalizer of another type is an error when the file is loaded.
#pragma once

#include <memory>

#include "program/base/json.hpp"
#include "program/tokenizer/piece.hpp"

namespace txtfp::embed {

class Normalizer {
public:
	virtual ~Normalizer() = default;
	// Changes the text; clears at_start if the first character is removed.
	virtual void apply(Piece &piece) const = 0;
};

// Throws Failure(config).
std::unique_ptr<Normalizer> make_normalizer(json::Element settings, const std::string &where);

struct BertNormalization {
	bool clean_text = true;
	bool handle_chinese_chars = true;
	bool strip_accents = true;
	bool lowercase = true;
};
std::unique_ptr<Normalizer> make_bert_normalizer(const BertNormalization &settings);

} // namespace txtfp::embed
