// A static model: one vector per token; the embedding of a text is the mean of those of its tokens. Same results as the
// package model2vec (PyPI); needs no ONNX Runtime.
#pragma once

#include <filesystem>

#include "program/model/embedder.hpp"
#include "program/tokenizer/tokenizer.hpp"

namespace txtfp::embed {

struct StaticModelSettings {
	std::filesystem::path matrix, tokenizer;
	std::string query_prefix, document_prefix;
	std::optional<bool> normalize;          // otherwise config.json beside the matrix decides
	std::optional<std::size_t> max_seq_len; // likewise; 512 if that does not say; later tokens are cut off
	std::size_t truncate_dim = 0;           // 0: all
};

class StaticModel final : public Embedder {
public:
	// Throws Failure(config, io).
	explicit StaticModel(const StaticModelSettings &settings);

	std::vector<std::vector<float>> embed(
		std::span<const std::string> texts, Purpose purpose, Clock::time_point deadline) override;
	std::size_t dimension() const override { return dimension_; }

private:
	void read_matrix();
	void read_config();
	std::vector<float> embed_one(std::string_view text) const;

	StaticModelSettings settings_;
	Tokenizer tokenizer_;
	std::vector<float> matrix_; // rows of width_ elements
	std::size_t rows_ = 0, width_ = 0, dimension_ = 0, known_tokens_ = 0;
	std::vector<std::int64_t> row_of_token_; // empty: the row is the token
	std::vector<float> weights_;             // of tokens; empty: all are 1
	std::size_t max_tokens_ = 512, max_characters_ = 0;
	bool normalize_ = false;
};

} // namespace txtfp::embed
