// The composite type difference_signals: the version, then one number for each signal. Neighbours that are not known
// are NULL.
#pragma once

#include "core/compare/difference_signals.hpp"
#include "pg/base/pg.hpp"

extern "C" {
#include "access/htup_details.h"
#include "funcapi.h"
}

namespace txtfp::pg {

// Raises an error (55000) if the type has other columns, as the type of an older or newer version of the SQL has.
Datum signals_datum(const core::Signals &signals, TupleDesc columns);

// True for difference_signals, and for a type or domain that has the same columns. A type of a user may have the same
// names but other types, whose values would be pointers.
bool is_signals(Oid type);

// Reads a value of such a type. Raises an error if it is of another version, or if a signal other than a number of
// neighbours is NULL.
core::Signals read_signals(Datum value);

const char *name_of(std::size_t signal);

} // namespace txtfp::pg
