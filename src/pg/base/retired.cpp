// Functions of the library that an older version of the extension called with other arguments. A new library is installed before ALTER EXTENSION … UPDATE is
// run; until then the database has the old declarations, and would have new code read arguments that are not there. So a function whose arguments or
// result change gets a new name in the library, and its old one stands here.
#include "pg/base/pg.hpp"

extern "C" {
#include "utils/lsyscache.h"
}

namespace {

Datum retired(FunctionCallInfo fcinfo)
{
	const char *name = get_func_name(fcinfo->flinfo->fn_oid);
	ereport(ERROR,
		(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			errmsg("the function %s is that of an older version of the extension txtfp", name == nullptr ? "?" : name),
			errhint("The library is of a newer version. Run ALTER EXTENSION txtfp UPDATE in this database.")));
}

} // namespace

#define TXTFP_RETIRED(name) \
	TXTFP_FUNCTION(name) { return retired(fcinfo); }

// of 0.1.0
TXTFP_RETIRED(txtfp_decision_rule)
TXTFP_RETIRED(txtfp_deduplicate)
TXTFP_RETIRED(txtfp_difference_signals)
TXTFP_RETIRED(txtfp_fingerprint_index_info)
TXTFP_RETIRED(txtfp_fingerprint_index_recall)
TXTFP_RETIRED(txtfp_live_clusters_create)
TXTFP_RETIRED(txtfp_minhash_advice)
TXTFP_RETIRED(txtfp_near_duplicate_clusters)
TXTFP_RETIRED(txtfp_near_duplicate_pairs)
TXTFP_RETIRED(txtfp_near_duplicate_pairs_between)
TXTFP_RETIRED(txtfp_near_duplicate_pairs_distributed)
TXTFP_RETIRED(txtfp_near_duplicate_trigger_stats)
