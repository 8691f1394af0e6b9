// Parsers for the lines that the programs of simhash_client.hpp read. A parser returns an error message, or "".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "program/simhash_options.hpp"
#include "records/json.hpp"

namespace txtfp::cli {

struct SimhashMember {
	std::uint64_t hash;
	std::string id;
	bool operator==(const SimhashMember &) const = default;
};

// Orders by hash, then by id: numbers by value and before other text.
bool before(const SimhashMember &a, const SimhashMember &b);

// Parses a hash in decimal digits.
std::string parse_number(std::string_view line, SimhashMember &member);

// Parses id, tab, hash. Like the original it reports no error: what is not a number is 0.
void parse_hash(std::string_view line, SimhashMember &member);

// Parses an object with a text and an id. Sets `was_wrapped` if the id does not fit into 32 bits.
struct SimhashObject {
	explicit SimhashObject(const SimhashOptions &options) : text(options.text_column), id(options.id_column) {}
	records::JsonReader object;
	records::JsonPath text, id;
};
std::string parse_json(const SimhashOptions &options, SimhashObject &object, std::string_view line,
	SimhashMember &member, bool &was_wrapped);

} // namespace txtfp::cli
