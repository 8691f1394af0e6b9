// What the program that reads the PDF file says to the server process that started it: a stream of parts.
//
//   part     kind (1 byte), size (4 bytes, little-endian), payload of that size
//   't'      text: UTF-8, may be cut anywhere
//   'w'      warning: a message, at most max_message bytes
//   'e'      failure: one byte that says which (Failure), then a message, together at most max_message bytes; the last part
//   'd'      done, without payload; the last part
//
// The program may have been taken over by the file it reads. So nothing that it says is believed: a reader accepts this
// grammar and nothing else, takes no memory of its own, and leaves it to its caller how much text is too much.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace txtfp::pdf {

// Why there is no text. The values are bytes of the protocol.
enum class Failure : char {
	parse = 'p',   // damaged, encrypted, no PDF at all
	pages = 'n',   // more pages than allowed
	memory = 'm',  // the memory limit was met
	confine = 'c', // the program could not give up its rights, so it did not look at the file
	program = 'x', // the installation is broken
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
	need_more, // the input is used up
	text,      // text(): a piece of it
	warning,   // message()
	failure,   // failure() and message(); nothing follows
	done,      // nothing follows
	broken,    // that was no part; nothing follows
};

// Trivially destructible: it lives in a frame that a longjmp may leave.
class AnswerReader {
public:
	// Reads on in input, and takes from it what it read. Ends, once and for all, with failure, done or broken.
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
	std::uint32_t left_ = 0; // of the payload
	std::string_view text_;
	std::array<char, max_message> message_{};
	std::size_t message_size_ = 0;
	bool ended_ = false;
};

// Is it UTF-8 without U+0000: what may become a value of type text?
bool is_text(std::string_view bytes) noexcept;

} // namespace txtfp::pdf
