// A model in a file: tokenizer, ONNX Runtime, pooling. Same results as the crate txtfp 0.2.2 (LocalProvider).
#pragma once

#include <filesystem>

#include "core/embedding/pooling.hpp"
#include "program/model/embedder.hpp"
#include "program/model/onnx.hpp"
#include "program/tokenizer/tokenizer.hpp"

namespace txtfp::embed {

struct LocalModelSettings {
	std::filesystem::path onnx, tokenizer;
	core::Pooling pooling = core::Pooling::mean;
	std::string query_prefix, document_prefix;
	std::size_t max_seq_len = 512; // tokens; later tokens are cut off, including the final special token
	int threads = 0;               // threads of one inference; 0: ONNX Runtime decides
	std::size_t batch = 32;        // texts per inference
	std::size_t truncate_dim = 0;  // first elements of a vector that are kept; 0: all
	std::string runtime;           // path of ONNX Runtime, or empty
};

class LocalModel final : public Embedder {
public:
	// Throws Failure(config, tokenizer, onnx, io).
	explicit LocalModel(const LocalModelSettings &settings);

	std::vector<std::vector<float>> embed(
		std::span<const std::string> texts, Purpose purpose, Clock::time_point deadline) override;
	std::size_t dimension() const override;

private:
	Encoding encode(const std::string &text, Purpose purpose) const;
	void run(std::span<const std::size_t> chosen, const std::vector<Encoding> &encodings,
		std::vector<std::vector<float>> &out) const;
	void pool(const Tensor &tensor, std::span<const std::size_t> chosen,
		const std::vector<std::vector<std::int32_t>> &masks, std::vector<std::vector<float>> &out) const;

	void shorten(std::vector<float> &vector) const;

	LocalModelSettings settings_;
	Tokenizer tokenizer_;
	OnnxSession session_;
};

} // namespace txtfp::embed
