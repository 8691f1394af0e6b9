// Similarity of sketches, full and compact: jaccard, <%>, %, minhash_similar and its leak-proof twin. They take the
// number of slots from the values.
#include "pg/base/guard.hpp"
#include "pg/base/ranges.hpp"
#include "pg/base/settings.hpp"
#include "pg/index/planner.hpp"
#include "pg/minhash/minhash.hpp"

using namespace txtfp;

namespace {

template <class Slot> double jaccard(FunctionCallInfo fcinfo)
{
	return pg::jaccard(pg::sketch_arg<Slot>(fcinfo, 0), pg::sketch_arg<Slot>(fcinfo, 1));
}

template <class Slot> Datum similar(FunctionCallInfo fcinfo)
{
	const double threshold = pg::unit_interval_option("threshold", PG_GETARG_FLOAT8(2));
	PG_RETURN_BOOL(jaccard<Slot>(fcinfo) >= threshold);
}

// Sketches of different configurations are not similar here: an error would reveal something about a row.
template <class Slot> Datum similar_leakproof(FunctionCallInfo fcinfo)
{
	const pg::SketchView a = pg::sketch_arg<Slot>(fcinfo, 0), b = pg::sketch_arg<Slot>(fcinfo, 1);
	const double threshold = PG_GETARG_FLOAT8(2);
	if (!(threshold >= 0 && threshold <= 1) && pg::may_raise(fcinfo))
		pg::unit_interval_option("threshold", threshold);
	PG_RETURN_BOOL(pg::are_comparable(a, b) && pg::jaccard(a, b) >= threshold);
}

} // namespace

TXTFP_FUNCTION(txtfp_jaccard) { PG_RETURN_FLOAT8(jaccard<std::uint64_t>(fcinfo)); }
TXTFP_FUNCTION(txtfp_jaccard_distance) { PG_RETURN_FLOAT8(1 - jaccard<std::uint64_t>(fcinfo)); }
TXTFP_FUNCTION(txtfp_minhash_similar) { return similar<std::uint64_t>(fcinfo); }
TXTFP_FUNCTION(txtfp_exactly_minhash_similar) { return similar<std::uint64_t>(fcinfo); }
TXTFP_FUNCTION(txtfp_minhash_similar_leakproof) { return similar_leakproof<std::uint64_t>(fcinfo); }
TXTFP_FUNCTION(txtfp_minhash_similar_op) { PG_RETURN_BOOL(jaccard<std::uint64_t>(fcinfo) >= pg::jaccard_threshold); }

TXTFP_FUNCTION(txtfp_compact_jaccard) { PG_RETURN_FLOAT8(jaccard<std::uint8_t>(fcinfo)); }
TXTFP_FUNCTION(txtfp_compact_jaccard_distance) { PG_RETURN_FLOAT8(1 - jaccard<std::uint8_t>(fcinfo)); }
TXTFP_FUNCTION(txtfp_compact_similar) { return similar<std::uint8_t>(fcinfo); }
TXTFP_FUNCTION(txtfp_exactly_compact_similar) { return similar<std::uint8_t>(fcinfo); }
TXTFP_FUNCTION(txtfp_compact_similar_leakproof) { return similar_leakproof<std::uint8_t>(fcinfo); }
TXTFP_FUNCTION(txtfp_compact_similar_op) { PG_RETURN_BOOL(jaccard<std::uint8_t>(fcinfo) >= pg::jaccard_threshold); }
