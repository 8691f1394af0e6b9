#include "pg/bulk/progress.hpp"

#include "pg/base/settings.hpp"

extern "C" {
#include "utils/timestamp.h"
}

namespace txtfp::pg {

namespace {

constexpr std::uint64_t steps_between_clock_reads = 1000;
constexpr int milliseconds_between = 2000;

} // namespace

void Progress::begin(const char *phase, std::uint64_t total)
{
	phase_ = phase;
	done_ = next_check_ = 0;
	total_ = total;
	last_ = GetCurrentTimestamp();
}

void Progress::report_if_due()
{
	next_check_ = done_ + steps_between_clock_reads;
	if (!report_progress)
		return;
	const TimestampTz now = GetCurrentTimestamp();
	if (!TimestampDifferenceExceeds(last_, now, milliseconds_between))
		return;
	last_ = now;
	report();
}

void Progress::report()
{
	const auto done = static_cast<unsigned long long>(done_);
	if (total_ == 0)
		ereport(NOTICE, (errmsg("%s: %s, %llu rows", function_, phase_, done)));
	else
		ereport(NOTICE,
			(errmsg("%s: %s, %llu of %llu rows, %d %%", function_, phase_, done,
				static_cast<unsigned long long>(total_),
				static_cast<int>(100.0 * static_cast<double>(done_) / static_cast<double>(total_)))));
}

void Progress::end()
{
	if (report_progress)
		report();
}

} // namespace txtfp::pg
