// ONNX Runtime, loaded on demand: the program neither links with it nor needs its headers.
//
// Its C interface is a table of functions to which new ones are only appended; those used here exist since version 1.12 of
// the library (API version 12). Indexes and signatures are facts of onnxruntime_c_api.h (MIT licence).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace txtfp::embed {

class OnnxRuntime {
public:
	// `library` is a path; if empty, the environment variable TXTFP_ONNXRUNTIME or the system's library is used.
	// The process has one instance, and the first call decides which. Throws Failure(config).
	static const OnnxRuntime &load(const std::string &library);
	OnnxRuntime(const OnnxRuntime &) = delete;
	OnnxRuntime &operator=(const OnnxRuntime &) = delete;

	const std::string &version() const noexcept { return version_; }
	const void *const *functions() const noexcept { return functions_; }
	void *environment() const noexcept { return environment_; }

	// Throws Failure(onnx) with `what` and the library's message, and releases the status.
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
	// Throws Failure(onnx) if the file is not a model, or has inputs other than input_ids, attention_mask and
	// token_type_ids.
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
	std::string name(int function, std::size_t i) const;

	const OnnxRuntime &runtime_;
	void *session_ = nullptr;
	void *memory_ = nullptr; // describes CPU memory
	std::vector<std::string> inputs_;
	std::string output_;
	std::size_t dimension_ = 0;
};

} // namespace txtfp::embed
