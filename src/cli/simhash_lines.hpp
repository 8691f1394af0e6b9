// The lines that the programs of simhash_client.hpp read. A parser returns what is wrong with a line, "" if nothing is.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "cli/records_json.hpp"
#include "cli/simhash_options.hpp"

namespace txtfp::cli {

struct SimhashMember {
	std::uint64_t hash;
	std::string id;
	bool operator==(const SimhashMember &) const = default;
};

// By hash, then by id: numbers as such, before other text.
bool before(const SimhashMember &a, const SimhashMember &b);

// A hash in decimal digits.
std::string parse_number(std::string_view line, SimhashMember &member);

// Id, tab, hash. Without an error, as the original: what is no number is 0.
void parse_hash(std::string_view line, SimhashMember &member);

// An object with a text and an id. `was_wrapped`: the id does not fit into 32 bits.
std::string parse_json(
	const SimhashOptions &options, JsonObject &object, std::string_view line, SimhashMember &member, bool &was_wrapped);

} // namespace txtfp::cli
