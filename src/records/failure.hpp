// What the readers refuse: a file, or how it is to be read. The hosts turn it into their errors.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace txtfp::records {

class Failure : public std::runtime_error {
public:
	// `is_usage`: the options are wrong, not the file.
	explicit Failure(const std::string &message, bool is_usage = false)
		: std::runtime_error(message), is_usage_(is_usage)
	{
	}
	bool is_usage() const noexcept { return is_usage_; }

private:
	bool is_usage_;
};

std::string system_message(int error_number); // the text of strerror

// Formats a value for a message: quoted, control characters as \x.., cut to 60 characters.
std::string in_quotes(std::string_view value);

} // namespace txtfp::records
