// The interface by which near_duplicate_pairs, near_duplicate_clusters and deduplicate join the fingerprints of each
// kind. While rows are added, a row is identified by its number in the order of arrival; after that by its rank in the
// order of ids.
#pragma once

#include <algorithm>
#include <optional>
#include <span>

#include "core/base/union_find.hpp"
#include "core/join/hamming_groups.hpp"
#include "core/join/row_order.hpp"
#include "pg/bulk/host.hpp"
#include "pg/bulk/row_extras.hpp"
#include "pg/bulk/row_groups.hpp"
#include "pg/bulk/row_ids.hpp"
#include "pg/bulk/row_query.hpp"
#include "pg/bulk/row_result.hpp"
#include "pg/fingerprint/fingerprint_kinds.hpp"

namespace txtfp::pg {

// The kind of the type of a query's column, which stands in the schema of the function that is called. Raises an error
// (42804) for a type that does not have this use; `column` says which column it is: "second".
const FingerprintKind &fingerprint_kind(Oid type, Oid function, const char *column, KindUse use);

struct JoinOptions {
	// The limit of the kind, of which one may be given. Default: that of the operator %.
	std::optional<double> threshold;
	std::optional<int> max_distance, min_score;
	std::optional<int> bands, rows;
	std::optional<double> recall;
	bool nearest = false; // of the pairs of a row of the first query only one of the most similar is wanted

	GivenLimits given() const { return {threshold.has_value(), max_distance.has_value(), min_score.has_value()}; }
};
// The limit of a kind whose pairs are found exactly: a whole number up to that of the kind. Checks that no other option
// is given.
int exact_limit(const JoinOptions &options, const core::Kind &kind, int default_limit);

class JoinWorkers;

struct JoinContext {
	MemoryContext memory; // lives for one call
	std::size_t limit;    // maintenance_work_mem
	RowIds *ids;
	Progress *progress;
	RowGroups *groups; // nullptr: rows are not grouped

	core::JoinHost *host;
	JoinWorkers *workers;

	core::RowOrder order() const // after the ids are ranked
	{
		return {ids->ranks(), ids->numbers(), groups == nullptr ? nullptr : groups->all(), ids->second_part()};
	}
};
// `groups`: that of the rows, where the query has a column for it.
JoinContext join_context(RowIds &ids, Progress &progress, RowGroups *groups = nullptr);

// Calls fn(x, y) for each pair of close values, with progress.
template <class Fn>
void for_each_close_pair(
	const JoinContext &context, const core::HammingGroups &groups, int max_distance, BulkPhase phase, Fn fn)
{
	groups.for_each_close_pair(
		*context.host, context.order(), max_distance,
		[&](std::uint64_t steps) { context.progress->begin(phase, steps); }, fn);
	if (groups.count() > 0)
		context.progress->end();
}

// What a bulk function has while it runs. `grouped` is the index of the argument that says whether rows are grouped.
struct BulkCall {
	BulkCall(FunctionCallInfo fcinfo, BulkFunction function, int grouped);
	Datum finish();        // frees everything but the result
	Datum finish_unread(); // the same if no row was added
	RowResult result;
	RowIds ids;
	RowGroups groups;
	Progress progress;
	JoinContext context;
};

// Reads the rows of a query (id, value [, group] …): numbers those that have a value, and reads their groups. Classes
// derived from it read the values.
class ValueReader : public RowReader {
public:
	void columns(TupleDesc columns) final;
	void row(TupleTableSlot *row) final;

protected:
	ValueReader(const JoinContext &context, Oid id_type);
	~ValueReader() = default;

	virtual void check(TupleDesc columns) = 0; // raises an error unless the query has the right columns
	virtual void value_type(Oid type) = 0;     // raises an error for a wrong type
	virtual void value(std::uint32_t number, const TupleTableSlot &row) = 0;

