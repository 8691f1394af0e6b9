#include "pg/bulk/progress.hpp"

#include "pg/base/reserved_numbers.hpp"
#include "pg/base/settings.hpp"

extern "C" {
#include "utils/backend_status.h"
#include "utils/timestamp.h"
}

using namespace txtfp;

namespace txtfp::pg {

namespace {

constexpr std::uint64_t steps_between_clock_reads = 1000;
constexpr int milliseconds_between = 2000;

static_assert(progress_parameters <= PGSTAT_NUM_PROGRESS_PARAM);

// Not one of PostgreSQL's, so no value of the enumeration: C++ must not convert the number.
static_assert(sizeof(ProgressCommandType) == sizeof progress_command);
ProgressCommandType own_command()
{
	ProgressCommandType command;
	memcpy(&command, &progress_command, sizeof command);
	return command;
}

// Another session may run another version of the library.
template <std::size_t n> const char *name_in(const char *const (&names)[n], std::int64_t i)
{
	return i >= 0 && i < static_cast<std::int64_t>(n) ? names[i] : "unknown";
}

void start(ProgressCommandType command, Oid target, const int64 *values)
{
	pgstat_progress_start_command(command, target);
	for (int i = 0; i < PGSTAT_NUM_PROGRESS_PARAM; ++i)
		if (values[i] != 0)
			pgstat_progress_update_param(i, values[i]);
}

} // namespace

const char *name(BulkFunction function)
{
	static constexpr const char *names[] = {"connected_components", "deduplicate", "deduplicate_passages",
		"deduplicate_passages_between", "frequent_passages",
		"near_duplicate_clusters", "near_duplicate_pairs", "near_duplicate_pairs_between", "passage_pairs",
		"passage_pairs_between", "similar_string_pairs"};
	return name_in(names, static_cast<std::int64_t>(function));
}

const char *name(BulkPhase phase)
{
	static constexpr const char *names[] = {"reading rows", "reading pairs", "finding equal sketches",
		"comparing rows that share a band", "finding equal vectors", "comparing close SimHashes",
		"comparing distinct values", "deciding", "counting passages", "reading them",
		"pairing rows that share a passage", "finding equal values", "searching through an index", "ordering strings",
		"comparing strings that share trigrams"};
	return name_in(names, static_cast<std::int64_t>(phase));
}

bool is_bulk_progress(const ProgressCommandType &command)
{
	return memcmp(&command, &progress_command, sizeof command) == 0;
}

Progress::Progress(BulkFunction function) : function_(function), before_{}
{
	if (MyBEEntry != nullptr) {
		before_.command = MyBEEntry->st_progress_command;
		before_.target = MyBEEntry->st_progress_command_target;
		memcpy(before_.values, MyBEEntry->st_progress_param, sizeof before_.values);
	}
	int64 values[PGSTAT_NUM_PROGRESS_PARAM] = {};
	values[parameter_function] = static_cast<int64>(function);
	values[parameter_started] = GetCurrentTimestamp();
	start(own_command(), InvalidOid, values);
}

void Progress::begin(BulkPhase phase, std::uint64_t total)
{
	phase_ = phase;
	done_ = next_check_ = 0;
	total_ = total;
	last_ = GetCurrentTimestamp();
	const int at[] = {parameter_phase, parameter_done, parameter_total};
	const int64 values[] = {static_cast<int64>(phase), 0, static_cast<int64>(total)};
	pgstat_progress_update_multi_param(lengthof(at), at, values);
}

void Progress::report_if_due()
{
	next_check_ = done_ + steps_between_clock_reads;
	pgstat_progress_update_param(parameter_done, static_cast<int64>(done_));
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
		ereport(NOTICE, (errmsg("%s: %s, %llu rows", name(function_), name(phase_), done)));
	else
		ereport(NOTICE,
			(errmsg("%s: %s, %llu of %llu rows, %d %%", name(function_), name(phase_), done,
				static_cast<unsigned long long>(total_),
				static_cast<int>(100.0 * static_cast<double>(done_) / static_cast<double>(total_)))));
}

void Progress::end()
{
	pgstat_progress_update_param(parameter_done, static_cast<int64>(done_));
	if (report_progress)
		report();
}

void Progress::finish()
{
	if (before_.command == PROGRESS_COMMAND_INVALID)
		pgstat_progress_end_command();
	else
		start(before_.command, before_.target, before_.values);
}

} // namespace txtfp::pg
