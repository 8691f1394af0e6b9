// JSON objects by their fields. A file of its own, because simdjson is large to compile.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace txtfp::cli {

struct JsonField {
	enum class Kind { missing, null, boolean, string, number, other } kind = Kind::missing;
	std::string_view text; // of a string; lives until the next document
	double number = 0;     // 0 or 1 of a boolean
	char digits[40];       // of a number: as short as it can be written
	std::size_t digits_size = 0;
};

class JsonObject {
public:
	JsonObject();
	~JsonObject();

	// `bytes` are followed by record_padding bytes. Returns what is wrong, or nullptr.
	const char *parse(std::string_view bytes);

	// By name, or by JSON pointer where that begins with a slash.
	JsonField field(const std::string &name) const;

private:
	struct Parser;
	std::unique_ptr<Parser> parser_;
};

} // namespace txtfp::cli
