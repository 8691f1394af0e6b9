// ONNX Runtime, loaded on demand: the program does not link with it. vendor/onnxruntime has the official header of its
// C interface.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

// Types of the C interface, whose header only onnx.cpp needs
struct OrtApi;
struct OrtEnv;
struct OrtMemoryInfo;
struct OrtSession;
struct OrtStatus;

namespace txtfp::embed {

class OnnxRuntime {
public:
	// `library` is a path; if empty, the environment variable TXTFP_ONNXRUNTIME or the system's library is used.
	// The process has one instance, and the first call decides which. Throws Failure(config).
	static const OnnxRuntime &load(const std::string &library);
	OnnxRuntime(const OnnxRuntime &) = delete;
	OnnxRuntime &operator=(const OnnxRuntime &) = delete;

	const std::string &version() const noexcept { return version_; }
	const OrtApi &api() const noexcept { return *api_; }
	const OrtEnv *environment() const noexcept { return environment_; }

	// Throws Failure(onnx) with `what` and the library's message, and releases the status.
	void check(OrtStatus *status, const char *what) const;

private:
	explicit OnnxRuntime(const std::string &library);

	const OrtApi *api_ = nullptr;
	OrtEnv *environment_ = nullptr;
	std::string version_;
};

// One output of a model: 32-bit floats.
struct Tensor {
	std::vector<std::int64_t> shape;
	std::vector<float> values;
};

class OnnxSession {
public:
	// Throws Failure(onnx) if the file is not a model, or has inputs other than input_ids, attention_mask,
	// token_type_ids and position_ids.
	OnnxSession(const OnnxRuntime &runtime, const std::string &path, int threads);
	~OnnxSession();
	OnnxSession(const OnnxSession &) = delete;
	OnnxSession &operator=(const OnnxSession &) = delete;

	// ids and mask have `rows` rows of `length` elements. Several threads may call it at once.
	Tensor run(std::span<std::int64_t> ids, std::span<std::int64_t> mask, std::size_t rows, std::size_t length) const;

	std::size_t dimension() const noexcept { return dimension_; } // 0: the graph does not say

private:
	void read_inputs();
	void read_outputs();
	void release() noexcept;
	template <typename Function> std::string name(Function function, std::size_t i) const;

	const OnnxRuntime &runtime_;
	OrtSession *session_ = nullptr;
	OrtMemoryInfo *memory_ = nullptr; // describes CPU memory
	std::vector<std::string> inputs_;
	std::string output_;
	std::size_t dimension_ = 0;
};

} // namespace txtfp::embed
