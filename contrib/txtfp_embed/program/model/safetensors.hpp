// The file format safetensors: a JSON header with name, type, shape and place of each tensor, then their bytes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace txtfp::embed {

struct StoredTensor {
	std::string type; // "F32"
	std::vector<std::size_t> shape;
	std::string_view bytes;

	std::size_t size() const noexcept; // elements
};

// `file` must outlive the result. Throws Failure(config) with `where` if a header does not fit the file.
std::map<std::string, StoredTensor, std::less<>> parse_safetensors(std::string_view file, const std::string &where);

// Throws Failure(config) for types other than F64, F32, F16, BF16 and I8, or I64, I32 and I16.
std::vector<float> floats_of(const StoredTensor &tensor, const std::string &where);
std::vector<std::int64_t> integers_of(const StoredTensor &tensor, const std::string &where);

} // namespace txtfp::embed
