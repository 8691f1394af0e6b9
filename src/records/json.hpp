// Reads JSON objects by simdjson. It is a separate file because simdjson takes long to compile.
//
// A text is valid by RFC 8259, or it is refused, also within fields that nobody asks for. Numbers are not converted, so
// any number of digits and any exponent pass.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace txtfp::records {

struct JsonValue {
	enum class Kind { missing, null, boolean, number, string, array, object } kind = Kind::missing;
	std::string_view text; // what a string says; everything else as it is written
};

struct JsonMember {
	std::string_view name;
	JsonValue value;
};

// Views are valid until the next parse(), and as long as the parsed bytes.
class JsonReader {
public:
	JsonReader();
	~JsonReader();

	// Parses an object, or with `arrays` also an array, whose elements are members without names. `bytes` are followed by
	// record_padding bytes. Returns an error message, which names the member, or "".
	std::string parse(std::string_view bytes, bool arrays = false);

	// In the order of the text; a name may occur several times.
	const std::vector<JsonMember> &members() const noexcept { return members_; }
	bool is_array() const noexcept { return is_array_; }

	JsonValue find(std::string_view name) const noexcept; // the last one of this name

private:
	struct Parser;
	std::unique_ptr<Parser> parser_;
	std::vector<JsonMember> members_;
	bool is_array_ = false;
};

// A field by name, or by JSON pointer if the name begins with a slash.
class JsonPath {
public:
	explicit JsonPath(const std::string &name);
	// The text of the value is valid until the next call, and as long as what `object` has parsed.
	JsonValue find(const JsonReader &object);
	const std::string &name() const noexcept { return name_; }

private:
	std::string name_;
	std::vector<std::string> steps_;
	std::vector<std::unique_ptr<JsonReader>> inner_; // of each step but the first
};

bool is_valid_utf8(std::string_view bytes) noexcept;

} // namespace txtfp::records
