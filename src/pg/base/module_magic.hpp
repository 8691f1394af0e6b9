// The magic block that every loadable module has, and its function _PG_init. To be included by exactly one file of a
// module.
#pragma once

#include "pg/base/pg.hpp"

#ifndef TXTFP_MODULE
#define TXTFP_MODULE "txtfp" // the optional modules set their own name
#endif

extern "C" {
#ifdef PG_MODULE_MAGIC_EXT
PG_MODULE_MAGIC_EXT(.name = TXTFP_MODULE, .version = TXTFP_VERSION);
#else
PG_MODULE_MAGIC;
#endif

PGDLLEXPORT void _PG_init(void);
}
