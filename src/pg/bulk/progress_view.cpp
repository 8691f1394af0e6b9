// bulk_progress()
#include <algorithm>

#include "pg/bulk/progress.hpp"

extern "C" {
#include "catalog/pg_authid.h"
#include "commands/dbcommands.h"
#include "funcapi.h"
#include "utils/acl.h"
#include "utils/backend_status.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h" // get_database_name, since 19
#include "utils/timestamp.h"
#include "utils/tuplestore.h"
}

using namespace txtfp;

namespace txtfp::pg {

namespace {

const PgBackendStatus *backend(int i)
{
#if PG_VERSION_NUM >= 160000
	const LocalPgBackendStatus *local = pgstat_get_local_beentry_by_index(i);
#else
	const LocalPgBackendStatus *local = pgstat_fetch_stat_local_beentry(i);
#endif
	return local == nullptr ? nullptr : &local->backendStatus;
}

void put_backend(ReturnSetInfo *result, const PgBackendStatus &status)
{
	const int64 *values = status.st_progress_param;
	char *database = get_database_name(status.st_databaseid);
	const bool may_see =
		has_privs_of_role(GetUserId(), ROLE_PG_READ_ALL_STATS) || has_privs_of_role(GetUserId(), status.st_userid);
	NameData database_name{};
	if (database != nullptr)
		namestrcpy(&database_name, database);
	Datum row[] = {Int32GetDatum(status.st_procpid), NameGetDatum(&database_name), 0, 0, 0, 0, 0};
	bool nulls[lengthof(row)] = {false, database == nullptr, true, true, true, true, true};
	if (may_see) {
		row[2] = CStringGetTextDatum(name(static_cast<BulkFunction>(values[parameter_function])));
		row[3] = CStringGetTextDatum(name(static_cast<BulkPhase>(values[parameter_phase])));
		row[4] = Int64GetDatum(values[parameter_done]);
		row[5] = Int64GetDatum(values[parameter_total]);
		row[6] = TimestampTzGetDatum(values[parameter_started]);
		std::fill_n(nulls + 2, 5, false);
		nulls[5] = values[parameter_total] == 0;
	}
	tuplestore_putvalues(result->setResult, result->setDesc, row, nulls);
}

} // namespace

} // namespace txtfp::pg

TXTFP_FUNCTION(txtfp_bulk_progress)
{
	InitMaterializedSRF(fcinfo, 0);
	for (int i = 1; i <= pgstat_fetch_stat_numbackends(); ++i)
		if (const PgBackendStatus *status = pg::backend(i);
			status != nullptr && status->st_procpid > 0 && pg::is_bulk_progress(status->st_progress_command))
			pg::put_backend((ReturnSetInfo *) fcinfo->resultinfo, *status);
	return (Datum) 0;
}
