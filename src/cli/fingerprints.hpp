// How this program makes fingerprints: options as strings, as SQL takes them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/kinds/kinds.hpp"

namespace txtfp::cli {

using Kind = const core::Kind *;
using Value = core::RowBuffer;

Kind parse_kind(std::string_view name) noexcept; // the name of the SQL type; nullptr: there is none

core::CanonicalOptions read_canonicalizer(const std::string &name); // throws Failure

// An empty tokenizer means the default of the kind. Throws Failure.
core::Recipe make_recipe(Kind kind, const std::string &tokenizer, const std::string &canonicalizer,
	const std::string &hash, std::int64_t seed, const std::string &weighting);

// Computes the value of to_<kind>(text). Returns false where that is NULL.
bool compute(const core::Recipe &recipe, std::string_view text, std::uint8_t *value);

} // namespace txtfp::cli
