#include "program/model/onnx.hpp"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <numeric>

#include <dlfcn.h>

#include "program/base/failure.hpp"
#include "vendor/onnxruntime/onnxruntime_c_api.h"

namespace txtfp::embed {

namespace {

// The oldest interface that has what is used here, so that libraries from 1.12 on serve; functions are only ever
// appended to it.
constexpr std::uint32_t api_version = 12;

// An object of the library
template <typename T> class Held {
public:
	explicit Held(void (*release)(T *)) : release_(release) {}
	~Held()
	{
		if (object != nullptr)
			release_(object);
	}
	Held(const Held &) = delete;
	Held &operator=(const Held &) = delete;
	T *object = nullptr;

private:
	void (*release_)(T *);
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

std::vector<std::int64_t> shape_of(const OnnxRuntime &runtime, const OrtTensorTypeAndShapeInfo *info)
{
	std::size_t count = 0;
	runtime.check(runtime.api().GetDimensionsCount(info, &count), "shape");
	std::vector<std::int64_t> shape(count);
	runtime.check(runtime.api().GetDimensions(info, shape.data(), count), "shape");
	return shape;
}

} // namespace

// ---------------------------------------------------------------------------------------------- the library

const OnnxRuntime &OnnxRuntime::load(const std::string &library)
{
	// Neither unloads nor releases the library at exit: its threads and its own statics may already be gone, or still
	// be in use.
	static std::mutex mutex;
	static OnnxRuntime *loaded = nullptr;
	const std::lock_guard lock(mutex);
	if (loaded == nullptr)
		loaded = new OnnxRuntime(library);
	return *loaded;
}

OnnxRuntime::OnnxRuntime(const std::string &library)
{
	const auto get_base = reinterpret_cast<decltype(&OrtGetApiBase)>(dlsym(open_library(library), "OrtGetApiBase"));
	if (get_base == nullptr)
		config_failure("the library named for ONNX Runtime is another one");
	const OrtApiBase *base = get_base();
	version_ = base->GetVersionString();
	api_ = base->GetApi(api_version);
	if (api_ == nullptr)
		config_failure("ONNX Runtime " + version_ + " is too old");
	check(api_->CreateEnv(ORT_LOGGING_LEVEL_ERROR, "txtfp-embed", &environment_), "environment");
	check(api_->DisableTelemetryEvents(environment_), "telemetry");
}

void OnnxRuntime::check(OrtStatus *status, const char *what) const
{
	if (status == nullptr)
		return;
	const std::string text = std::string(what) + ": " + api_->GetErrorMessage(status);
	api_->ReleaseStatus(status);
	throw Failure(FailureKind::onnx, text);
}

// ---------------------------------------------------------------------------------------------- a model

OnnxSession::OnnxSession(const OnnxRuntime &runtime, const std::string &path, int threads) : runtime_(runtime)
{
	const OrtApi &api = runtime.api();
	Held<OrtSessionOptions> options(api.ReleaseSessionOptions);
	runtime.check(api.CreateSessionOptions(&options.object), "options");
	runtime.check(api.SetSessionGraphOptimizationLevel(options.object, ORT_ENABLE_ALL), "options");
	if (threads > 0)
		runtime.check(api.SetIntraOpNumThreads(options.object, threads), "options");
	runtime.check(api.SetInterOpNumThreads(options.object, 1), "options");
	try {
		runtime.check(api.CreateSession(runtime.environment(), path.c_str(), options.object, &session_), "session");
		runtime.check(api.CreateCpuMemoryInfo(OrtArenaAllocator, OrtMemTypeDefault, &memory_), "memory");
		read_inputs();
		read_outputs();
	} catch (...) {
		release();
		throw;
	}
}

OnnxSession::~OnnxSession() { release(); }

void OnnxSession::release() noexcept
{
	if (memory_ != nullptr)
		runtime_.api().ReleaseMemoryInfo(memory_);
	if (session_ != nullptr)
		runtime_.api().ReleaseSession(session_);
}

template <typename Function> std::string OnnxSession::name(Function function, std::size_t i) const
{
	OrtAllocator *allocator = nullptr;
	char *text = nullptr;
	runtime_.check(runtime_.api().GetAllocatorWithDefaultOptions(&allocator), "allocator");
	runtime_.check(function(session_, i, allocator, &text), "name");
	std::string copy = text;
	runtime_.check(runtime_.api().AllocatorFree(allocator, text), "name");
	return copy;
}

void OnnxSession::read_inputs()
{
	std::size_t count = 0;
	runtime_.check(runtime_.api().SessionGetInputCount(session_, &count), "inputs");
	for (std::size_t i = 0; i < count; ++i) {
		inputs_.push_back(name(runtime_.api().SessionGetInputName, i));
		const std::string &input = inputs_.back();
		if (input != "input_ids" && input != "attention_mask" && input != "token_type_ids" && input != "position_ids")
			throw Failure(FailureKind::onnx,
				"unexpected ONNX input `" + input +
					"` (expected input_ids/attention_mask/token_type_ids/position_ids)");
	}
}

void OnnxSession::read_outputs()
{
	const OrtApi &api = runtime_.api();
	std::size_t count = 0;
	runtime_.check(api.SessionGetOutputCount(session_, &count), "outputs");
	if (count == 0)
		throw Failure(FailureKind::onnx, "model produced no outputs");
	std::vector<std::string> names;
	for (std::size_t i = 0; i < count; ++i) {
		names.push_back(name(api.SessionGetOutputName, i));
		Held<OrtTypeInfo> type(api.ReleaseTypeInfo);
		const OrtTensorTypeAndShapeInfo *tensor = nullptr;
		runtime_.check(api.SessionGetOutputTypeInfo(session_, i, &type.object), "output");
		runtime_.check(api.CastTypeInfoToTensorInfo(type.object, &tensor), "output");
		if (tensor == nullptr || dimension_ != 0)
			continue;
		const std::vector<std::int64_t> shape = shape_of(runtime_, tensor);
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
	const OrtApi &api = runtime_.api();
	std::vector<std::int64_t> types(ids.size(), 0), positions(ids.size());
	for (std::size_t row = 0; row < rows; ++row)
		std::iota(positions.begin() + static_cast<std::ptrdiff_t>(row * length),
			positions.begin() + static_cast<std::ptrdiff_t>((row + 1) * length), 0);
	const std::int64_t shape[2] = {static_cast<std::int64_t>(rows), static_cast<std::int64_t>(length)};
	std::vector<std::unique_ptr<Held<OrtValue>>> tensors;
	std::vector<const char *> names;
	std::vector<const OrtValue *> values;
	for (const std::string &input : inputs_) {
		const std::span<std::int64_t> data = input == "input_ids" ? ids
			: input == "attention_mask"                           ? mask
			: input == "position_ids"                             ? std::span(positions)
																  : std::span(types);
		tensors.push_back(std::make_unique<Held<OrtValue>>(api.ReleaseValue));
		runtime_.check(api.CreateTensorWithDataAsOrtValue(memory_, data.data(), data.size_bytes(), shape, 2,
						   ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64, &tensors.back()->object),
			"tensor");
		names.push_back(input.c_str());
		values.push_back(tensors.back()->object);
	}
	Held<OrtValue> result(api.ReleaseValue);
	const char *output = output_.c_str();
	runtime_.check(api.Run(session_, nullptr, names.data(), values.data(), values.size(), &output, 1, &result.object),
		"inference");
	Held<OrtTensorTypeAndShapeInfo> info(api.ReleaseTensorTypeAndShapeInfo);
	runtime_.check(api.GetTensorTypeAndShape(result.object, &info.object), "output");
	ONNXTensorElementDataType type{};
	runtime_.check(api.GetTensorElementType(info.object, &type), "output");
	if (type != ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT)
		throw Failure(FailureKind::onnx, "extract f32 tensor: the output has elements of type " + std::to_string(type));
	std::size_t count = 0;
	void *data = nullptr;
	runtime_.check(api.GetTensorShapeElementCount(info.object, &count), "output");
	runtime_.check(api.GetTensorMutableData(result.object, &data), "output");
	const auto *first = static_cast<const float *>(data);
	return {shape_of(runtime_, info.object), std::vector<float>(first, first + count)};
}

} // namespace txtfp::embed
