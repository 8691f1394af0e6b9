// Against what the package `tokenizers` says: test/data/tokenizers, made by tools/tokenizer_vectors.py.
#include "program/tokenizer/tokenizer.hpp"

#include <fstream>
#include <map>

#include "program/base/files.hpp"
#include "unit/check.hpp"
#include "unit/data.hpp"

using namespace txtfp::embed;

namespace {

std::filesystem::path folder() { return std::filesystem::path(txtfp::test::data_folder()) / "tokenizers"; }

std::string shown(const std::vector<TokenId> &ids, const std::vector<std::int32_t> &mask)
{
	std::string out;
	for (std::size_t i = 0; i < ids.size(); ++i)
		out += std::to_string(ids[i]) + (i < mask.size() && mask[i] != 0 ? " " : "- ");
	return out;
}

std::string failure_of(const std::string &json)
{
	try {
		Tokenizer::from_json(json);
		return "";
	} catch (const Failure &failure) {
		return failure.what();
	}
}

constexpr const char *tiny_model =
	R"("model":{"type":"WordPiece","unk_token":"[UNK]","vocab":{"[UNK]":0,"a":1,"##b":2}})";

} // namespace

TEST(tokenizer_vectors)
{
	std::map<std::string, Tokenizer> tokenizers;
	std::ifstream file(folder() / "vectors.jsonl");
	std::string line;
	simdjson::dom::parser parser;
	int rows = 0;
	while (std::getline(file, line)) {
		const json::Element row = parser.parse(line).value();
		const std::string name(json::text_member(row, "tokenizer", "row"));
		auto known = tokenizers.find(name);
		if (known == tokenizers.end())
			known = tokenizers.emplace(name, Tokenizer::from_file(folder() / name)).first;
		std::vector<TokenId> ids;
		std::vector<std::int32_t> mask;
		for (const json::Element id : json::array(json::member(row, "ids", "row"), "ids"))
			ids.push_back(static_cast<TokenId>(json::integer(id, 0, UINT32_MAX, "id")));
		for (const json::Element one : json::array(json::member(row, "mask", "row"), "mask"))
			mask.push_back(static_cast<std::int32_t>(json::integer(one, 0, 1, "mask")));
		const std::string text(json::text_member(row, "text", "row"));
		const Encoding encoding = known->second.encode(text);
		CHECK_EQ(shown(encoding.ids, encoding.mask), shown(ids, mask), name + ": " + text);
		++rows;
	}
	CHECK_EQ(tokenizers.size(), 7u);
	CHECK_EQ(rows >= 700, true, std::to_string(rows));
}

TEST(tokenizer_says_what_it_does_not_know)
{
	const std::string model = tiny_model;
	CHECK_EQ(failure_of("{"),
		std::string("config error: tokenizer.json: The JSON document has an improper structure: missing or "
					"superfluous commas, braces, missing keys, etc."));
	CHECK_EQ(failure_of("[]"), std::string("config error: tokenizer.json: must be an object"));
	CHECK_EQ(failure_of("{}"), std::string("config error: tokenizer.json.model: missing"));
	CHECK_EQ(failure_of("{" + model + R"(,"normalizer":{"type":"Nmt"}})"),
		std::string("config error: tokenizer.json: normalizer: the normalizer \"Nmt\" is not supported"));
	CHECK_EQ(failure_of("{" + model + R"(,"pre_tokenizer":{"type":"ByteLevel"}})"),
		std::string("config error: tokenizer.json: pre_tokenizer: the pre-tokenizer \"ByteLevel\" is not supported"));
	CHECK_EQ(failure_of("{" + model + R"(,"normalizer":{"type":"Replace","pattern":{"Regex":"a|b"},"content":""}})"),
		std::string(
			"config error: tokenizer.json: normalizer Replace: the regular expression \"a|b\" is not supported"));
	CHECK_EQ(failure_of(R"({"model":{"type":"WordLevel"}})"),
		std::string("config error: tokenizer.json: model: the model \"WordLevel\" is not supported"));
	CHECK_EQ(failure_of("{" + model + R"(,"truncation":{"max_length":"x"}})"),
		std::string("config error: tokenizer.json: truncation: must be an integer from 0 to 2147483648"));
	CHECK_EQ(failure_of(R"({"model":{"type":"BPE","vocab":{"a":0},"merges":["a b"]}})"),
		std::string("config error: tokenizer.json: model BPE.merges: \"a b\" is not in the vocabulary"));
	CHECK_EQ(failure_of(R"({"model":{"type":"Unigram","unk_id":7,"vocab":[["a",-1.0]]}})"),
		std::string("config error: tokenizer.json: model Unigram.unk_id: must be an integer from 0 to 0"));
	CHECK_EQ(failure_of("{" + model + R"(,"normalizer":{"type":"Precompiled","precompiled_charsmap":"AAAAAAAA"}})"),
		std::string("config error: precompiled_charsmap is broken"));
}

TEST(tokenizer_errors_of_texts)
{
	const Tokenizer no_unknown =
		Tokenizer::from_json(R"({"model":{"type":"WordPiece","unk_token":"[NO]","vocab":{"a":1}}})");
	std::string message;
	try {
		no_unknown.encode("b");
	} catch (const Failure &failure) {
		message = failure.what();
	}
	CHECK_EQ(message, std::string("tokenizer error: the vocabulary has no \"[NO]\""));
	try {
		no_unknown.encode("a\xFF");
	} catch (const Failure &failure) {
		message = failure.what();
	}
	CHECK_EQ(message, std::string("invalid input: the text is not UTF-8"));
	CHECK_EQ(no_unknown.encode("").ids.size(), 0u);
}

TEST(vocab_txt_needs_its_special_tokens)
{
	std::string message;
	try {
		Tokenizer::from_vocab_txt("[PAD]\n[UNK]\nfoo\n", {});
	} catch (const Failure &failure) {
		message = failure.what();
	}
	CHECK_EQ(message, std::string("config error: vocab.txt: [UNK], [CLS] or [SEP] is missing"));
}
