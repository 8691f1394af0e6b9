#include "cli/records_json.hpp"

#include <charconv>

#include <simdjson.h>

#include "cli/records.hpp"

namespace txtfp::cli {

static_assert(record_padding >= simdjson::SIMDJSON_PADDING);

struct JsonObject::Parser {
	simdjson::dom::parser parser;
	simdjson::dom::object object;
};

JsonObject::JsonObject() : parser_(std::make_unique<Parser>()) {}
JsonObject::~JsonObject() = default;

const char *JsonObject::parse(std::string_view bytes)
{
	simdjson::dom::element root;
	if (const auto error = parser_->parser.parse(bytes.data(), bytes.size(), false).get(root))
		return error == simdjson::EMPTY ? "the line is empty" : simdjson::error_message(error);
	return root.get(parser_->object) == simdjson::SUCCESS ? nullptr : "the line is not a JSON object";
}

JsonField JsonObject::field(const std::string &name) const
{
	JsonField field;
	simdjson::dom::element value;
	const auto error =
		name.starts_with('/') ? parser_->object.at_pointer(name).get(value) : parser_->object.at_key(name).get(value);
	if (error)
		return field;
	const auto write = [&field](auto number) {
		field.kind = JsonField::Kind::number;
		field.number = static_cast<double>(number);
		field.digits_size =
			static_cast<std::size_t>(std::to_chars(field.digits, std::end(field.digits), number).ptr - field.digits);
	};
	switch (value.type()) {
	case simdjson::dom::element_type::STRING:
		field.kind = JsonField::Kind::string;
		field.text = std::string_view(value);
		break;
	case simdjson::dom::element_type::INT64:
		write(std::int64_t(value));
		break;
	case simdjson::dom::element_type::UINT64:
		write(std::uint64_t(value));
		break;
	case simdjson::dom::element_type::DOUBLE:
		write(double(value));
		break;
	case simdjson::dom::element_type::NULL_VALUE:
		field.kind = JsonField::Kind::null;
		break;
	case simdjson::dom::element_type::BOOL:
		field.kind = JsonField::Kind::boolean;
		field.number = bool(value) ? 1 : 0;
		break;
	default:
		field.kind = JsonField::Kind::other;
	}
	return field;
}

std::vector<std::string> JsonObject::field_names() const
{
	std::vector<std::string> names;
	for (const auto &field : parser_->object)
		names.emplace_back(field.key);
	return names;
}

bool is_valid_utf8(std::string_view bytes) noexcept { return simdjson::validate_utf8(bytes.data(), bytes.size()); }

} // namespace txtfp::cli
