// Configuration arguments of SQL functions: txtfp's own stable strings, parsed once per query where they are constant.
#pragma once

#include <string_view>

#include "core/minhash/minhash.hpp"
#include "pg/base/pg.hpp"

namespace txtfp::pg {

// Each raises an error with SQLSTATE 22023 and a hint that lists the valid forms. A cjk tokenizer is made ready to use, or its error
// is raised (pg/text/cjk.hpp).
core::CanonicalOptions canonicalizer_option(std::string_view text);
core::TokenizerSpec tokenizer_option(std::string_view text);
core::HashFamily hash_option(std::string_view text);
double unit_interval_option(const char *name, double value); // 0 … 1, no NaN

// Is argument i a constant of the query? A parameter is none: PL/pgSQL runs one expression with many values of it.
bool is_constant_argument(FunctionCallInfo fcinfo, int i);

// From the arguments (tokenizer, canonicalizer, hash, seed), of which argument `first` is the first; what a function
// does not have is the default.
core::MinhashOptions minhash_options(FunctionCallInfo fcinfo, int first);

struct MinhashConfig {
	core::MinhashOptions options;
	std::uint64_t config_hash;
};

// From the arguments (doc, tokenizer, canonicalizer, hash, seed); kept in fn_extra if the last four are constant.
const MinhashConfig &minhash_config(FunctionCallInfo fcinfo, std::size_t slots);

} // namespace txtfp::pg
