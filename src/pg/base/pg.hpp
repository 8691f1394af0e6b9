// PostgreSQL's headers, in the order that C++ needs, and the shims that several files use for the versions that we
// support. A difference that concerns one file alone stands in that file, under PG_VERSION_NUM.
#pragma once

// PostgreSQL 15 defines it as empty, so that -fvisibility=hidden would hide every function.
#define PGDLLEXPORT __attribute__((visibility("default")))

// This header refuses to be included after PostgreSQL's headers, so it comes first.
#include "core/base/error.hpp"

extern "C" {
#include "postgres.h"

#include "fmgr.h"
#include "miscadmin.h"

#if PG_VERSION_NUM >= 160000
#include "nodes/miscnodes.h"
#include "varatt.h"
#else
// Soft errors came with 16: on 15 every bad input is an ordinary error.
#define ereturn(context, dummy_value, ...) ereport(ERROR, __VA_ARGS__)
#endif
}

namespace txtfp::pg {
// A Datum that is a null pointer. The PointerGetDatum of PostgreSQL 19 does not take nullptr.
constexpr Datum null_pointer = 0;
} // namespace txtfp::pg

// A function callable from SQL: TXTFP_FUNCTION(txtfp_name) { … fcinfo … }
#define TXTFP_FUNCTION(name)                             \
	extern "C" PGDLLEXPORT Datum name(PG_FUNCTION_ARGS); \
	extern "C" {                                         \
	PG_FUNCTION_INFO_V1(name);                           \
	}                                                    \
	Datum name(PG_FUNCTION_ARGS)
