// The tripwire of `make TRIPWIRE=yes`: PostgreSQL called inside pg::guarded ends the session (see tools/tripwire.sh).
// It also has three deliberate mistakes, so that scripts/alarms.sh can check that each is detected.
#ifdef TXTFP_TRIPWIRE

#include "pg/base/guard.hpp"

#include <cstdlib>

#include <unistd.h>

// Called from assembly
extern "C" {
__attribute__((visibility("hidden"))) int txtfp_inside_guard = 0;
[[noreturn]] __attribute__((visibility("hidden"))) void txtfp_tripwire(const char *name);
}

void txtfp_tripwire(const char *name)
{
	// PostgreSQL's own printf would call this function again.
	char message[200];
	strcpy(message, "tripwire: ");
	strncat(message, name, 100);
	strcat(message, " called inside pg::guarded\n");
	(void) !write(STDERR_FILENO, message, strlen(message));
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
	PG_RETURN_INT32(1 << (PG_GETARG_INT32(0) + 31)); // an overflow would not do: PostgreSQL is built with -fwrapv
}

#endif
