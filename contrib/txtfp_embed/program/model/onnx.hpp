// ONNX Runtime, loaded when it is needed: the program neither links with it nor needs its headers.
//
// Its C interface is a table of functions that only grows at the end; what is used here has been there since version 1.12 of
// the library (API version 12). Indices and signatures are facts of onnxruntime_c_api.h (MIT licence).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace txtfp::embed {

class OnnxRuntime {
public:
	// `library`: a path, or empty for what the environment variable TXTFP_ONNXRUNTIME or the system's libraries give.
	// One for the whole process: the first call decides. Throws Failure(config).
	static const OnnxRuntime &load(const std::string &library);
	OnnxRuntime(const OnnxRuntime &) = delete;
	OnnxRuntime &operator=(const OnnxRuntime &) = delete;

	const std::string &version() const noexcept { return version_; }
	const void *const *functions() const noexcept { return functions_; }
	void *environment() const noexcept { return environment_; }

	// Throws Failure(onnx) with `what` before the library's words, and releases the status.
	void check(void *status, const char *what) const;

private:
	explicit OnnxRuntime(const std::string &library);

	void *handle_ = nullptr;
	const void *const *functions_ = nullptr;
	void *environment_ = nullptr;
	std::string version_;
};

// One output of a model: 32-bit floats.
struct Tensor {
	std::vector<std::int64_t> shape;
	std::vector<float> values;
};

class OnnxSession {
public:
	// Throws Failure(onnx) if the file is no model, or has inputs other than input_ids, attention_mask and
	// token_type_ids.
	OnnxSession(const OnnxRuntime &runtime, const std::string &path, int threads);
	~OnnxSession();
	OnnxSession(const OnnxSession &) = delete;
	OnnxSession &operator=(const OnnxSession &) = delete;

	// ids and mask: `rows` rows of `length` elements. May be called by several threads at once.
	Tensor run(std::span<std::int64_t> ids, std::span<std::int64_t> mask, std::size_t rows, std::size_t length) const;

	std::size_t dimension() const noexcept { return dimension_; } // 0: the graph does not say

private:
	void read_inputs();
	void read_outputs();
	std::string name(int function, std::size_t i) const;

	const OnnxRuntime &runtime_;
	void *session_ = nullptr;
	void *memory_ = nullptr; // describes the processor's memory
	std::vector<std::string> inputs_;
	std::string output_;
	std::size_t dimension_ = 0;
};

} // namespace txtfp::embed
