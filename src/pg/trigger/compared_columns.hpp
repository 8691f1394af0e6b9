// The fingerprint columns that a near_duplicate_trigger compares, with their limits, and whether a row must be similar
// in all of them.
#pragma once

#include <span>

#include "pg/trigger/search_options.hpp"

namespace txtfp::pg {

constexpr const char *near_duplicate_trigger_name = "near_duplicate_trigger";

constexpr int max_compared_columns = 8;

struct ComparedColumn {
	AttrNumber number; // of the table or partition that the row is written to
	ValueType type;
	const FingerprintKind *kind;
	double limit;          // in the unit of `kind`
	bool has_limit;        // one was given
	AttrNumber similarity; // a column that is written where a row is flagged; 0: none
	RowLocks locks;
};

enum class Match { any, all };

// Similar rows have a key in common if each row locks the keys of all columns and one of them decides, or if each locks
// the keys of the same column and all columns decide.
struct ComparedColumns {
	int count;
	Match match;    // of one column: any
	bool has_match; // it was given
	ComparedColumn list[max_compared_columns];
	int locked; // with `all`: the column whose keys are locked

	std::span<const ComparedColumn> all() const { return {list, static_cast<std::size_t>(count)}; }
	std::span<ComparedColumn> all() { return {list, static_cast<std::size_t>(count)}; }
	bool is_one() const { return count == 1; }
	bool locks_keys_of(int i) const { return match == Match::any || i == locked; }
	bool writes_similarity() const { return list[0].similarity != 0; }
};

// Reads the list of columns, each with its limit or the default of its kind. Raises an error if the list cannot be read
// (22023), names a column twice (42701) or one that does not exist (42703) or has no near-duplicate check (42804), or
// if a limit is wrong (22023).
ComparedColumns compared_columns(Relation table, const char *argument);

// Reads an option that is the limit of the only column, or `match`, or `similarity`. False if the option is another
// one.
bool read_column_option(ComparedColumns &columns, Relation table, const TriggerOption &option, bool flags);

// When all options have been read: raises an error (22023) if limits or `match` are missing. Chooses the locks;
// `by_table`: rows have no keys.
void finish_columns(ComparedColumns &columns, Relation table, bool by_table);

// The columns that an option names, one for each fingerprint column, in the same order. Raises an error if there are
// more or fewer (22023), or as compared_columns does.
void columns_of_option(const ComparedColumns &columns, Relation table, const TriggerOption &option,
	AttrNumber (&out)[max_compared_columns]);

} // namespace txtfp::pg
