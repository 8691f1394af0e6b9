// minhash_union and its aggregate; sizes of sets, of their intersection, and containment.
#include "core/minhash/minhash_merge.hpp"

#include <algorithm>
#include <cmath>

#include "pg/base/text_arg.hpp"
#include "pg/minhash/minhash.hpp"

using namespace txtfp;

namespace {

// The sizes of the two sets: arguments 2 and 3 if given, otherwise estimates from the sketches.
struct Sizes {
	double a, b;
};

double size_option(const char *name, double value)
{
	if (!(value > 0 && std::isfinite(value)))
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				errmsg("%s must be a finite number greater than 0, not %s", name, pg::shortest(value)),
				errhint("The size is the number of distinct tokens of the text.")));
	return value;
}

Sizes sizes(FunctionCallInfo fcinfo, const pg::Minhash &a, const pg::Minhash &b)
{
	if (PG_NARGS() == 4)
		return {size_option("size_a", PG_GETARG_FLOAT8(2)), size_option("size_b", PG_GETARG_FLOAT8(3))};
	return {core::minhash_cardinality(a.view()), core::minhash_cardinality(b.view())};
}

} // namespace

// An aggregate may change its state in place, unless the state is still the value of a table's row.
TXTFP_FUNCTION(txtfp_minhash_union)
{
	pg::Minhash *a = const_cast<pg::Minhash *>(pg::minhash_arg(fcinfo, 0));
	const pg::Minhash *b = pg::minhash_arg(fcinfo, 1);
	pg::check_comparable(pg::view_of(*a), pg::view_of(*b));
	pg::Minhash *into = a;
	if (AggCheckCallContext(fcinfo, nullptr) == 0 || PointerGetDatum(a) != PG_GETARG_DATUM(0)) {
		into = pg::allocate_minhash(a->slot_count());
		memcpy(into->slots, a->slots, 8 * a->slot_count());
	}
	into->config = a->config != 0 ? a->config : b->config;
	core::unite(into->view(), b->view());
	PG_RETURN_POINTER(into);
}

TXTFP_FUNCTION(txtfp_minhash_cardinality)
{
	PG_RETURN_FLOAT8(core::minhash_cardinality(pg::minhash_arg(fcinfo, 0)->view()));
}

TXTFP_FUNCTION(txtfp_minhash_intersection_estimate)
{
	const pg::Minhash *a = pg::minhash_arg(fcinfo, 0), *b = pg::minhash_arg(fcinfo, 1);
	const Sizes size = sizes(fcinfo, *a, *b);
	PG_RETURN_FLOAT8(core::intersection_size(pg::jaccard(pg::view_of(*a), pg::view_of(*b)), size.a, size.b));
}

TXTFP_FUNCTION(txtfp_minhash_containment)
{
	const pg::Minhash *a = pg::minhash_arg(fcinfo, 0), *b = pg::minhash_arg(fcinfo, 1);
	const Sizes size = sizes(fcinfo, *a, *b);
	PG_RETURN_FLOAT8(core::intersection_size(pg::jaccard(pg::view_of(*a), pg::view_of(*b)), size.a, size.b) / size.a);
}
