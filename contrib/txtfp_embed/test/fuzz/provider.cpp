// Any answer of a provider, and any Retry-After, give vectors that can be stored, or a Failure.
//   byte 0: the provider, and the number of texts that were sent
#include "program/provider/provider.hpp"

#include <cmath>

#include "fuzz/fuzz.hpp"
#include "program/base/failure.hpp"
#include "program/provider/retry.hpp"

using namespace txtfp::embed;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
	if (size == 0)
		return 0;
	const std::string body(reinterpret_cast<const char *>(data) + 1, size - 1);
	ProviderSettings settings;
	settings.kind = static_cast<ProviderKind>(data[0] % 3);
	const std::size_t expected = data[0] / 3 % 4;
	if (const auto seconds = parse_retry_after(body))
		REQUIRE_EQ(*seconds >= 0, true);
	try {
		const auto vectors = parse_provider_answer(settings, body, expected);
		REQUIRE_EQ(vectors.size(), expected);
		for (const auto &vector : vectors) {
			REQUIRE_EQ(vector.empty(), false);
			for (const float element : vector)
				REQUIRE_EQ(std::isfinite(element), true);
		}
	} catch (const Failure &) {
		// The failure was reported.
	}
	return 0;
}
