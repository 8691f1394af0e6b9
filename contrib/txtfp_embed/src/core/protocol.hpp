// What the server and the program txtfp-embed say to each other through the Unix socket: one request, one answer, as often as
// the client likes. Little-endian numbers.
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

// The size that a head announces; nothing if it is no head, or announces more than `most`.
std::optional<std::size_t> parse_head(std::span<const char> head, std::size_t most) noexcept;

struct Request {
	char purpose; // 'q' or 'd'
	std::uint32_t timeout_ms;
	std::string_view model, text;
};
std::optional<Request> parse_request(std::string_view body) noexcept; // views into `body`

// What is sent before the name and the text. The caller has checked their sizes.
std::array<char, head_size + 8> request_head(
	char purpose, std::uint32_t timeout_ms, std::size_t model_size, std::size_t text_size) noexcept;

struct Answer {
	std::uint8_t outcome;
	std::size_t dimension;    // of an outcome 0
	std::string_view message; // of another one; UTF-8 as far as the program is right, to be checked
};
std::optional<Answer> parse_answer(std::string_view body) noexcept;
float answer_element(std::string_view body, std::size_t i) noexcept;

// May throw std::bad_alloc: for the program only. A message that is too long is cut.
std::string vector_answer(std::span<const float> vector);
std::string failure_answer(std::uint8_t outcome, std::string_view message);

} // namespace txtfp::embed
