#include "core/protocol.hpp"

#include <cmath>
#include <limits>

#include "unit/check.hpp"

using namespace txtfp::embed;

namespace {

std::string request(char purpose, std::string_view model, std::string_view text)
{
	const auto head = request_head(purpose, 1234, model.size(), text.size());
	return std::string(head.data(), head.size()) + std::string(model) + std::string(text);
}

} // namespace

TEST(protocol_request_and_answer)
{
	const std::string whole = request('q', "model", "a text");
	const auto size = parse_head(std::span(whole).first(head_size), max_request);
	CHECK_EQ(size.value_or(0), whole.size() - head_size);
	const auto parsed = parse_request(std::string_view(whole).substr(head_size));
	CHECK_EQ(parsed.has_value(), true);
	CHECK_EQ(parsed->purpose, 'q');
	CHECK_EQ(parsed->timeout_ms, 1234u);
	CHECK_EQ(parsed->model, std::string_view("model"));
	CHECK_EQ(parsed->text, std::string_view("a text"));

	const float vector[] = {0.5f, -1.25f, 3e-20f};
	const std::string answer = vector_answer(vector);
	CHECK_EQ(parse_head(std::span(answer).first(head_size), max_answer).value_or(0), answer.size() - head_size);
	const std::string body = answer.substr(head_size);
	const auto good = parse_answer(body);
	CHECK_EQ(good && good->dimension == 3, true);
	for (std::size_t i = 0; i < 3; ++i)
		CHECK_EQ(answer_element(body, i) == vector[i], true);
	const std::string failure = failure_answer(5, "reason").substr(head_size);
	const auto bad = parse_answer(failure);
	CHECK_EQ(bad && bad->outcome == 5 && bad->message == "reason", true);
	const std::string longest = failure_answer(5, std::string(10000, 'x')).substr(head_size);
	const auto cut = parse_answer(longest);
	CHECK_EQ(cut && cut->message.size() == max_message, true);
}

TEST(protocol_refuses)
{
	const std::string whole = request('d', "m", "");
	for (std::size_t size = 0; size + head_size < whole.size(); ++size)
		CHECK_EQ(
			parse_request(std::string_view(whole).substr(head_size, size)).has_value(), false, std::to_string(size));
	CHECK_EQ(parse_request(std::string_view(request('x', "m", "t")).substr(head_size)).has_value(), false);
	CHECK_EQ(parse_request(std::string_view(request('q', "", "t")).substr(head_size)).has_value(), false);
	CHECK_EQ(
		parse_request(std::string_view(request('q', std::string(1001, 'm'), "")).substr(head_size)).has_value(), false);
	CHECK_EQ(parse_head(std::string_view("TXE1\xFF\xFF\xFF\xFF"), max_answer).has_value(), false);
	CHECK_EQ(parse_head(std::string_view("TXE2\x01\0\0\0", 8), max_answer).has_value(), false);
	for (const float odd : {std::numeric_limits<float>::infinity(), std::nanf("")})
		CHECK_EQ(parse_answer(vector_answer(std::span(&odd, 1)).substr(head_size)).has_value(), false);
	CHECK_EQ(parse_answer(vector_answer({}).substr(head_size)).has_value(), false);
	CHECK_EQ(parse_answer(std::string_view("\0\0\0\0\0", 5)).has_value(), false);
}
