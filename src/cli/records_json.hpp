// Reads fields of JSON objects. It is a separate file because simdjson takes long to compile.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace txtfp::cli {

struct JsonField {
	enum class Kind { missing, null, boolean, string, number, other } kind = Kind::missing;
	std::string_view text; // value of a string, valid until the next document
	double number = 0;     // value of a number; 0 or 1 for a boolean
	char digits[40];       // shortest form of a number
	std::size_t digits_size = 0;
};

class JsonObject {
public:
	JsonObject();
	~JsonObject();

	// `bytes` are followed by record_padding bytes. Returns an error message, or nullptr.
	const char *parse(std::string_view bytes);

	// Finds a field by name, or by JSON pointer if the name begins with a slash.
	JsonField field(const std::string &name) const;

	std::vector<std::string> field_names() const;

private:
	struct Parser;
	std::unique_ptr<Parser> parser_;
};

} // namespace txtfp::cli
