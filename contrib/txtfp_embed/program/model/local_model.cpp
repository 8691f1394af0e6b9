#include "program/model/local_model.hpp"

#include <algorithm>
#include <numeric>

namespace txtfp::embed {

LocalModel::LocalModel(const LocalModelSettings &settings)
	: settings_(settings), tokenizer_(Tokenizer::from_file(settings.tokenizer)),
	  session_(OnnxRuntime::load(settings.runtime), settings.onnx.string(), settings.threads)
{
}

std::size_t LocalModel::dimension() const
{
	const std::size_t whole = session_.dimension() != 0 ? session_.dimension() : 384;
	return settings_.truncate_dim != 0 ? std::min(settings_.truncate_dim, whole) : whole;
}

// Removes padding at the end: the mask hides it from the model, and it costs time.
Encoding LocalModel::encode(const std::string &text, Purpose purpose) const
{
	const std::string &prefix = purpose == Purpose::query ? settings_.query_prefix : settings_.document_prefix;
	Encoding encoding = tokenizer_.encode(prefix.empty() ? text : prefix + text);
	std::size_t length = std::min(encoding.ids.size(), settings_.max_seq_len);
	while (length > 1 && encoding.mask[length - 1] == 0)
		--length;
	encoding.ids.resize(length);
	encoding.mask.resize(length);
	if (length == 0)
		throw Failure(FailureKind::input, "tokenizer produced empty sequence");
	return encoding;
}

std::vector<std::vector<float>> LocalModel::embed(
	std::span<const std::string> texts, Purpose purpose, Clock::time_point deadline)
{
	std::vector<Encoding> encodings;
	encodings.reserve(texts.size());
	for (const std::string &text : texts)
		encodings.push_back(encode(text, purpose));
	// Batches texts of similar length, so that little is padded.
	std::vector<std::size_t> order(texts.size());
	std::iota(order.begin(), order.end(), std::size_t{0});
	std::stable_sort(order.begin(), order.end(),
		[&](std::size_t a, std::size_t b) { return encodings[a].ids.size() > encodings[b].ids.size(); });
	std::vector<std::vector<float>> out(texts.size());
	for (std::size_t at = 0; at < order.size(); at += settings_.batch) {
		if (Clock::now() >= deadline)
			throw Failure(FailureKind::timeout, "the model did not answer in time", true);
		run(std::span(order).subspan(at, std::min(settings_.batch, order.size() - at)), encodings, out);
	}
	return out;
}

void LocalModel::run(std::span<const std::size_t> chosen, const std::vector<Encoding> &encodings,
	std::vector<std::vector<float>> &out) const
{
	const std::size_t length = encodings[chosen.front()].ids.size(); // the longest is first
	std::vector<std::int64_t> ids(chosen.size() * length, tokenizer_.padding_id()), mask(ids.size(), 0);
	std::vector<std::vector<std::int32_t>> masks;
	for (std::size_t row = 0; row < chosen.size(); ++row) {
		const Encoding &encoding = encodings[chosen[row]];
		std::copy(encoding.ids.begin(), encoding.ids.end(), ids.begin() + static_cast<std::ptrdiff_t>(row * length));
		std::copy(encoding.mask.begin(), encoding.mask.end(), mask.begin() + static_cast<std::ptrdiff_t>(row * length));
		masks.push_back(encoding.mask);
	}
	pool(session_.run(ids, mask, chosen.size(), length), chosen, masks, out);
}

void LocalModel::pool(const Tensor &tensor, std::span<const std::size_t> chosen,
	const std::vector<std::vector<std::int32_t>> &masks, std::vector<std::vector<float>> &out) const
{
	const std::size_t rank = tensor.shape.size();
	if (rank != 2 && rank != 3)
		throw Failure(FailureKind::onnx, "unsupported output rank: " + std::to_string(rank));
	if (tensor.shape.back() <= 0)
		throw Failure(FailureKind::onnx, "zero-hidden output");
	const auto width = static_cast<std::size_t>(tensor.shape.back());
	if (static_cast<std::size_t>(tensor.shape[0]) != chosen.size() || tensor.values.size() % chosen.size() != 0)
		throw Failure(FailureKind::onnx, "the model gave another number of rows than it was given");
	const std::size_t row_size = tensor.values.size() / chosen.size();
	for (std::size_t row = 0; row < chosen.size(); ++row) {
		const core::Vector values = core::Vector(tensor.values).subspan(row * row_size, row_size);
		std::vector<float> &vector = out[chosen[row]];
		vector.resize(width);
		if (rank == 3) {
			core::pool(values, masks[row], settings_.pooling, vector);
		} else {
			std::copy_n(values.begin(), width, vector.begin());
			if (settings_.pooling != core::Pooling::mean_no_norm)
				core::l2_normalize(vector);
		}
		shorten(vector);
		if (core::check_vector(vector) != core::EmbeddingError::none)
			throw Failure(FailureKind::input, "embedding contains non-finite values");
	}
}

// Keeps the first elements, in which models that are trained for it (Matryoshka) put the most of the meaning.
void LocalModel::shorten(std::vector<float> &vector) const
{
	if (settings_.truncate_dim == 0)
		return;
	if (settings_.truncate_dim > vector.size())
		config_failure("truncate_dim is larger than the dimension, " + std::to_string(vector.size()));
	vector.resize(settings_.truncate_dim);
	if (settings_.pooling != core::Pooling::mean_no_norm)
		core::l2_normalize(vector);
}

} // namespace txtfp::embed
