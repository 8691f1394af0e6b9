// Errors of the core: invalid input is reported by return values, failures of the environment by exceptions.
#pragma once

#if defined(POSTGRES_H)
#error "src/core must not see PostgreSQL headers"
#endif

#include <cstring>
#include <exception>
#include <string_view>

namespace txtfp::core {

enum class ErrorKind { invalid_parameter, too_large, cancelled, file, disk_full, internal };

// It holds its message in a plain array, so that throwing never allocates.
class Error : public std::exception {
public:
	Error(ErrorKind kind, std::string_view message) noexcept : kind_(kind)
	{
		const std::size_t n = message.size() < sizeof message_ ? message.size() : sizeof message_ - 1;
		std::memcpy(message_, message.data(), n);
		message_[n] = '\0';
	}
	ErrorKind kind() const noexcept { return kind_; }
	const char *what() const noexcept override { return message_; }

private:
	ErrorKind kind_;
	char message_[240];
};

// Long loops call check() every few thousand steps; the owner of the flag decides what a stop means.
struct StopToken {
	bool (*requested)() noexcept = nullptr;

	void check() const
	{
		if (requested != nullptr && requested())
			throw Error(ErrorKind::cancelled, "cancelled");
	}
};

} // namespace txtfp::core
