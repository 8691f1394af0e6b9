// Errors of usage and of the environment. The program reports them as "txtfp: MESSAGE" and sets an exit status.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace txtfp::cli {

enum ExitStatus { exit_ok = 0, exit_failure = 1, exit_usage = 2, exit_interrupted = 130 };

class Failure : public std::runtime_error {
public:
	explicit Failure(const std::string &message, int status = exit_failure)
		: std::runtime_error(message), status_(status)
	{
	}
	int status() const noexcept { return status_; }

private:
	int status_;
};

// Prints the exception that is being handled, and returns the exit status: for `catch (...)` in main.
int report_exception() noexcept;

std::string system_message(int error_number); // the text of strerror

// Formats a value for a message: quoted, control characters as \x.., cut to 60 characters.
std::string in_quotes(std::string_view value);

} // namespace txtfp::cli
