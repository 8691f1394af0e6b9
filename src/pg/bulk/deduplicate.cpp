// deduplicate returns the rows to remove, and for each of them the row that is kept instead, with the evidence. It processes rows in the order of
// priority, then id. A row is removed if it is similar to a row that has been kept and, on request, if an exact comparison of their texts
// confirms this. So every removed row has itself been compared with its kept row.
#include <algorithm>
#include <new>
#include <optional>

#include "core/compare/text_measures.hpp"
#include "core/text/text_options.hpp"
#include "pg/base/large_array.hpp"
#include "pg/base/ranges.hpp"
#include "pg/base/text_arg.hpp"
#include "pg/bulk/kept_rows.hpp"
#include "pg/bulk/memory_budget.hpp"
#include "pg/bulk/near_duplicates.hpp"
#include "pg/bulk/row_query.hpp"
#include "pg/bulk/row_result.hpp"
#include "pg/text/options.hpp"

extern "C" {
#include "utils/builtins.h"
#include "utils/memutils.h"
}

using namespace txtfp;

namespace {

enum class Verify { none, jaccard, containment };

enum Reason { equal_text, equal_fingerprint, similarity, jaccard, containment, reasons };
constexpr const char *reason_names[reasons] = {
	"equal_text", "equal_fingerprint", "similarity", "jaccard", "containment"};

struct Options {
	Verify verify;
	std::optional<double> given; // verify_threshold
	double least;                // least value of the exact measure
	core::CanonicalOptions canonical;
	core::TokenizerSpec tokenizer;
	bool explain;
};

// The measures of a row and the kept row that it was compared with.
struct Comparison {
	double similarity;
	bool has_measures; // both have a text with a token
	core::SetOverlap overlap;
	Reason reason;
};

class Deduplication {
public:
	Deduplication(pg::FingerprintJoin &join, pg::RowIds &ids, pg::RowExtras &extras, const Options &options,
		pg::RowResult &result, const pg::JoinContext &context)
		: join_(join), ids_(ids), extras_(extras), options_(options), result_(result), context_(context)
	{
	}

	void run(std::span<std::uint32_t> labels)
	{
		auto *next = pg::allocate<std::uint32_t>(context_.memory, labels.size()); // the next row of the same component
		core::chain_groups(labels, next);
		rows_ = pg::allocate<std::uint32_t>(context_.memory, labels.size());
		context_.progress->begin(pg::BulkPhase::deciding, labels.size());
		for (std::uint32_t root = 0; root < labels.size(); ++root) {
			if (labels[root] != root || next[root] == core::no_element)
				continue;
			std::size_t count = 0;
			for (std::uint32_t row = root; row != core::no_element; row = next[row])
				rows_[count++] = row;
			context_.progress->add(count);
			decide({rows_, count});
		}
		context_.progress->end();
	}

	void explain() const
	{
		std::uint64_t removed = 0;
		for (const std::uint64_t count : counts_)
			removed += count;
		const auto count = [this](Reason reason) { return static_cast<unsigned long long>(counts_[reason]); };
		ereport(NOTICE,
			(errmsg("deduplicate: %u rows, %llu to be removed", ids_.count(), static_cast<unsigned long long>(removed)),
				errdetail("By reason: %llu %s, %llu %s, %llu %s, %llu %s, %llu %s. Pairs that the exact comparison "
						  "refused: %llu.%s",
					count(equal_text), reason_names[equal_text], count(equal_fingerprint),
					reason_names[equal_fingerprint], count(similarity), reason_names[similarity], count(jaccard),
					reason_names[jaccard], count(containment), reason_names[containment],
					static_cast<unsigned long long>(refused_),
					left_out_ ? psprintf(" Of rows that share a key with more than %u kept rows, only the latest were "
										 "compared.",
									pg::KeptRows::chain_limit)
							  : "")));
	}

private:
	// In components up to this size every row is compared with every kept row.
	static constexpr std::size_t small_component = 64;

	// The rows of a component, in the order of ranks.
	void decide(std::span<std::uint32_t> rows)
	{
		std::uint64_t keys[pg::FingerprintJoin::max_keys];
		if (rows.size() <= small_component || join_.keys(rows[0], keys) == 0)
			return compare_with_all(rows);
		while (!rows.empty())
			rows = decide_with_table(rows);
	}

