// Reads the JSON of a review page back: a plain reader, for comparisons.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "core/text/utf8.hpp"

namespace txtfp::test {

struct Json {
	enum class Kind { null, number, string, list, object } kind = Kind::null;
	double number = 0;
	std::string string;
	std::vector<Json> items;        // of a list or an object
	std::vector<std::string> names; // of an object

	const Json &operator[](std::size_t i) const { return items.at(i); }
	const Json &operator[](std::string_view name) const
	{
		for (std::size_t i = 0; i < names.size(); ++i)
			if (names[i] == name)
				return items[i];
		throw std::runtime_error("no member " + std::string(name));
	}
	std::size_t size() const { return items.size(); }
};

class JsonReader {
public:
	explicit JsonReader(std::string_view text) : rest_(text) {}
	Json read()
	{
		Json value = read_value();
		skip();
		if (!rest_.empty())
			throw std::runtime_error("something follows the value");
		return value;
	}

private:
	void skip()
	{
		while (!rest_.empty() && (rest_[0] == ' ' || rest_[0] == '\n'))
			rest_.remove_prefix(1);
	}
	bool consume(char c)
	{
		skip();
		if (rest_.empty() || rest_[0] != c)
			return false;
		rest_.remove_prefix(1);
		return true;
	}
	void expect(char c)
	{
		if (!consume(c))
			throw std::runtime_error(std::string("expected ") + c + " before " + std::string(rest_.substr(0, 40)));
	}

	Json read_value()
	{
		Json value;
		if (consume('[')) {
			value.kind = Json::Kind::list;
			for (bool more = !consume(']'); more; more = !consume(']')) {
				if (!value.items.empty())
					expect(',');
				value.items.push_back(read_value());
			}
		} else if (consume('{')) {
			value.kind = Json::Kind::object;
			for (bool more = !consume('}'); more; more = !consume('}')) {
				if (!value.items.empty())
					expect(',');
				value.names.push_back(read_value().string);
				expect(':');
				value.items.push_back(read_value());
			}
		} else if (consume('"')) {
			value.kind = Json::Kind::string;
			read_string(value.string);
		} else if (rest_.starts_with("null")) {
			rest_.remove_prefix(4);
		} else {
			value.kind = Json::Kind::number;
			std::size_t n = 0;
			value.number = std::stod(std::string(rest_.substr(0, 40)), &n);
			rest_.remove_prefix(n);
		}
		return value;
	}

	unsigned read_unit()
	{
		const unsigned unit = static_cast<unsigned>(std::stoul(std::string(rest_.substr(0, 4)), nullptr, 16));
		rest_.remove_prefix(4);
		return unit;
	}

	void read_string(std::string &out)
	{
		while (!rest_.empty() && rest_[0] != '"') {
			const char c = rest_[0];
			rest_.remove_prefix(1);
			if (c != '\\') {
				out += c;
				continue;
			}
			const char escape = rest_.at(0);
			rest_.remove_prefix(1);
			if (escape == 'n') {
				out += '\n';
			} else if (escape == 'u') {
				char32_t code = read_unit();
				if (code >= 0xD800 && code < 0xDC00) {
					rest_.remove_prefix(2); // \u
					code = 0x10000 + ((code - 0xD800) << 10) + (read_unit() - 0xDC00);
				}
				core::append(out, code);
			} else {
				out += escape;
			}
		}
		rest_.remove_prefix(1);
	}

	std::string_view rest_;
};

} // namespace txtfp::test
