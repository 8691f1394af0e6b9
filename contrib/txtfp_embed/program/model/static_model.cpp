#include "program/model/static_model.hpp"

#include <algorithm>

#include "core/embedding/embedding.hpp"
#include "program/base/files.hpp"
#include "program/base/json.hpp"
#include "program/model/safetensors.hpp"

namespace txtfp::embed {

namespace {

std::string_view first_characters(std::string_view text, std::size_t count)
{
	if (text.size() <= count)
		return text;
	std::size_t at = 0;
	while (at < text.size() && (core::is_continuation(text[at]) || count-- > 0))
		++at;
	return text.substr(0, at);
}

} // namespace

StaticModel::StaticModel(const StaticModelSettings &settings)
	: settings_(settings), tokenizer_(Tokenizer::from_file(settings.tokenizer))
{
	read_matrix();
	read_config();
	// As model2vec: the text is cut off first, at the length that so many tokens are thought to have.
	max_characters_ = max_tokens_ * tokenizer_.median_token_length();
}

void StaticModel::read_matrix()
{
	const std::string where = settings_.matrix.string(), file = read_file(settings_.matrix);
	const auto tensors = parse_safetensors(file, where);
	auto found = tensors.find("embeddings");
	if (found == tensors.end())
		found = tensors.find("embedding.weight"); // in models of sentence-transformers
	if (found == tensors.end())
		config_failure(where + ": has neither \"embeddings\" nor \"embedding.weight\": this is no static model");
	if (found->second.shape.size() != 2 || found->second.size() == 0)
		config_failure(where + ": \"" + found->first + "\" must have rows and columns");
	matrix_ = floats_of(found->second, where + ": " + found->first);
	rows_ = found->second.shape[0];
	width_ = found->second.shape[1];
	dimension_ = settings_.truncate_dim == 0 ? width_ : settings_.truncate_dim;
	if (dimension_ > width_)
		config_failure(where + ": truncate_dim is larger than the dimension, " + std::to_string(width_));
	if (const auto mapping = tensors.find("mapping"); mapping != tensors.end())
		row_of_token_ = integers_of(mapping->second, where + ": mapping");
	if (const auto weights = tensors.find("weights"); weights != tensors.end())
		weights_ = floats_of(weights->second, where + ": weights");
	known_tokens_ = row_of_token_.empty() ? rows_ : row_of_token_.size();
	if (!weights_.empty())
		known_tokens_ = std::min(known_tokens_, weights_.size());
	if (known_tokens_ < tokenizer_.token_ids())
		config_failure(where + ": is made for another tokenizer: it has " + std::to_string(known_tokens_) +
			" tokens, and the tokenizer " + std::to_string(tokenizer_.token_ids()));
	for (const std::int64_t row : row_of_token_)
		if (row < 0 || static_cast<std::size_t>(row) >= rows_)
			config_failure(where + ": mapping: there is no row " + std::to_string(row));
}

void StaticModel::read_config()
{
	const std::filesystem::path path = settings_.matrix.parent_path() / "config.json";
	if (std::filesystem::exists(path)) {
		const std::string where = path.string(), text = read_file(path);
		simdjson::dom::parser parser;
		json::Element root;
		if (parser.parse(text).get(root) != simdjson::SUCCESS)
			config_failure(where + " is no JSON");
		normalize_ = json::boolean_member(root, "normalize", false, where);
		if (const auto length = json::find(root, "max_length"))
			max_tokens_ = static_cast<std::size_t>(json::integer(*length, 1, 1 << 20, where + ".max_length"));
	}
	normalize_ = settings_.normalize.value_or(normalize_);
	max_tokens_ = settings_.max_seq_len.value_or(max_tokens_);
}

std::vector<std::vector<float>> StaticModel::embed(
	std::span<const std::string> texts, Purpose purpose, Clock::time_point deadline)
{
	const std::string &prefix = purpose == Purpose::query ? settings_.query_prefix : settings_.document_prefix;
	std::vector<std::vector<float>> out;
	out.reserve(texts.size());
	for (const std::string &text : texts) {
		if (out.size() % 1024 == 1023 && Clock::now() >= deadline)
			throw Failure(FailureKind::timeout, "the model did not answer in time", true);
		out.push_back(embed_one(prefix.empty() ? text : prefix + text));
	}
	return out;
}

std::vector<float> StaticModel::embed_one(std::string_view text) const
{
	std::vector<TokenId> tokens = tokenizer_.tokens(first_characters(text, max_characters_));
	tokens.resize(std::min(tokens.size(), max_tokens_));
	if (const auto unknown = tokenizer_.unknown_id())
		std::erase(tokens, *unknown);
	if (tokens.empty())
		throw Failure(FailureKind::input, "the text has no token that the model knows");
	std::vector<float> sum(dimension_, 0);
	for (const TokenId token : tokens) {
		if (token >= known_tokens_) // numbers of tokens may have gaps
			throw Failure(FailureKind::tokenizer, "the model has no vector for token " + std::to_string(token));
		const std::size_t row = row_of_token_.empty() ? token : static_cast<std::size_t>(row_of_token_[token]);
		const float weight = weights_.empty() ? 1 : weights_[token];
		const float *vector = matrix_.data() + row * width_;
		for (std::size_t i = 0; i < dimension_; ++i)
			sum[i] += weight * vector[i];
	}
	for (float &value : sum)
		value /= static_cast<float>(tokens.size());
	if (normalize_)
		core::l2_normalize(sum);
	if (core::check_vector(sum) != core::EmbeddingError::none)
		throw Failure(FailureKind::input, "embedding contains non-finite values");
	return sum;
}

} // namespace txtfp::embed
