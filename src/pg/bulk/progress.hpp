// The progress of a bulk function: for other sessions by bulk_progress(), and, if txtfp.progress is on, by a NOTICE
// every few seconds and at the end of each phase.
//
// Other sessions read it where pg_stat_progress_vacuum and its kin are read, from this backend's entry in the server's
// status array: it is in shared memory that exists without any preloading, readers need no lock, and an abort clears
// it. The entry carries a command number that
// PostgreSQL's own views do not ask for. A command whose progress is there already (COPY of a query) gets its entry
// back at the end.
#pragma once

#include <cstdint>

#include "pg/base/guard.hpp"

extern "C" {
#include "datatype/timestamp.h"
#include "utils/backend_progress.h"
}

namespace txtfp::pg {

enum class BulkFunction : int {
	connected_components,
	deduplicate,
	deduplicate_passages,
	deduplicate_passages_between,
	frequent_passages,
	near_duplicate_clusters,
	near_duplicate_pairs,
	near_duplicate_pairs_between,
	passage_pairs,
	passage_pairs_between,
	similar_string_pairs
};
enum class BulkPhase : int {
	reading_rows,
	reading_pairs,
	equal_sketches,
	shared_bands,
	equal_vectors,
	close_simhashes,
	distinct_values,
	deciding,
	counting_passages,
	reading_again,
	shared_passages,
	equal_values,
	searching_index,
	ordering_strings,
	shared_trigrams
};
// Where the values of an entry stand
enum ProgressParameter : int {
	parameter_function,
	parameter_phase,
	parameter_done,
	parameter_total,
	parameter_started,
	progress_parameters,
};
bool is_bulk_progress(const ProgressCommandType &command);

const char *name(BulkFunction function);
const char *name(BulkPhase phase);

class Progress {
public:
	explicit Progress(BulkFunction function);
	void begin(BulkPhase phase, std::uint64_t total); // total = 0: unknown
	void add(std::uint64_t n)
	{
		done_ += n;
		if (done_ >= next_check_)
			report_if_due();
	}
	void end();
	void finish(); // at the end of the function, unless that is an error

private:
	void report_if_due();
	void report();

	BulkFunction function_;
	BulkPhase phase_{};
	std::uint64_t done_ = 0, total_ = 0, next_check_ = 0;
	TimestampTz last_ = 0;
	struct { // what the entry had before
		ProgressCommandType command;
		Oid target;
		int64 values[PGSTAT_NUM_PROGRESS_PARAM];
	} before_;
};

} // namespace txtfp::pg
