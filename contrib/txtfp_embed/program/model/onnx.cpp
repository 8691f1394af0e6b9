#include "program/model/onnx.hpp"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <mutex>

#include <dlfcn.h>

#include "program/base/failure.hpp"

namespace txtfp::embed {

namespace {

constexpr std::uint32_t api_version = 12;

struct ApiBase {
	const void *const *(*get_api)(std::uint32_t version);
	const char *(*get_version)();
};

// Indexes of functions in the table
enum Function {
	get_error_message = 2,
	create_env = 3,
	disable_telemetry = 6,
	create_session = 7,
	run_session = 9,
	create_session_options = 10,
	set_optimization_level = 23,
	set_intra_threads = 24,
	set_inter_threads = 25,
	input_count = 30,
	output_count = 31,
	output_type = 34,
	input_name = 36,
	output_name = 37,
	create_tensor = 49,
	tensor_data = 51,
	type_to_tensor = 55,
	element_type = 60,
	dimensions_count = 61,
	dimensions = 62,
	element_count = 64,
	tensor_shape = 65,
	create_cpu_memory = 69,
	allocator_free = 76,
	default_allocator = 78,
	release_status = 93,
	release_memory = 94,
	release_session = 95,
	release_value = 96,
	release_type = 98,
	release_shape = 99,
	release_options = 100,
};

constexpr int float_element = 1, int64_element = 7;
constexpr int errors_only = 3, all_optimizations = 99;
constexpr int arena_allocator = 1, default_memory = 0;

// Calls a function of type OrtStatus *(…)
template <typename... Arguments>
void call(const OnnxRuntime &runtime, const char *what, Function function, Arguments... arguments)
{
	using Signature = void *(*) (Arguments...);
	runtime.check(reinterpret_cast<Signature>(const_cast<void *>(runtime.functions()[function]))(arguments...), what);
}

void release(const OnnxRuntime &runtime, Function function, void *object)
{
	if (object != nullptr)
		reinterpret_cast<void (*)(void *)>(const_cast<void *>(runtime.functions()[function]))(object);
}

class Held {
public:
	Held(const OnnxRuntime &runtime, Function release) : runtime_(runtime), release_(release) {}
	~Held() { release(runtime_, release_, object); }
	Held(const Held &) = delete;
	Held &operator=(const Held &) = delete;
	void *object = nullptr;

private:
	const OnnxRuntime &runtime_;
	Function release_;
};

void *open_library(const std::string &library)
{
	std::vector<std::string> candidates;
	if (!library.empty()) {
		candidates.push_back(library);
	} else if (const char *named = std::getenv("TXTFP_ONNXRUNTIME"); named != nullptr && *named != '\0') {
		candidates.emplace_back(named);
	} else {
		candidates = {"libonnxruntime.so.1", "libonnxruntime.so"};
	}
	std::string reason;
	for (const std::string &candidate : candidates) {
		if (void *handle = dlopen(candidate.c_str(), RTLD_NOW | RTLD_LOCAL))
			return handle;
		reason = dlerror();
	}
	config_failure(
		"ONNX Runtime cannot be loaded (option \"onnxruntime\" or TXTFP_ONNXRUNTIME names the library): " + reason);
}

std::vector<std::int64_t> shape_of(const OnnxRuntime &runtime, void *info)
{
	std::size_t count = 0;
	call(runtime, "shape", dimensions_count, static_cast<const void *>(info), &count);
	std::vector<std::int64_t> shape(count);
	call(runtime, "shape", dimensions, static_cast<const void *>(info), shape.data(), count);
	return shape;
}

} // namespace

// ---------------------------------------------------------------------------------------------- the library

const OnnxRuntime &OnnxRuntime::load(const std::string &library)
{
	// Neither unloads nor releases the library at exit: its threads and its own statics may already be gone, or still be in use.
	static std::mutex mutex;
	static OnnxRuntime *loaded = nullptr;
	const std::lock_guard lock(mutex);
	if (loaded == nullptr)
		loaded = new OnnxRuntime(library);
	return *loaded;
}

OnnxRuntime::OnnxRuntime(const std::string &library) : handle_(open_library(library))
{
	const auto get_base = reinterpret_cast<const ApiBase *(*) ()>(dlsym(handle_, "OrtGetApiBase"));
	if (get_base == nullptr)
		config_failure("the library named for ONNX Runtime is another one");
	const ApiBase *base = get_base();
	version_ = base->get_version();
	functions_ = base->get_api(api_version);
	if (functions_ == nullptr)
		config_failure("ONNX Runtime " + version_ + " is too old");
	call(*this, "environment", create_env, errors_only, "txtfp-embed", &environment_);
	call(*this, "telemetry", disable_telemetry, static_cast<const void *>(environment_));
}

void OnnxRuntime::check(void *status, const char *what) const
{
	if (status == nullptr)
		return;
	const auto message =
		reinterpret_cast<const char *(*) (const void *)>(const_cast<void *>(functions_[get_error_message]))(status);
	const std::string text = std::string(what) + ": " + message;
	release(*this, release_status, status);
	throw Failure(FailureKind::onnx, text);
}

// ---------------------------------------------------------------------------------------------- a model

OnnxSession::OnnxSession(const OnnxRuntime &runtime, const std::string &path, int threads) : runtime_(runtime)
{
	Held options(runtime_, release_options);
	call(runtime_, "options", create_session_options, &options.object);
	call(runtime_, "options", set_optimization_level, options.object, all_optimizations);
	if (threads > 0)
		call(runtime_, "options", set_intra_threads, options.object, threads);
	call(runtime_, "options", set_inter_threads, options.object, 1);
	try {
		call(runtime_, "session", create_session, static_cast<const void *>(runtime_.environment()), path.c_str(),
			static_cast<const void *>(options.object), &session_);
		call(runtime_, "memory", create_cpu_memory, arena_allocator, default_memory, &memory_);
		read_inputs();
		read_outputs();
	} catch (...) {
		release(runtime_, release_memory, memory_);
		release(runtime_, release_session, session_);
		throw;
	}
}

OnnxSession::~OnnxSession()
{
	release(runtime_, release_memory, memory_);
	release(runtime_, release_session, session_);
}

std::string OnnxSession::name(int function, std::size_t i) const
{
	void *allocator = nullptr;
	char *text = nullptr;
	call(runtime_, "allocator", default_allocator, &allocator);
	call(runtime_, "name", static_cast<Function>(function), static_cast<const void *>(session_), i, allocator, &text);
	std::string copy = text;
	call(runtime_, "name", allocator_free, allocator, static_cast<void *>(text));
	return copy;
}

void OnnxSession::read_inputs()
{
	std::size_t count = 0;
	call(runtime_, "inputs", input_count, static_cast<const void *>(session_), &count);
	for (std::size_t i = 0; i < count; ++i) {
		inputs_.push_back(name(input_name, i));
		const std::string &input = inputs_.back();
		if (input != "input_ids" && input != "attention_mask" && input != "token_type_ids")
			throw Failure(FailureKind::onnx,
				"unexpected ONNX input `" + input + "` (expected input_ids/attention_mask/token_type_ids)");
	}
}

void OnnxSession::read_outputs()
{
	std::size_t count = 0;
	call(runtime_, "outputs", output_count, static_cast<const void *>(session_), &count);
	if (count == 0)
		throw Failure(FailureKind::onnx, "model produced no outputs");
	std::vector<std::string> names;
	for (std::size_t i = 0; i < count; ++i) {
		names.push_back(name(output_name, i));
		Held type(runtime_, release_type);
		const void *tensor = nullptr;
		call(runtime_, "output", output_type, static_cast<const void *>(session_), i, &type.object);
		call(runtime_, "output", type_to_tensor, static_cast<const void *>(type.object), &tensor);
		if (tensor == nullptr || dimension_ != 0)
			continue;
		const std::vector<std::int64_t> shape = shape_of(runtime_, const_cast<void *>(tensor));
		if (!shape.empty() && shape.back() > 0)
			dimension_ = static_cast<std::size_t>(shape.back());
	}
	for (const char *wanted : {"sentence_embedding", "last_hidden_state", "pooler_output"})
		if (output_.empty() && std::find(names.begin(), names.end(), wanted) != names.end())
			output_ = wanted;
	if (output_.empty())
		output_ = names.front();
}

Tensor OnnxSession::run(
	std::span<std::int64_t> ids, std::span<std::int64_t> mask, std::size_t rows, std::size_t length) const
{
	std::vector<std::int64_t> types(ids.size(), 0);
	const std::int64_t shape[2] = {static_cast<std::int64_t>(rows), static_cast<std::int64_t>(length)};
	std::vector<std::unique_ptr<Held>> tensors;
	std::vector<const char *> names;
	std::vector<const void *> values;
	for (const std::string &input : inputs_) {
		const std::span<std::int64_t> data = input == "input_ids" ? ids : input == "attention_mask" ? mask : types;
		tensors.push_back(std::make_unique<Held>(runtime_, release_value));
		call(runtime_, "tensor", create_tensor, static_cast<const void *>(memory_), static_cast<void *>(data.data()),
			data.size_bytes(), static_cast<const std::int64_t *>(shape), std::size_t{2}, int64_element,
			&tensors.back()->object);
		names.push_back(input.c_str());
		values.push_back(tensors.back()->object);
	}
	Held result(runtime_, release_value);
	const char *output = output_.c_str();
	call(runtime_, "inference", run_session, session_, static_cast<const void *>(nullptr),
		static_cast<const char *const *>(names.data()), static_cast<const void *const *>(values.data()), values.size(),
		static_cast<const char *const *>(&output), std::size_t{1}, &result.object);
	Held info(runtime_, release_shape);
	call(runtime_, "output", tensor_shape, static_cast<const void *>(result.object), &info.object);
	int type = 0;
	std::size_t count = 0;
	float *data = nullptr;
	call(runtime_, "output", element_type, static_cast<const void *>(info.object), &type);
	if (type != float_element)
		throw Failure(FailureKind::onnx, "extract f32 tensor: the output has elements of type " + std::to_string(type));
	call(runtime_, "output", element_count, static_cast<const void *>(info.object), &count);
	call(runtime_, "output", tensor_data, result.object, reinterpret_cast<void **>(&data));
	return {shape_of(runtime_, info.object), std::vector<float>(data, data + count)};
}

} // namespace txtfp::embed
