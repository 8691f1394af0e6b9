// The protocol between the program that reads the PDF file and the server process that started it: a stream of parts.
//
//   part     kind (1 byte), size (4 bytes, little-endian), payload of that size
//   't'      text: UTF-8, may be cut anywhere
//   'w'      warning: a message, at most max_message bytes
//   'e'      failure: one byte with the reason (Failure), then a message, together at most max_message bytes; the last part
//   'd'      done, without payload; the last part
//
// The file may have taken control of the program, so its output is not trusted: the reader accepts only this grammar,
// allocates no memory, and leaves the limit of the text size to its caller.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace txtfp::pdf {

// The reason why there is no text. The values are bytes of the protocol.
enum class Failure : char {
	parse = 'p',   // damaged, encrypted, or no PDF
	pages = 'n',   // more pages than allowed
	memory = 'm',  // the memory limit was reached
	confine = 'c', // the program could not give up its rights, so it did not read the file
	program = 'x', // the installation is damaged
};

constexpr std::size_t header_size = 5;
constexpr std::size_t max_message = 1000;

using Header = std::array<char, header_size>;

constexpr Header header(char kind, std::uint32_t size) noexcept
{
	return {kind, static_cast<char>(size), static_cast<char>(size >> 8), static_cast<char>(size >> 16),
		static_cast<char>(size >> 24)};
}

enum class Event {
	need_more, // the input is consumed
	text,      // text() has a piece of text
	warning,   // message() has a warning
	failure,   // failure() and message() are set; the stream has ended
	done,      // the stream has ended
	broken,    // the stream violates the grammar and has ended
};

// Trivially destructible, because a longjmp may leave its frame.
class AnswerReader {
public:
	// Continues reading, and removes from `input` what it has read. After failure, done or broken it reads no more.
	Event next(std::string_view &input) noexcept;

	std::string_view text() const noexcept { return text_; }
	std::string_view message() const noexcept;
	Failure failure() const noexcept { return static_cast<Failure>(message_[0]); }
	bool ended() const noexcept { return ended_; }

private:
	Event begin_part() noexcept;
	Event end_part() noexcept;
	Event end(Event event) noexcept;

	Header header_{};
	std::size_t header_read_ = 0;
	std::uint32_t left_ = 0; // bytes of the payload
	std::string_view text_;
	std::array<char, max_message> message_{};
	std::size_t message_size_ = 0;
	bool ended_ = false;
};

// True if the bytes are UTF-8 without U+0000, as a value of type text needs.
bool is_text(std::string_view bytes) noexcept;

} // namespace txtfp::pdf
