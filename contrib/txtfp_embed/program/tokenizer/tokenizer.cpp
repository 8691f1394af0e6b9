#include "program/tokenizer/tokenizer.hpp"

#include <algorithm>

#include "program/base/files.hpp"
#include "program/tokenizer/unicode.hpp"

namespace txtfp::embed {

namespace {

constexpr std::int64_t max_length = std::int64_t{1} << 31;

std::string_view without_line_end_space(std::string_view line)
{
	while (!line.empty() && (line.back() == '\r' || line.back() == ' ' || line.back() == '\t'))
		line.remove_suffix(1);
	return line;
}

} // namespace

// ---------------------------------------------------------------------------------------------- tokenizer.json

Tokenizer Tokenizer::from_json(std::string_view text)
{
	simdjson::dom::parser parser;
	json::Element root;
	if (const auto error = parser.parse(text.data(), text.size()).get(root); error != simdjson::SUCCESS)
		config_failure(std::string("tokenizer.json: ") + simdjson::error_message(error));
	if (!root.is_object())
		config_failure("tokenizer.json: must be an object");
	Tokenizer result;
	result.model_ = make_model(json::member(root, "model", "tokenizer.json"), "tokenizer.json: model");
	if (const auto settings = json::find(root, "normalizer"))
		result.normalizer_ = make_normalizer(*settings, "tokenizer.json: normalizer");
	if (const auto settings = json::find(root, "pre_tokenizer"))
		result.pre_tokenizer_ = make_pre_tokenizer(*settings, "tokenizer.json: pre_tokenizer");
	if (const auto tokens = json::find(root, "added_tokens"))
		result.added_ = AddedTokens(
			added_tokens_of(*tokens, *result.model_, "tokenizer.json: added_tokens"), result.normalizer_.get());
	if (const auto settings = json::find(root, "post_processor"))
		result.read_post_processor(*settings, "tokenizer.json: post_processor");
	if (const auto settings = json::find(root, "truncation"))
		result.read_truncation(*settings);
	if (const auto settings = json::find(root, "padding"))
		result.read_padding(*settings);
	return result;
}

void Tokenizer::read_post_processor(json::Element settings, const std::string &where)
{
	const std::string_view type = json::text_member(settings, "type", where);
	const std::string inside = where + " " + std::string(type);
	if (type == "TemplateProcessing") {
		read_template(settings, inside);
	} else if (type == "BertProcessing" || type == "RobertaProcessing") {
		read_frame(settings, inside);
	} else if (type == "Sequence") {
		for (const json::Element part : json::array(json::member(settings, "processors", inside), inside))
			read_post_processor(part, inside);
	} else if (type != "ByteLevel") { // ByteLevel changes only offsets
		config_failure(where + ": the post-processor \"" + std::string(type) + "\" is not supported");
	}
}

// Each post-processor of a sequence works on the result of the one before it.
void Tokenizer::read_template(json::Element settings, const std::string &where)
{
	const json::Element special_tokens = json::member(settings, "special_tokens", where);
	Template result;
	for (const json::Element part : json::array(json::member(settings, "single", where), where + ".single")) {
		if (const auto special = json::find(part, "SpecialToken")) {
			const std::string_view name = json::text_member(*special, "id", where + ".single");
			const json::Element token = json::member(special_tokens, name, where + ".special_tokens");
			for (const json::Element id : json::array(json::member(token, "ids", where), where))
				result.push_back(static_cast<TokenId>(json::integer(id, 0, UINT32_MAX, where + ".special_tokens")));
		} else if (json::find(part, "Sequence")) {
			result.insert(result.end(), template_.begin(), template_.end());
		} else {
			config_failure(where + ".single: must be SpecialToken or Sequence");
		}
	}
	if (std::count(result.begin(), result.end(), std::nullopt) > 1)
		config_failure(where + ".single: has the text more than once");
	template_ = std::move(result);
}

void Tokenizer::read_frame(json::Element settings, const std::string &where)
{
	const auto id = [&](std::string_view name) {
		const std::string path = where + "." + std::string(name);
		const json::Array pair = json::array(json::member(settings, name, where), path);
		if (pair.size() != 2)
			config_failure(path + ": must be token and id");
		return static_cast<TokenId>(json::integer(pair.at(1).value(), 0, UINT32_MAX, path));
	};
	template_.insert(template_.begin(), id("cls"));
	template_.push_back(id("sep"));
}

void Tokenizer::read_truncation(json::Element settings)
{
	const std::string where = "tokenizer.json: truncation";
	truncation_.on = true;
	truncation_.length =
		static_cast<std::size_t>(json::integer(json::member(settings, "max_length", where), 0, max_length, where));
	if (const auto direction = json::find(settings, "direction"))
		truncation_.from_left = json::text(*direction, where) == "Left";
	if (const auto strategy = json::find(settings, "strategy");
		strategy && json::text(*strategy, where) == "OnlySecond")
		config_failure(where + ": the strategy \"OnlySecond\" needs pairs of texts");
	if (truncation_.length < special_count())
		config_failure(where + ".max_length: has no room for the special tokens");
}

void Tokenizer::read_padding(json::Element settings)
{
	const std::string where = "tokenizer.json: padding";
	padding_.id = static_cast<TokenId>(json::integer(json::member(settings, "pad_id", where), 0, UINT32_MAX, where));
	if (const auto direction = json::find(settings, "direction"))
		padding_.on_left = json::text(*direction, where) == "Left";
	if (const auto multiple = json::find(settings, "pad_to_multiple_of"))
		padding_.multiple = static_cast<std::size_t>(json::integer(*multiple, 0, max_length, where));
	const json::Element strategy = json::member(settings, "strategy", where);
	if (strategy.is_string()) // BatchLongest
		return;
	padding_.fixed = true;
	padding_.length =
		static_cast<std::size_t>(json::integer(json::member(strategy, "Fixed", where), 0, max_length, where));
}

// ---------------------------------------------------------------------------------------------- vocab.txt

Tokenizer Tokenizer::from_vocab_txt(std::string_view text, const VocabTxt &settings)
{
	Vocabulary vocabulary;
	TokenId id = 0;
	while (!text.empty()) {
		const std::size_t end = text.find('\n');
		vocabulary.insert_or_assign(std::string(without_line_end_space(text.substr(0, end))), id++);
		text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
	}
	Tokenizer result;
	result.normalizer_ =
		make_bert_normalizer({true, settings.handle_chinese_chars, settings.strip_accents, settings.lowercase});
	result.pre_tokenizer_ = make_bert_pre_tokenizer();
	result.model_ = make_wordpiece({}, std::move(vocabulary));
	std::vector<AddedToken> added;
	for (const char *content : {"[UNK]", "[SEP]", "[CLS]", "[PAD]", "[MASK]"})
		if (const auto known = result.model_->find(content))
			added.push_back({content, *known, false, false, false, false, true});
	result.added_ = AddedTokens(std::move(added), result.normalizer_.get());
	const auto cls = result.model_->find("[CLS]"), sep = result.model_->find("[SEP]");
	if (!cls || !sep || !result.model_->find("[UNK]"))
		config_failure("vocab.txt: [UNK], [CLS] or [SEP] is missing");
	result.template_ = {*cls, std::nullopt, *sep};
	result.padding_.id = result.model_->find("[PAD]").value_or(0);
	return result;
}

Tokenizer Tokenizer::from_file(const std::filesystem::path &path)
{
	const std::string content = read_file(path);
	if (path.extension() != ".txt")
		return from_json(content);
	VocabTxt settings;
	const std::filesystem::path config = path.parent_path() / "tokenizer_config.json";
	if (std::filesystem::exists(config)) {
		const std::string where = "tokenizer_config.json", text = read_file(config);
		simdjson::dom::parser parser;
		json::Element root;
		if (parser.parse(text.data(), text.size()).get(root) != simdjson::SUCCESS)
			config_failure(where + " is no JSON");
		settings.lowercase = json::boolean_member(root, "do_lower_case", true, where);
		settings.strip_accents = json::boolean_member(root, "strip_accents", settings.lowercase, where);
		settings.handle_chinese_chars = json::boolean_member(root, "tokenize_chinese_chars", true, where);
	}
	return from_vocab_txt(content, settings);
}

// ---------------------------------------------------------------------------------------------- encoding

std::size_t Tokenizer::special_count() const
{
	return template_.size() - static_cast<std::size_t>(std::count(template_.begin(), template_.end(), std::nullopt));
}

void Tokenizer::truncate(std::vector<TokenId> &ids) const
{
	const std::size_t room = truncation_.length - special_count();
	if (!truncation_.on || ids.size() <= room)
		return;
	if (truncation_.from_left)
		ids.erase(ids.begin(), ids.end() - static_cast<std::ptrdiff_t>(room));
	else
		ids.resize(room);
}

void Tokenizer::pad(Encoding &encoding) const
{
	std::size_t length = padding_.fixed ? padding_.length : encoding.ids.size();
	if (padding_.multiple > 0 && length % padding_.multiple > 0)
		length += padding_.multiple - length % padding_.multiple;
	if (length <= encoding.ids.size())
		return;
	const std::size_t missing = length - encoding.ids.size();
	const auto at = [&](auto &values) { return padding_.on_left ? values.begin() : values.end(); };
	encoding.ids.insert(at(encoding.ids), missing, padding_.id);
	encoding.mask.insert(at(encoding.mask), missing, 0);
}

std::size_t Tokenizer::token_ids() const
{
	std::size_t count = model_->vocabulary_size();
	for (const AddedToken &token : added_.tokens())
		count = std::max<std::size_t>(count, token.id + std::size_t{1});
	return count;
}

std::size_t Tokenizer::median_token_length() const
{
	std::vector<std::size_t> lengths;
	const auto add = [&](std::string_view token) {
		lengths.push_back(static_cast<std::size_t>(
			std::count_if(token.begin(), token.end(), [](char byte) { return !core::is_continuation(byte); })));
	};
	model_->for_each_token(add);
	for (const AddedToken &token : added_.tokens())
		if (!model_->find(token.content))
			add(token.content);
	std::sort(lengths.begin(), lengths.end());
	return lengths.empty() ? 0 : (lengths[(lengths.size() - 1) / 2] + lengths[lengths.size() / 2]) / 2;
}

std::vector<TokenId> Tokenizer::tokens(std::string_view utf8) const
{
	if (!simdjson::validate_utf8(utf8.data(), utf8.size()))
		throw Failure(FailureKind::input, "the text is not UTF-8");
	std::vector<Piece> pieces = added_.split(utf8, normalizer_.get());
	if (pre_tokenizer_)
		pieces = cut_all(*pre_tokenizer_, std::move(pieces));
	std::vector<TokenId> ids;
	for (const Piece &piece : pieces) {
		if (piece.token)
			ids.push_back(*piece.token);
		else
			model_->tokenize(piece.text, ids);
	}
	return ids;
}

Encoding Tokenizer::encode(std::string_view utf8) const
{
	std::vector<TokenId> ids = tokens(utf8);
	truncate(ids);
	Encoding encoding;
	for (const std::optional<TokenId> &part : template_) {
		if (part)
			encoding.ids.push_back(*part);
		else
			encoding.ids.insert(encoding.ids.end(), ids.begin(), ids.end());
	}
	encoding.mask.assign(encoding.ids.size(), 1);
	pad(encoding);
	return encoding;
}

} // namespace txtfp::embed
