// The protocol between the server and the program txtfp-embed on the Unix socket: one request, one answer, any number
// of times. Numbers are little-endian.
//
//   request   "TXE1", u32 size of the rest: u8 purpose ('q' or 'd'), u8 0, u16 length of the model's name, u32 milliseconds
//             that the client waits, the name, the text (UTF-8)
//   answer    "TXE1", u32 size of the rest: u8 outcome, three 0; then, if the outcome is 0, the vector: at least one 32-bit
//             float, all finite; otherwise the message (UTF-8)
//
// An outcome other than 0 is a FailureKind of program/base/failure.hpp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace txtfp::embed {

constexpr std::size_t head_size = 8;
constexpr std::size_t max_text = std::size_t{16} << 20;
constexpr std::size_t max_model_name = 1000;
constexpr std::size_t max_request = max_text + max_model_name + 8;
constexpr std::size_t max_dimension = 65536;
constexpr std::size_t max_message = 4096;
constexpr std::size_t max_answer = 4 + 4 * max_dimension;

// The size in a head; nothing if it is not a head, or the size exceeds `most`.
std::optional<std::size_t> parse_head(std::span<const char> head, std::size_t most) noexcept;

struct Request {
	char purpose; // 'q' or 'd'
	std::uint32_t timeout_ms;
	std::string_view model, text;
};
std::optional<Request> parse_request(std::string_view body) noexcept; // views into `body`

// The bytes to send before the name and the text. The caller has checked their sizes.
std::array<char, head_size + 8> request_head(
	char purpose, std::uint32_t timeout_ms, std::size_t model_size, std::size_t text_size) noexcept;

struct Answer {
	std::uint8_t outcome;
	std::size_t dimension;    // if the outcome is 0
	std::string_view message; // for other outcomes; should be UTF-8, but must be checked
};
std::optional<Answer> parse_answer(std::string_view body) noexcept;
float answer_element(std::string_view body, std::size_t i) noexcept;

// May throw std::bad_alloc, so only the program uses it. Cuts a message that is too long.
std::string vector_answer(std::span<const float> vector);
std::string failure_answer(std::uint8_t outcome, std::string_view message);

} // namespace txtfp::embed