	void compare_with_all(std::span<std::uint32_t> rows)
	{
		std::size_t kept = 0; // kept rows move to the front
		for (const std::uint32_t row : rows)
			if (!remove(row, rows.first(kept)))
				rows[kept++] = row;
	}

	// Decides about all rows until the table is full. Of the others, decides only about those that a row in the table removes, and returns
	// the rest, in order.
	std::span<std::uint32_t> decide_with_table(std::span<std::uint32_t> rows)
	{
		if (candidates_ == nullptr) {
			table_.open(context_.memory, pg::share_of(context_.limit, pg::Share::kept_rows));
			candidates_ = pg::allocate<std::uint32_t>(
				context_.memory, pg::FingerprintJoin::max_keys * std::size_t{pg::KeptRows::chain_limit});
		}
		table_.clear();
		std::size_t rest = 0;
		bool full = false;
		for (const std::uint32_t row : rows) {
			std::uint64_t keys[pg::FingerprintJoin::max_keys];
			const std::span<const std::uint64_t> own(keys, join_.keys(row, keys));
			std::size_t found = 0;
			left_out_ |= table_.find(own, [&](std::uint32_t kept) { candidates_[found++] = kept; });
			std::sort(candidates_, candidates_ + found);
			found = static_cast<std::size_t>(std::unique(candidates_, candidates_ + found) - candidates_);
			if (remove(row, {candidates_, found}))
				continue;
			full = full || !table_.has_room(own.size());
			if (full)
				rows[rest++] = row;
			else
				table_.add(row, own);
		}
		return rows.first(rest);
	}

	// Compares the row with the kept rows, in their order. True if one of them causes its removal.
	bool remove(std::uint32_t row, std::span<const std::uint32_t> kept)
	{
		for (const std::uint32_t other : kept) {
			CHECK_FOR_INTERRUPTS();
			Comparison comparison{};
			if (!join_.similar(row, other))
				continue;
			comparison.similarity = join_.similarity(row, other);
			if (compare_texts(row, other, comparison)) {
				put(row, other, comparison);
				return true;
			}
			++refused_;
		}
		return false;
	}

	// True if no verification was requested, or if the exact comparison confirms the removal.
	bool compare_texts(std::uint32_t row, std::uint32_t kept, Comparison &comparison)
	{
		comparison.reason = comparison.similarity == 1 ? equal_fingerprint : similarity;
		if (!extras_.has_texts())
			return true;
		const pg::RowExtras::Text a = text(row, 0), b = text(kept, 1);
		if (a.is_null || b.is_null)
			return options_.verify == Verify::none;
		pg::guarded([&] {
			comparison.overlap =
				core::token_overlap(a.utf8, b.utf8, options_.canonical, options_.tokenizer, pg::stop_token);
		});
		const core::SetOverlap &overlap = comparison.overlap;
		comparison.has_measures = overlap.a > 0 && overlap.b > 0;
		if (a.utf8 == b.utf8) {
			comparison.reason = equal_text;
			return true;
		}
		if (options_.verify == Verify::none)
			return true;
		comparison.reason = options_.verify == Verify::jaccard ? jaccard : containment;
		const double measure = comparison.reason == jaccard ? overlap.jaccard() : overlap.containment_of_a();
		return comparison.has_measures && measure >= options_.least;
	}

	// The text of the first row is kept from one comparison to the next.
	pg::RowExtras::Text text(std::uint32_t rank, int place)
	{
		if (place == 0 && rank == held_)
			return held_text_;
		const pg::RowExtras::Text text = extras_.text_of(ids_.number_of(rank), place);
		if (place == 0) {
			held_ = rank;
			held_text_ = text;
		}
		return text;
	}

	void put(std::uint32_t row, std::uint32_t kept, const Comparison &comparison)
	{
		++counts_[comparison.reason];
		const MemoryContext caller = result_.enter();
		const core::SetOverlap &overlap = comparison.overlap;
		const Datum values[] = {ids_.id(row), ids_.id(kept), Float8GetDatum(comparison.similarity),
			Float8GetDatum(overlap.jaccard()), Float8GetDatum(overlap.containment_of_a()),
			CStringGetTextDatum(reason_names[comparison.reason]), Float8GetDatum(overlap.containment_of_b())};
		const bool none = !comparison.has_measures;
		const bool nulls[lengthof(values)] = {false, false, false, none, none, false, none};
		result_.put(values, caller, nulls);
	}

