// Settings that hold until the nest level ends that the caller began: NewGUCNestLevel() … AtEOXact_GUC(true, level).
// After an error the end of the transaction or subtransaction restores them.
#pragma once

extern "C" {
#include "postgres.h"
#include "utils/guc.h"
}

namespace txtfp::pg {

// PGC_SUSET sets what only a superuser may.
inline void set_locally(const char *name, const char *value, GucContext rights = PGC_USERSET)
{
	(void) set_config_option(name, value, rights, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
}

} // namespace txtfp::pg
