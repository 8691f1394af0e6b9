// The entry points of a module: the magic block, _PG_init and the configuration parameters.
#include <cstdlib>

#include "core/base/cpu.hpp"
#include "core/base/table_hash.hpp"
#include "core/kinds/kinds.hpp"
#include "pg/base/guard.hpp"
#include "pg/base/module_magic.hpp"
#include "pg/base/settings.hpp"

extern "C" {
#include "access/parallel.h"
#include "miscadmin.h"
#include "port.h"
#include "utils/guc.h"
}

namespace txtfp::pg {

constexpr double default_limit(core::KindNumber kind) { return core::kind_of(kind).default_limit; }
constexpr int default_hamming = static_cast<int>(default_limit(core::kind_simhash64)),
			  default_tlsh = static_cast<int>(default_limit(core::kind_tlsh)),
			  default_score = static_cast<int>(default_limit(core::kind_lavinhash));
constexpr double default_jaccard = default_limit(core::kind_minhash128);

int hamming_threshold = default_hamming;
double jaccard_threshold = default_jaccard;
int tlsh_threshold = default_tlsh;
int lavinhash_threshold = default_score;
bool sketch_order_all = true;
double sketch_recall = -1;
bool report_progress = false;

} // namespace txtfp::pg

using namespace txtfp;

namespace {

// Draws a random key, so that users cannot choose colliding tokens and ids. Without a source of randomness the fixed
// key stays.
void draw_table_key()
{
	std::uint64_t key[2];
	if (pg_strong_random(key, sizeof key))
		core::set_table_key(key[0], key[1]);
}

void check_simd_choice()
{
	if (core::simd_choice == core::SimdChoice::unknown || core::simd_choice == core::SimdChoice::missing)
		ereport(WARNING,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				errmsg("environment variable TXTFP_SIMD_LEVEL is \"%.60s\", which %s", std::getenv("TXTFP_SIMD_LEVEL"),
					core::simd_choice == core::SimdChoice::unknown ? "is no level" : "this processor does not have"),
				errdetail("The level in use is \"%s\".", core::name(core::simd_level())),
				errhint("Valid levels are \"baseline\", \"avx2\", \"avx512\" and \"neon\".")));
}

// Citus sends the operators that read these settings to other nodes, but mostly not the settings. That a search finds
// other rows there is told where the setting is made, once in a session: no function of this library is called here.
void warn_of_other_nodes(GucSource source)
{
	static bool has_warned = false;
	if (has_warned || source != PGC_S_SESSION || InitializingParallelWorker)
		return;
	const char *sent = GetConfigOption("citus.propagate_set_commands", true, false); // none: Citus is not loaded
	if (sent == nullptr || strcmp(sent, "local") == 0 || strncmp(application_name, "citus_internal", 14) == 0)
		return;
	has_warned = true;
	ereport(WARNING,
		(errmsg("Citus does not send the settings of txtfp to other nodes"),
			errhint("Use functions that are given their limit, such as minhash_similar, or SET LOCAL in a transaction "
					"with citus.propagate_set_commands = 'local'.")));
}

template <class Value> bool check_any(Value *, void **, GucSource source)
{
	warn_of_other_nodes(source);
	return true;
}

// Only −1 stands for "as the index says": another negative number is nobody's wish.
bool check_recall(double *value, void **, GucSource source)
{
	warn_of_other_nodes(source);
	if (*value == -1 || *value >= 0)
		return true;
	GUC_check_errdetail("\"txtfp.sketch_recall\" is a share from 0 to 1, or -1.");
	return false;
}

} // namespace

void _PG_init(void)
{
	txtfp::pg::throw_once();
	draw_table_key();
	check_simd_choice();
	DefineCustomIntVariable("txtfp.hamming_threshold",
		"Greatest Hamming distance at which the operator % finds two SimHash values similar.",
		"From 0 (equal) to 64 (everything), in bits.", &txtfp::pg::hamming_threshold, txtfp::pg::default_hamming, 0, 64,
		PGC_USERSET, 0, check_any<int>, nullptr, nullptr);
	DefineCustomRealVariable("txtfp.jaccard_threshold",
		"Least estimated Jaccard similarity at which the operator % finds two MinHash sketches similar.",
		"From 0 (everything) to 1 (all slots equal).", &txtfp::pg::jaccard_threshold, txtfp::pg::default_jaccard, 0.0,
		1.0, PGC_USERSET, 0, check_any<double>, nullptr, nullptr);
	DefineCustomIntVariable("txtfp.tlsh_threshold",
		"Greatest distance at which the operator % finds two TLSH digests similar.",
		"From 0 (equal) to 2473 (everything).", &txtfp::pg::tlsh_threshold, txtfp::pg::default_tlsh, 0, 2473,
		PGC_USERSET, 0, check_any<int>, nullptr, nullptr);
	DefineCustomIntVariable("txtfp.lavinhash_threshold",
		"Least LavinHash score at which the operator % finds two values similar.",
		"From 0 (everything) to 100 (equal, or nearly so).", &txtfp::pg::lavinhash_threshold, txtfp::pg::default_score,
		0, 100, PGC_USERSET, 0, check_any<int>, nullptr, nullptr);
	DefineCustomBoolVariable("txtfp.sketch_order_all",
		"A search in order goes on behind the rows that the band directory of an index of the access method sketch serves.",
		"It then reads the whole index. Only where the recall is below 1; otherwise it always does.",
		&txtfp::pg::sketch_order_all, true, PGC_USERSET, 0, check_any<bool>, nullptr, nullptr);
	DefineCustomRealVariable("txtfp.sketch_recall",
		"Least share of the similar rows that a search by an index of the access method sketch must find.",
		"1 is exact, -1 stands for what the index says, which is 1 if it says nothing.", &txtfp::pg::sketch_recall, -1,
		-1, 1, PGC_USERSET, 0, check_recall, nullptr, nullptr);
	DefineCustomBoolVariable("txtfp.progress", "Bulk functions report their progress by NOTICE.",
		"Every few seconds, and at the end of each phase.", &txtfp::pg::report_progress, false, PGC_USERSET, 0, nullptr,
		nullptr, nullptr);
	MarkGUCPrefixReserved("txtfp");
}
