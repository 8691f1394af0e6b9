// Text to token numbers, as the package `tokenizers` (PyPI, Hugging Face) does it, from its file tokenizer.json or from the
// vocab.txt of a BERT model.
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
	// `json`: the content of tokenizer.json. Throws Failure(config) with the member that is wrong or not supported.
	static Tokenizer from_json(std::string_view json);

	struct VocabTxt {
		bool lowercase = true;
		bool strip_accents = true;
		bool handle_chinese_chars = true;
	};
	// `vocabulary`: one token in a line, the first has number 0; [UNK], [CLS] and [SEP] must be there.
	static Tokenizer from_vocab_txt(std::string_view vocabulary, const VocabTxt &settings);

	// By the name: a file *.txt is a vocab.txt, whose settings are read from tokenizer_config.json beside it if that exists.
	static Tokenizer from_file(const std::filesystem::path &path);

	// With special tokens, truncation and padding as the file says; what pads to the longest of a batch does not pad.
	// `utf8` must be valid UTF-8 (throws Failure(input) otherwise). Throws Failure(tokenizer).
	Encoding encode(std::string_view utf8) const;

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
	// A special token, or the text (nothing)
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
