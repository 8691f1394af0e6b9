// The tripwire of `make TRIPWIRE=yes`: PostgreSQL called inside pg::guarded ends the session (see tools/tripwire.sh).
// And three mistakes made on purpose, so that scripts/alarms.sh can see that each is noticed.
#ifdef TXTFP_TRIPWIRE

#include "pg/guard.hpp"

#include <climits>
#include <cstdio>
#include <cstdlib>

// for the assembly
extern "C" {
__attribute__((visibility("hidden"))) int txtfp_inside_guard = 0;
[[noreturn]] __attribute__((visibility("hidden"))) void txtfp_tripwire(const char *name);
}

void txtfp_tripwire(const char *name)
{
	fprintf(stderr, "tripwire: %s called inside pg::guarded\n", name);
	abort();
}

using namespace txtfp;

TXTFP_FUNCTION(txtfp_alarm_guard)
{
	pg::guarded([] { pfree(palloc(1)); });
	PG_RETURN_VOID();
}

TXTFP_FUNCTION(txtfp_alarm_address)
{
	int value = 0;
	pg::guarded([&] {
		const int *one = new int[1]();
		value = one[PG_GETARG_INT32(0)];
		delete[] one;
	});
	PG_RETURN_INT32(value);
}

TXTFP_FUNCTION(txtfp_alarm_undefined)
{
	const int sum = INT_MAX + PG_GETARG_INT32(0);
	PG_RETURN_INT32(sum);
}

#endif
