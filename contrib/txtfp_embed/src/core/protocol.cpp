#include "core/protocol.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "core/text/utf8.hpp"

namespace txtfp::embed {

namespace {

constexpr std::string_view magic = "TXE1";
constexpr std::size_t request_fields = 8, answer_fields = 4;

void store(char *out, std::uint64_t value, std::size_t bytes) noexcept
{
	for (std::size_t i = 0; i < bytes; ++i)
		out[i] = static_cast<char>(value >> (8 * i) & 0xFF);
}

std::uint32_t load(const char *in, std::size_t bytes) noexcept
{
	std::uint32_t value = 0;
	for (std::size_t i = 0; i < bytes; ++i)
		value |= static_cast<std::uint32_t>(static_cast<unsigned char>(in[i])) << (8 * i);
	return value;
}

std::string answer(std::uint8_t outcome, std::size_t size)
{
	std::string out(head_size + answer_fields + size, '\0');
	std::memcpy(out.data(), magic.data(), magic.size());
	store(out.data() + magic.size(), answer_fields + size, 4);
	out[head_size] = static_cast<char>(outcome);
	return out;
}

} // namespace

std::optional<std::size_t> parse_head(std::span<const char> head, std::size_t most) noexcept
{
	if (head.size() != head_size || std::memcmp(head.data(), magic.data(), magic.size()) != 0)
		return std::nullopt;
	const std::size_t size = load(head.data() + magic.size(), 4);
	return size <= most ? std::optional(size) : std::nullopt;
}

std::optional<Request> parse_request(std::string_view body) noexcept
{
	if (body.size() < request_fields || (body[0] != 'q' && body[0] != 'd') || body[1] != 0)
		return std::nullopt;
	const std::size_t model = load(body.data() + 2, 2);
	if (model == 0 || model > max_model_name || model > body.size() - request_fields)
		return std::nullopt;
	const std::string_view text = body.substr(request_fields + model);
	if (text.size() > max_text)
		return std::nullopt;
	return Request{body[0], load(body.data() + 4, 4), body.substr(request_fields, model), text};
}

std::array<char, head_size + 8> request_head(
	char purpose, std::uint32_t timeout_ms, std::size_t model_size, std::size_t text_size) noexcept
{
	std::array<char, head_size + 8> out{};
	std::memcpy(out.data(), magic.data(), magic.size());
	store(out.data() + magic.size(), request_fields + model_size + text_size, 4);
	out[head_size] = purpose;
	store(out.data() + head_size + 2, model_size, 2);
	store(out.data() + head_size + 4, timeout_ms, 4);
	return out;
}

std::optional<Answer> parse_answer(std::string_view body) noexcept
{
	if (body.size() < answer_fields || body[1] != 0 || body[2] != 0 || body[3] != 0)
		return std::nullopt;
	const auto outcome = static_cast<std::uint8_t>(body[0]);
	const std::string_view rest = body.substr(answer_fields);
	if (outcome != 0)
		return Answer{outcome, 0, rest.substr(0, max_message)};
	if (rest.empty() || rest.size() % 4 != 0 || rest.size() / 4 > max_dimension)
		return std::nullopt;
	for (std::size_t i = 0; i < rest.size() / 4; ++i)
		if (!std::isfinite(answer_element(body, i)))
			return std::nullopt;
	return Answer{0, rest.size() / 4, {}};
}

float answer_element(std::string_view body, std::size_t i) noexcept
{
	return std::bit_cast<float>(load(body.data() + answer_fields + 4 * i, 4));
}

std::string vector_answer(std::span<const float> vector)
{
	std::string out = answer(0, 4 * vector.size());
	for (std::size_t i = 0; i < vector.size(); ++i)
		store(out.data() + head_size + answer_fields + 4 * i, std::bit_cast<std::uint32_t>(vector[i]), 4);
	return out;
}

std::string failure_answer(std::uint8_t outcome, std::string_view message)
{
	message = message.substr(0, core::character_boundary(message, max_message));
	std::string out = answer(outcome, message.size());
	std::copy(message.begin(), message.end(), out.begin() + head_size + answer_fields);
	return out;
}

} // namespace txtfp::embed
