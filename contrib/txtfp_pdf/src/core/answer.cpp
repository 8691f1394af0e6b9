#include "core/answer.hpp"

#include <algorithm>
#include <cstring>

namespace txtfp::pdf {

namespace {

bool is_failure(char code) noexcept
{
	switch (static_cast<Failure>(code)) {
	case Failure::parse:
	case Failure::pages:
	case Failure::memory:
	case Failure::confine:
	case Failure::program:
		return true;
	}
	return false;
}

} // namespace

std::string_view AnswerReader::message() const noexcept
{
	const std::size_t code = header_[0] == 'e' ? 1 : 0;
	return {message_.data() + code, message_size_ - code};
}

Event AnswerReader::end(Event event) noexcept
{
	ended_ = true;
	return event;
}

// Called when the header is complete.
Event AnswerReader::begin_part() noexcept
{
	left_ = 0;
	for (std::size_t i = header_size; i-- > 1;)
		left_ = left_ << 8 | static_cast<unsigned char>(header_[i]);
	message_size_ = 0;
	switch (header_[0]) {
	case 't':
		return Event::need_more;
	case 'w':
		return left_ <= max_message ? Event::need_more : end(Event::broken);
	case 'e':
		return left_ >= 1 && left_ <= max_message ? Event::need_more : end(Event::broken);
	case 'd':
		return left_ == 0 ? Event::need_more : end(Event::broken);
	default:
		return end(Event::broken);
	}
}

// Called when the payload is complete.
Event AnswerReader::end_part() noexcept
{
	header_read_ = 0;
	switch (header_[0]) {
	case 'w':
		return Event::warning;
	case 'e':
		return end(is_failure(message_[0]) ? Event::failure : Event::broken);
	case 'd':
		return end(Event::done);
	default:
		return Event::need_more;
	}
}

Event AnswerReader::next(std::string_view &input) noexcept
{
	while (!ended_) {
		if (header_read_ < header_size) {
			if (input.empty())
				return Event::need_more;
			header_[header_read_++] = input.front();
			input.remove_prefix(1);
			if (header_read_ < header_size)
				continue;
			if (begin_part() == Event::broken)
				return Event::broken;
		}
		const std::string_view piece = input.substr(0, std::min<std::size_t>(left_, input.size()));
		if (piece.empty() && left_ > 0)
			return Event::need_more;
		input.remove_prefix(piece.size());
		left_ -= static_cast<std::uint32_t>(piece.size());
		if (header_[0] == 't') {
			text_ = piece;
		} else if (!piece.empty()) {
			std::memcpy(message_.data() + message_size_, piece.data(), piece.size());
			message_size_ += piece.size();
		}
		const Event event = left_ == 0 ? end_part() : Event::need_more;
		if (header_[0] == 't' && !piece.empty())
			return Event::text;
		if (event != Event::need_more)
			return event;
	}
	return Event::broken;
}

// Table 3-7 of the Unicode standard, without U+0000.
bool is_text(std::string_view bytes) noexcept
{
	const char *p = bytes.data(), *const end = p + bytes.size();
	const auto at = [&p](int i) { return static_cast<unsigned char>(p[i]); };
	const auto follows = [&](int i) { return (at(i) & 0xC0) == 0x80; };
	while (p < end) {
		const unsigned char lead = at(0);
		const std::ptrdiff_t left = end - p;
		if (lead >= 0x01 && lead < 0x80) {
			++p;
		} else if (lead >= 0xC2 && lead < 0xE0 && left >= 2 && follows(1)) {
			p += 2;
		} else if (lead >= 0xE0 && lead < 0xF0 && left >= 3 && follows(1) && follows(2)) {
			if ((lead == 0xE0 && at(1) < 0xA0) || (lead == 0xED && at(1) > 0x9F))
				return false;
			p += 3;
		} else if (lead >= 0xF0 && lead < 0xF5 && left >= 4 && follows(1) && follows(2) && follows(3)) {
			if ((lead == 0xF0 && at(1) < 0x90) || (lead == 0xF4 && at(1) > 0x8F))
				return false;
			p += 4;
		} else {
			return false;
		}
	}
	return true;
}

} // namespace txtfp::pdf
