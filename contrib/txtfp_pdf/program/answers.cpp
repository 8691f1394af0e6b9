#include "answers.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <unistd.h>

namespace txtfp::pdf {

namespace {

void write_all(const char *bytes, std::size_t size) noexcept
{
	while (size > 0) {
		const ssize_t written = write(STDOUT_FILENO, bytes, size);
		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			_exit(1);
		bytes += written;
		size -= static_cast<std::size_t>(written);
	}
}

void write_part(char kind, std::string_view payload) noexcept
{
	const Header head = header(kind, static_cast<std::uint32_t>(payload.size()));
	write_all(head.data(), head.size());
	write_all(payload.data(), payload.size());
}

// Messages may quote the file, so only one line of ASCII is passed on.
std::size_t put_message(char *out, std::size_t room, std::string_view message) noexcept
{
	const std::size_t size = std::min(room, message.size());
	std::transform(message.data(), message.data() + size, out, [](char c) { return c >= ' ' && c <= '~' ? c : '?'; });
	return size;
}

} // namespace

void send_text(std::string_view utf8)
{
	constexpr std::size_t largest = 1 << 20;
	for (; !utf8.empty(); utf8.remove_prefix(std::min(largest, utf8.size())))
		write_part('t', utf8.substr(0, largest));
}

void send_warning(std::string_view message)
{
	char payload[max_message];
	write_part('w', {payload, put_message(payload, sizeof payload, message)});
}

void send_done()
{
	write_part('d', {});
	_exit(0); // the process ends without freeing the document
}

void send_failure(Failure failure, std::string_view message) noexcept
{
	char payload[max_message];
	payload[0] = static_cast<char>(failure);
	write_part('e', {payload, 1 + put_message(payload + 1, sizeof payload - 1, message)});
	_exit(0);
}

} // namespace txtfp::pdf
