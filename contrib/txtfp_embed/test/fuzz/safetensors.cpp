// A file of safetensors, of any bytes: what is read from it lies within it.
#include "program/model/safetensors.hpp"

#include "fuzz/fuzz.hpp"
#include "program/base/failure.hpp"

using namespace txtfp::embed;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
	try {
		for (const auto &[name, tensor] : parse_safetensors({reinterpret_cast<const char *>(data), size}, "file")) {
			REQUIRE_EQ(floats_of(tensor, name).size(), tensor.size());
		}
	} catch (const Failure &) {
		// The failure was reported.
	}
	return 0;
}