	pg::FingerprintJoin &join_;
	pg::RowIds &ids_;
	pg::RowExtras &extras_;
	const Options &options_;
	pg::RowResult &result_;
	pg::JoinContext context_;
	pg::KeptRows table_;
	std::uint32_t *rows_ = nullptr, *candidates_ = nullptr;
	std::uint32_t held_ = core::no_element;
	pg::RowExtras::Text held_text_{};
	std::uint64_t counts_[reasons] = {}, refused_ = 0;
	bool left_out_ = false;
};

static_assert(std::is_trivially_destructible_v<Deduplication>);

Verify verify_option(FunctionCallInfo fcinfo, int i)
{
	pg::check_not_null(fcinfo, i, "verify");
	const std::string_view verify = pg::text_arg(fcinfo, i);
	if (verify == "none")
		return Verify::none;
	if (verify == "jaccard")
		return Verify::jaccard;
	if (verify != "containment")
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				errmsg("unrecognized value of verify: \"%s\"", pg::abbreviated(verify)),
				errhint("Valid values are \"none\", \"jaccard\" and \"containment\".")));
	return Verify::containment;
}

// Reads the arguments verify, verify_threshold, explain, tokenizer and canonicalizer. `first` is the number of the first of them.
Options options_of(FunctionCallInfo fcinfo, int first, const pg::JoinOptions &join)
{
	Options options{};
	options.verify = verify_option(fcinfo, first);
	if (!PG_ARGISNULL(first + 1))
		options.given = pg::unit_interval_option("verify_threshold", PG_GETARG_FLOAT8(first + 1));
	options.least = options.given.value_or(join.threshold.value_or(0));
	pg::check_not_null(fcinfo, first + 2, "explain");
	options.explain = PG_GETARG_BOOL(first + 2);
	pg::check_not_null(fcinfo, first + 3, "tokenizer");
	options.tokenizer = pg::tokenizer_option(pg::text_arg(fcinfo, first + 3));
	pg::check_not_null(fcinfo, first + 4, "canonicalizer");
	options.canonical = pg::canonicalizer_option(pg::text_arg(fcinfo, first + 4));
	return options;
}

void check_verifiable(const Options &options, const pg::FingerprintJoin &join, const pg::RowExtras &extras)
{
	if (options.verify == Verify::none)
		return;
	if (!extras.has_texts())
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("the query returns no text to be verified"),
				errhint("Return it as the third column, or do not verify.")));
	if (!options.given && !join.estimates_jaccard())
		ereport(ERROR,
			(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				errmsg("verify_threshold must not be null for fingerprints of this type"),
				errdetail("Their similarity does not estimate that of the texts.")));
}

} // namespace

TXTFP_FUNCTION(txtfp_deduplicate)
{
	const int query = PG_NARGS() - 13; // the type of the ids may come first
	const pg::JoinOptions join_options = pg::join_options(fcinfo, query + 1, query + 7);
	if (!join_options.threshold && !join_options.max_distance && !join_options.min_score)
		ereport(ERROR,
			(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("threshold must not be null"),
				errhint("For simhash64 and tlsh give max_distance, for lavinhash min_score.")));
	const Options options = options_of(fcinfo, query + 2, join_options);
	pg::BulkCall call(fcinfo, pg::BulkFunction::deduplicate, query + 10);
	pg::RowResult &result = call.result;
	pg::RowIds &ids = call.ids;
	const pg::JoinContext &context = call.context;
	pg::RowExtras extras;
	extras.open(context.memory, pg::share_of(context.limit, pg::Share::texts), true);
	pg::FingerprintJoin &join =
		pg::read_rows(fcinfo, context, join_options, result.id_type(), pg::query_argument(fcinfo, query), &extras);
	check_verifiable(options, join, extras);
	const std::span<std::uint32_t> labels = pg::connect(join, ids.count(), context.memory);
	auto *deduplication = new (MemoryContextAlloc(context.memory, sizeof(Deduplication)))
		Deduplication(join, ids, extras, options, result, context);
	deduplication->run(labels);
	if (options.explain)
		deduplication->explain();
	join.close();
	extras.close();
	return call.finish();
}
