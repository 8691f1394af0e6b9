// The arguments of a near_duplicate_trigger, parsed once per session and trigger.
#pragma once

#include "pg/trigger/compared_columns.hpp"
#include "pg/trigger/searched_table.hpp"
#include "pg/trigger/text_decision.hpp"
#include "pg/trigger/trigger_log.hpp"

namespace txtfp::pg {

enum class Action { reject, skip, flag, count, merge, write };

// The new row is not stored; the row that it is similar to, the kept row, is changed.
inline bool changes_kept_row(Action action) { return action == Action::count || action == Action::merge; }

struct NearDuplicateCheck {
	Oid definition; // the trigger that the user created; its clones in partitions have OIDs of their own
	Oid fired;      // the table or partition that the row is written to
	Oid created_on; // the table of `definition`
	Oid table;      // the guarded table, which is locked: created_on, or `fired` with scope=partition
	Oid schema;     // of the extension
	AttrNumber key;
	ComparedColumns columns;
	AttrNumber flag, outcome, within, text; // 0: none
	ValueType key_type, within_type, text_type;
	Action action;
	Action
		on_update; // for a row that an UPDATE makes similar to another. Actions that change the kept row delete this one
	AttrNumber counter, last; // of `searched`; 0: none
	int merge_argument;       // of the trigger: merge=schema.function
	// The texts decide which of the similar rows are near-duplicates; nullptr: all are. Lives until the end of the
	// transaction, even if the arguments are read again.
	TextDecision *decision;
	Action on_review; // for a row that somebody must look at: write, flag, reject or skip
	LogTable log;
	SearchedTable searched;   // `table`, or a protected one
	PairsTable apart;

	bool is_against_itself() const { return searched.table == table; }
	bool writes_flag() const { return flag != 0 || outcome != 0 || columns.writes_similarity(); }
};

// Rows that this session has checked, including rows of transactions that were rolled back.
struct CheckCounts {
	std::int64_t checked;
	std::int64_t found; // rows that had a near-duplicate and were rejected, skipped, flagged, counted or merged
	std::int64_t found_by[max_compared_columns]; // how many of them are similar in the column
	std::int64_t reviewed;                       // rows that somebody must look at
};

struct CachedCheck {
	Oid trigger;
	bool valid, warned;
	MemoryContext memory; // of check.decision; nullptr: there is none
	NearDuplicateCheck check;
	CheckCounts counts;
};

// Raises an error (22023, 42703, 42804, …) if the trigger's arguments are wrong. The result is valid until the next
// call.
CachedCheck &near_duplicate_check(const TriggerData &call, Oid schema);

} // namespace txtfp::pg
