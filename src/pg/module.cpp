// What PostgreSQL asks of a module: the magic block, _PG_init and the configuration parameters.
#include "pg/pg.hpp"
#include "pg/settings.hpp"

extern "C" {
#include "utils/guc.h"
}

extern "C" {
#ifdef PG_MODULE_MAGIC_EXT
PG_MODULE_MAGIC_EXT(.name = "txtfp");
#else
PG_MODULE_MAGIC;
#endif

PGDLLEXPORT void _PG_init(void);
}

namespace txtfp::pg {

int hamming_threshold = 7;
double jaccard_threshold = 0.8;
bool report_progress = false;

} // namespace txtfp::pg

void _PG_init(void)
{
	DefineCustomIntVariable("txtfp.hamming_threshold",
		"Greatest Hamming distance at which the operator % finds two SimHash values similar.",
		"From 0 (equal) to 64 (everything), in bits.", &txtfp::pg::hamming_threshold, 7, 0, 64, PGC_USERSET, 0, nullptr,
		nullptr, nullptr);
	DefineCustomRealVariable("txtfp.jaccard_threshold",
		"Least estimated Jaccard similarity at which the operator % finds two MinHash sketches similar.",
		"From 0 (everything) to 1 (all slots equal).", &txtfp::pg::jaccard_threshold, 0.8, 0.0, 1.0, PGC_USERSET, 0,
		nullptr, nullptr, nullptr);
	DefineCustomBoolVariable("txtfp.progress", "Bulk functions tell by NOTICE how far they are.",
		"Every few seconds, and at the end of each phase.", &txtfp::pg::report_progress, false, PGC_USERSET, 0, nullptr,
		nullptr, nullptr);
	MarkGUCPrefixReserved("txtfp");
}
