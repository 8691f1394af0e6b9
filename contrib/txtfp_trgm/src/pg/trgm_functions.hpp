// The functions of the installed pg_trgm, found as members of the extension, wherever this is.
#pragma once

#include <initializer_list>

#include "pg/base/pg.hpp"

namespace txtfp::trgm {

// Raises an error (42883) if pg_trgm has no such function.
Oid trgm_function(const char *name, std::initializer_list<Oid> arguments, Oid result);

// (text, internal) → Datum[] of int4: the trigrams of a string, each once, as numbers of 24 bits, different ones for different trigrams. It is the support
// function of pg_trgm's GIN class, which makes no array of texts, as show_trgm does.
Oid trigrams_function();

// One of the settings pg_trgm.…_threshold, to six digits. pg_trgm's library, which defines them, must have been loaded: by a function that was looked up
// to be called.
double trgm_setting(const char *name);

} // namespace txtfp::trgm
