// What the caller did wrong: becomes an exception of txtfp.errors, with the server's words.
#pragma once

#include <exception>
#include <string>
#include <utility>

namespace txtfp::python {

enum class Refusal { error, invalid_value, invalid_parameter, configuration_mismatch, invalid_text };

struct Refused : std::exception {
	Refusal refusal;
	std::string message, detail, hint;

	Refused(Refusal r, std::string m, std::string d = {}, std::string h = {})
		: refusal(r), message(std::move(m)), detail(std::move(d)), hint(std::move(h))
	{
	}
	const char *what() const noexcept override { return message.c_str(); }
};

} // namespace txtfp::python
