// SimHash of weighted byte strings, hashed like those of a document.
#include "core/base/siphash.hpp"
#include "pg/base/guard.hpp"
#include "pg/simhash/weighted_features.hpp"

using namespace txtfp;

namespace {

std::uint64_t bytes_hash(Datum feature)
{
	const bytea *bytes = DatumGetByteaPP(feature);
	return core::python_hash(reinterpret_cast<const std::uint8_t *>(VARDATA_ANY(bytes)), VARSIZE_ANY_EXHDR(bytes));
}

} // namespace

TXTFP_FUNCTION(txtfp_byte_features_to_simhash64) { return pg::weigh_features<bytes_hash>(fcinfo); }