	JoinContext context_;

private:
	Oid id_type_, column_type_ = InvalidOid;
	MemoryContext scratch_; // reset after each row
};

class PairSink {
public:
	virtual void pair(std::uint32_t a, std::uint32_t b, double similarity) = 0; // ranks, a < b

protected:
	~PairSink() = default;
};

class FingerprintJoin {
public:
	virtual void add(Datum fingerprint) = 0; // adds the next row
	virtual void begin_second_part() {}      // the next rows are those of a second query
	virtual void finish_rows() = 0;          // after the last row, when the ids are ranked
	virtual void pairs(PairSink &sink) = 0;  // gives each similar pair once, with the option `nearest` at least those that are wanted
	// The same, but of rows with equal fingerprints only the head takes part, the first one. heads[rank] becomes the
	// head of each row.
	virtual void pairs_of_heads(PairSink &sink) = 0;
	virtual void read_heads(std::span<std::uint32_t> heads) = 0;
	virtual void connect(core::UnionFind &components) = 0;
	// Both are fast if a is the same as in the worker's last call.
	virtual bool similar(std::uint32_t a, std::uint32_t b, unsigned worker = 0) = 0;
	virtual double similarity(std::uint32_t a, std::uint32_t b, unsigned worker = 0) = 0;
	// True if all workers of the context may call them at once; otherwise only the caller.
	virtual bool compares_in_workers() const { return false; }
	// Makes ready for comparisons of some rows, by ascending rank and at most rows_at_once() of them; 0: they are
	// always ready.
	virtual std::size_t rows_at_once() { return 0; }
	virtual void hold(std::span<const std::uint32_t>) {}
	// True if the rows are known to be equal. Then similarity() compares nothing.
	virtual bool are_copies(std::uint32_t, std::uint32_t) { return false; }
	virtual bool estimates_jaccard() const = 0; // true if the similarity is an estimate of that of token sets
	// Writes the keys of a row, at most max_keys, and returns their number. Similar rows that were connected have a key
	// in common. 0: this kind has no such keys.
	static constexpr std::size_t max_keys = 256;
	virtual std::size_t keys(std::uint32_t row, std::uint64_t *keys) = 0;
	virtual void close() = 0; // closes temporary files

protected:
	~FingerprintJoin() = default;
};

// The rows of a query (id, fingerprint [, group] …) in a join. `extras`: what else it may return; nullptr: nothing.
// `second_query`: that of the second part; nullptr: there is none. Afterwards the ids are ranked, by priority where
// there is one.
FingerprintJoin &read_rows(FunctionCallInfo fcinfo, const JoinContext &context, const JoinOptions &options, Oid id_type,
	const char *query, RowExtras *extras, const char *second_query = nullptr);

// Raises an error (42804) unless a query without optional columns has an id, what `value` says and, if rows are
// grouped, a group.
void check_columns(TupleDesc columns, const JoinContext &context, const char *value);

// Options from the arguments `threshold`, and from `banding` on bands, rows, recall, grouped (which is left out),
// max_distance and min_score.
JoinOptions join_options(FunctionCallInfo fcinfo, int threshold, int banding);
void check_not_null(FunctionCallInfo fcinfo, int i, const char *name); // raises an error (22004)

// The components of the rows' similarity: labels[rank] is the smallest rank of its component.
std::span<std::uint32_t> connect(FingerprintJoin &join, std::uint32_t rows, MemoryContext memory);

// All check the options: they raise errors with SQLSTATE 22023.
FingerprintJoin *make_minhash_join(
	const JoinContext &context, const JoinOptions &options, std::size_t slots, bool compact);
FingerprintJoin *make_simhash_join(const JoinContext &context, const JoinOptions &options);
FingerprintJoin *make_tlsh_join(const JoinContext &context, const JoinOptions &options);
FingerprintJoin *make_lavinhash_join(const JoinContext &context, const JoinOptions &options);
FingerprintJoin *make_embedding_join(const JoinContext &context, const JoinOptions &options);

} // namespace txtfp::pg
