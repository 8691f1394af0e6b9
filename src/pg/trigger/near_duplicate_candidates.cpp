#include "pg/trigger/near_duplicate_candidates.hpp"

#include <algorithm>

#include "pg/base/text_arg.hpp"

extern "C" {
#include "access/detoast.h"
#include "catalog/pg_type.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
}

namespace txtfp::pg {

using core::removal::removed, core::removal::review;

bool Candidates::take(TupleTableSlot *row)
{
	Similar similar{};
	for (int i = 0; i < check_.columns.count; ++i) {
		const NullableDatum measure = column_value(row, i + 2, {FLOAT8OID});
		similar.evidence[i] = {!measure.isnull, measure.isnull ? 0 : DatumGetFloat8(measure.value)};
		if (similar.evidence[i].decides && i < search && !values_.fingerprints[i].isnull)
			return true; // an earlier search has found it
	}
	++similar_;
	if (check_.decision != nullptr)
		return decide_about(row, similar);
	similar.pair.outcome = removed;
	found_ = similar_row(row, similar);
	return false;
}

// The rows that are similar to the new one are neighbours of both; whether there are many is known when all have been
// taken.
SimilarRow Candidates::found() const
{
	if (!held_.found || is_decided())
		return found_;
	if (similar_ <= core::many_neighbours)
		return held_;
	if (found_.found && !found_.is_one_of_many)
		return found_;
	SimilarRow row = held_;
	core::judge(row.pair, similar_, similar_, check_.decision->options);
	return row;
}

// False: the row is a near-duplicate.
bool Candidates::decide_about(TupleTableSlot *row, Similar &similar)
{
	const int text = check_.columns.count + (changes_kept_row(check_.action) ? 4 : 2);
	const NullableDatum stored =
		column_value(row, text, {base_type_of(check_.searched.table, check_.searched.text)});
	if (stored.isnull)
		return true;
	similar.is_one_of_many = decided_ >= most_decisions;
	if (!similar.is_one_of_many || toast_raw_datum_size(stored.value) == toast_raw_datum_size(values_.text))
		similar.pair = decision_about(stored, similar);
	if (similar.pair.outcome == removed) {
		similar.is_one_of_many = false;
		if (depends_on_neighbours(similar.pair)) {
			keep_if_first(held_, row, similar);
			return true;
		}
		found_ = similar_row(row, similar);
		return false;
	}
	if (similar.pair.outcome == review || similar.is_one_of_many)
		keep_if_first(found_, row, similar);
	return true;
}

// For a row beyond most_decisions, only whether the text is equal.
core::PairDecision Candidates::decision_about(const NullableDatum &stored, const Similar &similar)
{
	if (scratch_ == nullptr) {
		const MemoryContext before = MemoryContextSwitchTo(caller_);
		scratch_ = AllocSetContextCreate(caller_, "txtfp candidate", ALLOCSET_DEFAULT_SIZES);
		text_ = to_utf8(DatumGetTextPP(values_.text));
		use_tokens();
		MemoryContextSwitchTo(before);
	}
	++decided_;
	const MemoryContext before = MemoryContextSwitchTo(scratch_);
	const std::string_view kept = to_utf8(DatumGetTextPP(stored.value));
	core::PairDecision pair;
	if (!similar.is_one_of_many || kept == text_)
		pair = decide(*check_.decision, text_, kept, similarity_of(similar));
	MemoryContextSwitchTo(before);
	MemoryContextReset(scratch_);
	return pair;
}

// From the first sketch, which knows them, or from another fingerprint.
void Candidates::use_tokens()
{
	int column = -1;
	for (int i = 0; i < check_.columns.count; ++i)
		if (!values_.fingerprints[i].isnull && (column < 0 || check_.columns.list[column].kind->slots == 0))
			column = i;
	use_tokens_of(*check_.decision, *check_.columns.list[column].kind, values_.fingerprints[column].value);
}

double Candidates::similarity_of(const Similar &similar) const
{
	for (int i = 0; i < check_.columns.count; ++i)
		if (similar.evidence[i].decides)
			return decision_similarity(*check_.columns.list[i].kind, similar.evidence[i].similarity);
	return 0;
}

bool Candidates::depends_on_neighbours(core::PairDecision pair) const
{
	core::judge(pair, core::many_neighbours + 1, core::many_neighbours + 1, check_.decision->options);
	return pair.outcome != removed;
}

void Candidates::keep_if_first(SimilarRow &kept, TupleTableSlot *row, const Similar &similar) const
{
	if (!kept.found)
		kept = similar_row(row, similar);
}

SimilarRow Candidates::similar_row(TupleTableSlot *row, const Similar &similar) const
{
	SimilarRow result{};
	result.found = true;
	const Oid key_type = check_.searched.key_type;
	const NullableDatum key = column_value(row, 1, {key_type});
	result.key_is_null = key.isnull;
	const MemoryContext before = MemoryContextSwitchTo(caller_);
	if (!key.isnull)
		result.key = datumCopy(key.value, get_typbyval(key_type), get_typlen(key_type));
	MemoryContextSwitchTo(before);
	std::copy_n(similar.evidence, check_.columns.count, result.evidence);
	result.pair = similar.pair;
	result.is_one_of_many = similar.is_one_of_many;
	if (changes_kept_row(check_.action)) {
		const int place = check_.columns.count + 2;
		result.stored_in = DatumGetObjectId(column_value(row, place, {OIDOID}).value);
		result.stored_at = *(ItemPointer) DatumGetPointer(column_value(row, place + 1, {TIDOID}).value);
	}
	return result;
}

} // namespace txtfp::pg
