#include "program/model/safetensors.hpp"

#include <limits>

#include "program/base/failure.hpp"
#include "unit/check.hpp"

using namespace txtfp::embed;

namespace {

std::string file_of(const std::string &header, const std::string &data)
{
	std::string size(8, '\0');
	size[0] = static_cast<char>(header.size() & 0xFF);
	size[1] = static_cast<char>(header.size() >> 8);
	return size + header + data;
}

std::string failure_of(const std::string &file)
{
	try {
		parse_safetensors(file, "f");
		return "";
	} catch (const Failure &failure) {
		return failure.what();
	}
}

} // namespace

TEST(safetensors)
{
	using namespace std::string_literals;
	// 1, -2, the largest number, the smallest one, infinity
	const std::string halves = "\x00\x3C\x00\xC0\xFF\x7B\x01\x00\x00\x7C"s;
	const std::string file = file_of(
		R"({"__metadata__":{"a":"b"},"h":{"dtype":"F16","shape":[5],"data_offsets":[0,10]},)"
		R"("b":{"dtype":"BF16","shape":[1,1],"data_offsets":[10,12]},"i":{"dtype":"I32","shape":[1],"data_offsets":[12,16]},)"
		R"("none":{"dtype":"F32","shape":[0,4],"data_offsets":[16,16]}})",
		halves + "\xC0\x3F\xFE\xFF\xFF\xFF"s);
	const auto tensors = parse_safetensors(file, "f");
	CHECK_EQ(tensors.size(), 4u);
	const std::vector<float> values = floats_of(tensors.at("h"), "f");
	const std::vector<float> expected = {1, -2, 65504, 0x1p-24f, std::numeric_limits<float>::infinity()};
	CHECK_EQ(values == expected, true);
	const std::vector<float> brain = floats_of(tensors.at("b"), "f");
	CHECK_EQ(brain.size(), 1u);
	CHECK_EQ(brain[0], 1.5f);
	CHECK_EQ(tensors.at("b").shape.size(), 2u);
	const std::vector<std::int64_t> integers = integers_of(tensors.at("i"), "f");
	CHECK_EQ(integers.size(), 1u);
	CHECK_EQ(integers[0], -2);
	CHECK_EQ(floats_of(tensors.at("none"), "f").size(), 0u);
}

TEST(safetensors_errors)
{
	CHECK_EQ(failure_of(""), std::string("config error: f: is no file of safetensors"));
	CHECK_EQ(failure_of(std::string(7, 'x') + "\x7F"), std::string("config error: f: is no file of safetensors"));
	CHECK_EQ(failure_of(file_of("[]", "")), std::string("config error: f: header: must be an object"));
	CHECK_EQ(failure_of(file_of(R"({"a":{"dtype":"F9","shape":[],"data_offsets":[0,0]}})", "")),
		std::string("config error: f: a: the type \"F9\" is not supported"));
	CHECK_EQ(
		failure_of(file_of(R"({"a":{"dtype":"F32","shape":[2147483647,2147483647],"data_offsets":[0,4]}})", "1234")),
		std::string("config error: f: a.shape: is larger than the file"));
	CHECK_EQ(failure_of(file_of(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,3]}})", "1234")),
		std::string("config error: f: a.data_offsets: do not fit the shape"));
	CHECK_EQ(failure_of(file_of(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})", "1234")),
		std::string("config error: f: a.data_offsets: must be an integer from 4 to 4"));
}
