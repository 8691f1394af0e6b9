// A model in a file: tokenizer, ONNX Runtime, pooling. Results as those of the crate txtfp 0.2.2 (LocalProvider).
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
	std::size_t max_seq_len = 512; // tokens; what is behind them is cut off, the final special token, too
	int threads = 0;               // of one inference; 0: as ONNX Runtime likes
	std::size_t batch = 32;        // texts of one inference
	std::string runtime;           // path of ONNX Runtime, or empty
};

class LocalModel final : public Embedder {
public:
	// Throws Failure(config, tokenizer, onnx, io).
	explicit LocalModel(const LocalModelSettings &settings);

	std::vector<std::vector<float>> embed(
		std::span<const std::string> texts, Purpose purpose, Clock::time_point deadline) override;
	std::size_t dimension() const override { return session_.dimension() != 0 ? session_.dimension() : 384; }

private:
	Encoding encode(const std::string &text, Purpose purpose) const;
	void run(std::span<const std::size_t> chosen, const std::vector<Encoding> &encodings,
		std::vector<std::vector<float>> &out) const;
	void take(const Tensor &tensor, std::span<const std::size_t> chosen,
		const std::vector<std::vector<std::int32_t>> &masks, std::vector<std::vector<float>> &out) const;

	LocalModelSettings settings_;
	Tokenizer tokenizer_;
	OnnxSession session_;
};

} // namespace txtfp::embed
