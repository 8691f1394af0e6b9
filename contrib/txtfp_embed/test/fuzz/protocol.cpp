// Both directions of the socket: any bytes are a request, an answer, or neither, and views stay inside of them.
#include "core/protocol.hpp"

#include <cmath>

#include "fuzz/fuzz.hpp"

using namespace txtfp::embed;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
	const std::string whole(reinterpret_cast<const char *>(data), size);
	if (size >= head_size) {
		if (const auto announced = parse_head(std::span(whole).first(head_size), max_request))
			REQUIRE_EQ(*announced <= max_request, true);
	}
	if (const auto request = parse_request(whole)) {
		const auto head =
			request_head(request->purpose, request->timeout_ms, request->model.size(), request->text.size());
		const std::string again = std::string(head.data() + head_size, head.size() - head_size) +
			std::string(request->model) + std::string(request->text);
		REQUIRE_EQ(again == whole, true);
	}
	if (const auto answer = parse_answer(whole)) {
		REQUIRE_EQ((answer->outcome == 0) == (answer->dimension > 0), true);
		REQUIRE_EQ(answer->message.size() <= max_message, true);
		for (std::size_t i = 0; i < answer->dimension; ++i)
			REQUIRE_EQ(std::isfinite(answer_element(whole, i)), true);
	}
	return 0;
}
