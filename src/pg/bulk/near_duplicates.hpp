// The interface by which near_duplicate_pairs, near_duplicate_clusters and deduplicate join the fingerprints of each
// kind.
#pragma once

#include <algorithm>
#include <optional>
#include <span>

#include "core/join/joined_rows.hpp"
#include "core/minhash/config_names.hpp"
#include "pg/bulk/bulk_call.hpp"
#include "pg/bulk/row_extras.hpp"
#include "pg/fingerprint/fingerprint_kinds.hpp"

namespace txtfp::pg {

// The kind of the type of a query's column. Raises an error (42804) for a type that does not have this use; `column` says
// which column it is: "second".
const FingerprintKind &fingerprint_kind(Oid type, const char *column, KindUse use);

struct JoinOptions : core::JoinOptions {
	bool nearest = false; // of the pairs of a row of the first query only one of the most similar is wanted
};
// Default of the limit: the one that the operator % has. Raises an error (22023) if the options are wrong.
core::JoinPlan join_plan(const JoinOptions &options, const FingerprintKind &kind);

class FingerprintJoin : public core::JoinedRows {
public:
	virtual void add(Datum fingerprint) = 0; // adds the next row
	virtual void begin_second_part() {}      // the next rows belong to a second query
	virtual void finish_rows() = 0;          // after the last row, when the ids are ranked
	virtual void pairs(
		PairSink &sink) = 0; // gives each similar pair once, with the option `nearest` at least those that are wanted
	virtual bool estimates_jaccard() const = 0; // true if the similarity estimates how similar the token sets are
	// The configuration of fingerprints that carry one, if there are any.
	virtual std::optional<core::SketchConfiguration> configuration() const { return std::nullopt; }
	virtual void close() = 0; // closes temporary files

protected:
	~FingerprintJoin() = default;
};

// The rows of a query (id, fingerprint [, group] …) in a join. `extras`: what else it may return; nullptr: nothing.
// `second_query`: the query of the second part; nullptr: there is none. Afterwards the ids are ranked, by priority where
// there is one.
FingerprintJoin &read_rows(const JoinContext &context, const JoinOptions &options, Oid id_type,
	const char *query, RowExtras *extras, const char *second_query = nullptr);

// Options from the arguments `threshold`, and from `banding` on recall, bands, rows, grouped (which is left out),
// max_distance and min_score.
JoinOptions join_options(FunctionCallInfo fcinfo, int threshold, int banding);

// All check the options: they raise errors with SQLSTATE 22023.
FingerprintJoin *make_minhash_join(
	const JoinContext &context, const JoinOptions &options, const FingerprintKind &kind);
FingerprintJoin *make_value_join(const JoinContext &context, const JoinOptions &options, const FingerprintKind &kind);
FingerprintJoin *make_embedding_join(const JoinContext &context, const JoinOptions &options);

} // namespace txtfp::pg
