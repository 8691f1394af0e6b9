// Converts text to token numbers, as the package `tokenizers` (PyPI, Hugging Face) does, with its file tokenizer.json
// or the vocab.txt of a BERT model.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "program/tokenizer/added_tokens.hpp"
#include "program/tokenizer/model.hpp"
#include "program/tokenizer/normalizer.hpp"
#include "program/tokenizer/pre_tokenizer.hpp"

namespace txtfp::embed {

struct Encoding {
	std::vector<TokenId> ids;
	std::vector<std::int32_t> mask; // 1 for a token, 0 for padding
};

class Tokenizer {
public:
	// `json` is the content of tokenizer.json. Throws Failure(config) that names the invalid or unsupported member.
	static Tokenizer from_json(std::string_view json);

	struct VocabTxt {
		bool lowercase = true;
		bool strip_accents = true;
		bool handle_chinese_chars = true;
	};
	// `vocabulary` has one token per line; the first has number 0; [UNK], [CLS] and [SEP] are required.
	static Tokenizer from_vocab_txt(std::string_view vocabulary, const VocabTxt &settings);

	// A file *.txt is a vocab.txt; its settings are read from tokenizer_config.json in the same folder, if that exists.
	static Tokenizer from_file(const std::filesystem::path &path);

	// Adds special tokens, truncates and pads as the file says; padding to the longest of a batch is ignored.
	// `utf8` must be valid UTF-8 (otherwise throws Failure(input)). Throws Failure(tokenizer).
	Encoding encode(std::string_view utf8) const;

	// The tokens of the text alone, without special tokens, truncation and padding
	std::vector<TokenId> tokens(std::string_view utf8) const;

	std::optional<TokenId> unknown_id() const { return model_->unknown(); }
	std::size_t token_ids() const;           // one more than the greatest number of a token
	std::size_t median_token_length() const; // in characters, of the vocabulary and the added tokens

	TokenId padding_id() const noexcept { return padding_.id; } // 0 if the file does not say

private:
	struct Truncation {
		bool on = false, from_left = false;
		std::size_t length = 0;
	};
	struct Padding {
		bool fixed = false, on_left = false;
		std::size_t length = 0, multiple = 0;
		TokenId id = 0;
	};
	// A special token, or nothing for the place of the text
	using Template = std::vector<std::optional<TokenId>>;

	void read_post_processor(json::Element settings, const std::string &where);
	void read_template(json::Element settings, const std::string &where);
	void read_frame(json::Element settings, const std::string &where);
	void read_truncation(json::Element settings);
	void read_padding(json::Element settings);
	std::size_t special_count() const;
	void truncate(std::vector<TokenId> &ids) const;
	void pad(Encoding &encoding) const;

	std::unique_ptr<Normalizer> normalizer_;
	std::unique_ptr<PreTokenizer> pre_tokenizer_;
	std::unique_ptr<Model> model_;
	AddedTokens added_;
	Template template_{std::nullopt};
	Truncation truncation_;
	Padding padding_;
};

} // namespace txtfp::embed
