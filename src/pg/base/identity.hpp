// Which functions and types of SQL belong to this library. A name or a number of arguments does not tell: others may
// have the same, and owners rename and move theirs. What nobody but a superuser can make is a function of SQL that runs
// code of this library. So a function is known by its code, and a type by the function that reads its text form.
#pragma once

#include <span>

#include "pg/base/pg.hpp"

// Declares a function of another file, for runs() and is_read_by().
#define TXTFP_DECLARE(name) extern "C" PGDLLEXPORT Datum name(PG_FUNCTION_ARGS)

namespace txtfp::pg {

// The code of a function in C; nullptr of another one, and if there is none. A function that has settings or the rights
// of its owner runs PostgreSQL's code first.
PGFunction code_of(Oid function);
inline bool runs(Oid function, PGFunction code) { return code_of(function) == code; }

// Both run code of one library, such as this one.
bool are_of_one_library(Oid a, Oid b);

PGFunction input_of(Oid type); // the function that reads its text form; for a domain, the one of the type below it
inline bool is_read_by(Oid type, PGFunction input) { return input_of(type) == input; }

// The function of this name that takes these types and runs this code, in whatever schema; InvalidOid: there is none.
Oid find_function(const char *name, std::span<const Oid> types, PGFunction code);

} // namespace txtfp::pg
