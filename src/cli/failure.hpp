// Errors of usage and of the environment. The program reports them as "txtfp: MESSAGE" and sets an exit status.
#pragma once

#include "records/failure.hpp"

namespace txtfp::cli {

using records::in_quotes, records::system_message;

enum ExitStatus { exit_ok = 0, exit_failure = 1, exit_usage = 2, exit_interrupted = 130 };

class Failure : public records::Failure {
public:
	explicit Failure(const std::string &message, ExitStatus status = exit_failure)
		: records::Failure(message, status == exit_usage)
	{
	}
};

// Prints the exception that is being handled, and returns the exit status: for `catch (...)` in main.
int report_exception() noexcept;

} // namespace txtfp::cli
