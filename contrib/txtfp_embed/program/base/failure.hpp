// Errors of the program. The kinds are those of the crate txtfp 0.2.2, and messages begin with its prefixes; the server
// maps them to SQLSTATEs (src/core/protocol.hpp).
#pragma once

#include <stdexcept>
#include <string>

namespace txtfp::embed {

enum class FailureKind : unsigned char {
	input = 1, // the text, or another argument
	config,    // options, or files of a model
	tokenizer, // the text cannot be encoded
	onnx,      // the model or ONNX Runtime
	http,      // a provider
	empty,     // a provider returned no vector
	dimension, // a vector of another dimension than expected
	io,        // files, sockets, the database
	timeout,   // out of time
	busy,      // more requests than the service accepts
	internal,  // out of memory, or bugs of the program
};

constexpr const char *prefix(FailureKind kind) noexcept
{
	switch (kind) {
	case FailureKind::input:
		return "invalid input: ";
	case FailureKind::config:
		return "config error: ";
	case FailureKind::tokenizer:
		return "tokenizer error: ";
	case FailureKind::onnx:
		return "onnx error: ";
	case FailureKind::http:
		return "http error: ";
	case FailureKind::io:
		return "io error: ";
	case FailureKind::empty:
	case FailureKind::dimension:
	case FailureKind::timeout:
	case FailureKind::busy:
	case FailureKind::internal:
		break;
	}
	return "";
}

class Failure : public std::runtime_error {
public:
	// `transient`: the same operation may succeed later.
	Failure(FailureKind kind, const std::string &message, bool transient = false)
		: std::runtime_error(prefix(kind) + message), kind_(kind), transient_(transient)
	{
	}
	FailureKind kind() const noexcept { return kind_; }
	bool transient() const noexcept { return transient_; }

private:
	FailureKind kind_;
	bool transient_;
};

[[noreturn]] inline void config_failure(const std::string &message) { throw Failure(FailureKind::config, message); }

} // namespace txtfp::embed
