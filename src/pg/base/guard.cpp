#include "pg/base/guard.hpp"

namespace txtfp::pg {

// The first exception of a process allocates thread-local data of the C++ library. If memory is exhausted then, and the
// server has not loaded that library before (as it has when built with ICU), the C library would end the process.
void throw_once() noexcept
{
	try {
		throw std::bad_alloc();
	} catch (const std::bad_alloc &) {
	}
}

bool stop_requested() noexcept { return QueryCancelPending || ProcDiePending; }

void set_failure(Failure &failure, const core::Error &error) noexcept
{
	switch (error.kind()) {
	case core::ErrorKind::invalid_parameter:
		failure.set(ERRCODE_INVALID_PARAMETER_VALUE, error.what());
		break;
	case core::ErrorKind::too_large:
		failure.set(ERRCODE_PROGRAM_LIMIT_EXCEEDED, error.what());
		break;
	case core::ErrorKind::file:
		failure.set(ERRCODE_IO_ERROR, error.what());
		break;
	case core::ErrorKind::disk_full:
		failure.set(ERRCODE_DISK_FULL, error.what());
		break;
	case core::ErrorKind::internal:
		failure.set(ERRCODE_INTERNAL_ERROR, error.what());
		break;
	case core::ErrorKind::cancelled:
		failure.set(ERRCODE_QUERY_CANCELED, "canceling statement due to user request");
		failure.cancelled = true;
		break;
	}
}

void report(const Failure &failure)
{
	if (failure.cancelled)
		CHECK_FOR_INTERRUPTS(); // PostgreSQL words the reason itself: user request, timeout, shutdown
	ereport(ERROR, (errcode(failure.sqlstate), errmsg("%s", failure.message)));
	pg_unreachable();
}

} // namespace txtfp::pg
