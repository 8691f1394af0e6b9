#include "program/model/safetensors.hpp"

#include <bit>
#include <cstring>

#include "program/base/json.hpp"

namespace txtfp::embed {

namespace {

constexpr std::size_t max_header = 100 << 20;

std::size_t element_bytes(std::string_view type, const std::string &where)
{
	if (type == "F64" || type == "I64" || type == "U64")
		return 8;
	if (type == "F32" || type == "I32" || type == "U32")
		return 4;
	if (type == "F16" || type == "BF16" || type == "I16" || type == "U16")
		return 2;
	if (type == "I8" || type == "U8" || type == "BOOL")
		return 1;
	config_failure(where + ": the type \"" + std::string(type) + "\" is not supported");
}

StoredTensor tensor_of(json::Element entry, std::string_view data, const std::string &where)
{
	StoredTensor tensor;
	tensor.type = json::text_member(entry, "dtype", where);
	std::size_t bytes = element_bytes(tensor.type, where);
	for (const json::Element extent : json::array(json::member(entry, "shape", where), where + ".shape")) {
		const auto value = static_cast<std::size_t>(json::integer(extent, 0, INT32_MAX, where + ".shape"));
		tensor.shape.push_back(value);
		// A product that does not fit the file is wrong in any case; this keeps it from overflowing.
		if (value > 0 && bytes > data.size() / value)
			config_failure(where + ".shape: is larger than the file");
		bytes *= value;
	}
	const json::Array offsets = json::array(json::member(entry, "data_offsets", where), where + ".data_offsets");
	if (offsets.size() != 2)
		config_failure(where + ".data_offsets: must be two numbers");
	const auto most = static_cast<std::int64_t>(data.size());
	const std::int64_t start = json::integer(offsets.at(0).value(), 0, most, where + ".data_offsets");
	const std::int64_t end = json::integer(offsets.at(1).value(), start, most, where + ".data_offsets");
	if (static_cast<std::size_t>(end - start) != bytes)
		config_failure(where + ".data_offsets: do not fit the shape");
	tensor.bytes = data.substr(static_cast<std::size_t>(start), bytes);
	return tensor;
}

template <typename Stored, typename Fn> auto converted(std::string_view bytes, Fn fn)
{
	std::vector<decltype(fn(Stored{}))> out(bytes.size() / sizeof(Stored));
	for (std::size_t i = 0; i < out.size(); ++i) {
		Stored value;
		std::memcpy(&value, bytes.data() + i * sizeof value, sizeof value);
		out[i] = fn(value);
	}
	return out;
}

float float_of_half(std::uint16_t half)
{
	const std::uint32_t sign = std::uint32_t{half & 0x8000u} << 16, exponent = half >> 10 & 31, fraction = half & 0x3FF;
	if (exponent == 0) { // zero or subnormal: a multiple of 2^-24
		const float value = static_cast<float>(fraction) * 0x1p-24f;
		return sign != 0 ? -value : value;
	}
	const std::uint32_t wide = exponent == 31 ? 255 : exponent + 112;
	return std::bit_cast<float>(sign | wide << 23 | fraction << 13);
}

} // namespace

std::size_t StoredTensor::size() const noexcept
{
	std::size_t count = 1;
	for (const std::size_t extent : shape)
		count *= extent;
	return count;
}

std::map<std::string, StoredTensor, std::less<>> parse_safetensors(std::string_view file, const std::string &where)
{
	if (std::endian::native != std::endian::little)
		config_failure(where + ": files of safetensors can be read on little-endian processors only");
	std::uint64_t header_size = 0;
	if (file.size() < sizeof header_size)
		config_failure(where + ": is no file of safetensors");
	std::memcpy(&header_size, file.data(), sizeof header_size);
	if (header_size > max_header || header_size > file.size() - sizeof header_size)
		config_failure(where + ": is no file of safetensors");
	simdjson::dom::parser parser;
	json::Element root;
	const auto error = parser.parse(file.data() + sizeof header_size, header_size).get(root);
	if (error != simdjson::SUCCESS)
		config_failure(where + ": header: " + simdjson::error_message(error));
	simdjson::dom::object members;
	if (root.get(members) != simdjson::SUCCESS)
		config_failure(where + ": header: must be an object");
	std::map<std::string, StoredTensor, std::less<>> tensors;
	for (const auto &[name, entry] : members)
		if (name != "__metadata__")
			tensors.emplace(name,
				tensor_of(entry, file.substr(sizeof header_size + header_size), where + ": " + std::string(name)));
	return tensors;
}

std::vector<float> floats_of(const StoredTensor &tensor, const std::string &where)
{
	if (tensor.type == "F32")
		return converted<float>(tensor.bytes, [](float value) { return value; });
	if (tensor.type == "F64")
		return converted<double>(tensor.bytes, [](double value) { return static_cast<float>(value); });
	if (tensor.type == "F16")
		return converted<std::uint16_t>(tensor.bytes, float_of_half);
	if (tensor.type == "BF16")
		return converted<std::uint16_t>(
			tensor.bytes, [](std::uint16_t value) { return std::bit_cast<float>(std::uint32_t{value} << 16); });
	if (tensor.type == "I8")
		return converted<std::int8_t>(tensor.bytes, [](std::int8_t value) { return static_cast<float>(value); });
	config_failure(where + ": must have elements of type F64, F32, F16, BF16 or I8, not " + tensor.type);
}

std::vector<std::int64_t> integers_of(const StoredTensor &tensor, const std::string &where)
{
	const auto widened = [](auto value) { return static_cast<std::int64_t>(value); };
	if (tensor.type == "I64")
		return converted<std::int64_t>(tensor.bytes, widened);
	if (tensor.type == "I32")
		return converted<std::int32_t>(tensor.bytes, widened);
	if (tensor.type == "I16")
		return converted<std::int16_t>(tensor.bytes, widened);
	config_failure(where + ": must have elements of type I64, I32 or I16, not " + tensor.type);
}

} // namespace txtfp::embed
