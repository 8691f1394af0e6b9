// review_page(query, title, pairs, seed): the page on which a person decides about the removals that a query plans.
//
// Columns are found by their names, because that is what a join of deduplicate() with its table has. Columns with other
// names are shown as they are.
#include <cmath>
#include <limits>

#include "core/review/review_page.hpp"
#include "core/text/text_buffer.hpp"
#include "pg/base/given_value.hpp"
#include "pg/base/owned.hpp"
#include "pg/base/ranges.hpp"
#include "pg/base/text_arg.hpp"
#include "pg/bulk/row_query.hpp"
#include "pg/compare/signals.hpp"
#include "review_page_files.hpp" // built from src/core/review/page

extern "C" {
#include "catalog/pg_type.h"
#include "mb/pg_wchar.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
}

using namespace txtfp;

namespace {

constexpr int most_more = 12; // further columns

// The columns that the page knows. The first `needed` must be there; measures are in the order of core::Measure.
enum Column {
	id,
	kept,
	text_,
	kept_text,
	outcome,
	reason,
	stratum,
	verdict,
	signals,
	neighbours,
	kept_neighbours,
	first_measure
};
constexpr int needed = 4, known_columns = first_measure + static_cast<int>(core::measures);
constexpr const char *column_names[known_columns] = {"id", "kept", "text", "kept_text", "outcome", "reason", "stratum",
	"verdict", "signals", "neighbours", "kept_neighbours", "similarity", "jaccard", "containment", "kept_containment",
	"score"};

bool is_text(Oid type) { return type == TEXTOID || type == VARCHAROID || type == BPCHAROID; }

[[noreturn]] void refuse_type(const char *column, Oid type, const char *detail)
{
	ereport(ERROR,
		(errcode(ERRCODE_DATATYPE_MISMATCH),
			errmsg("column \"%s\" of the query is of type %s", column, format_type_be(type)),
			errdetail_internal("%s", detail)));
	pg_unreachable();
}

class PlanReader final : public pg::RowReader {
public:
	PlanReader(const char *title, std::size_t pairs, std::uint64_t seed, MemoryContext memory)
		: title_(title), pairs_(pairs), seed_(seed), memory_(memory),
		  scratch_(AllocSetContextCreate(memory, "a planned removal", ALLOCSET_DEFAULT_SIZES))
	{
	}

	void columns(TupleDesc columns) override
	{
		const MemoryContext caller = MemoryContextSwitchTo(memory_);
		outputs_ = static_cast<FmgrInfo *>(palloc0(sizeof(FmgrInfo) * static_cast<std::size_t>(columns->natts + 1)));
		const char *more_names[most_more];
		for (int i = 1; i <= columns->natts; ++i)
			find_column(NameStr(TupleDescAttr(columns, i - 1)->attname), pg::given_column(columns, i), more_names);
		for (int i = 0; i < needed; ++i)
			if (known_[i].number == 0)
				ereport(ERROR,
					(errcode(ERRCODE_DATATYPE_MISMATCH), errmsg("the query returns no column \"%s\"", column_names[i]),
						errhint("A page needs the columns id, kept, text and kept_text: the ids and the texts of the "
								"row to be removed and of the kept one.")));
		const Oid id_type = known_[id].base;
		const char *id_type_name = format_type_be(id_type == known_[kept].base ? id_type : TEXTOID);
		// What a client may not understand is written as escapes, so that the page is the same in every encoding.
		const bool utf8 = GetDatabaseEncoding() == PG_UTF8 &&
			(pg_get_client_encoding() == PG_UTF8 || pg_get_client_encoding() == PG_SQL_ASCII);
		const std::string_view title = title_;
		const std::size_t pairs = pairs_, more = static_cast<std::size_t>(more_count_);
		const std::uint64_t seed = seed_;
		core::ReviewOptions *options = pg::make_owned<core::ReviewOptions>(memory_);
		pg::guarded([&] {
			options->title = title;
			options->id_type = id_type_name;
			options->more.assign(more_names, more_names + more);
			options->pairs = pairs;
			options->seed = seed;
			options->characters = utf8 ? core::Characters::utf8 : core::Characters::ascii;
		});
		page_ = pg::make_owned<core::ReviewPage>(memory_, *options);
		MemoryContextSwitchTo(caller);
	}

	void row(TupleTableSlot *row) override
	{
		const MemoryContext caller = MemoryContextSwitchTo(scratch_);
		core::PlannedRemoval removal{};
		removal.id = needed_text(row, id);
		removal.kept = needed_text(row, kept);
		removal.text = needed_text(row, text_);
		removal.kept_text = needed_text(row, kept_text);
		removal.reason = text_of(row, reason);
		removal.stratum = text_of(row, stratum);
		if (const std::string_view given = text_of(row, outcome); !given.empty())
			removal.outcome =
				parsed(core::parse_outcome(given), "outcome", given, "An outcome is remove, review or keep.");
		if (const std::string_view given = text_of(row, verdict); !given.empty())
			removal.verdict = parsed(
				core::parse_verdict(given), "verdict", given, "A verdict is duplicate, variant, distinct or unsure.");
		for (int i = 0; i < static_cast<int>(core::measures); ++i)
			removal.values[static_cast<std::size_t>(i)] = measure_of(row, first_measure + i);
		core::Signals values;
		if (const NullableDatum given = value_of(row, signals); !given.isnull) {
			values = pg::read_signals(given.value);
			removal.signals = &values;
		}
		removal.neighbours = count_of(row, neighbours);
		removal.kept_neighbours = count_of(row, kept_neighbours);
		std::string_view more[most_more];
		for (int i = 0; i < more_count_; ++i)
			more[i] = any_text(row, more_[i]);
		removal.more = {more, static_cast<std::size_t>(more_count_)};
		core::ReviewPage &page = *page_;
		pg::guarded([&] { page.add(removal, pg::stop_token); });
		MemoryContextSwitchTo(caller);
		MemoryContextReset(scratch_);
	}

	core::ReviewPage &page() { return *page_; }

private:
	void find_column(const char *given, const pg::GivenColumn &found, const char **more_names)
	{
		bool varlena;
		Oid function;
		getTypeOutputInfo(found.type.type, &function, &varlena);
		fmgr_info_cxt(function, &outputs_[found.number], memory_);
		for (int column = 0; column < known_columns; ++column) {
			if (strcmp(given, column_names[column]) != 0)
				continue;
			if (known_[column].number != 0)
				ereport(
					ERROR, (errcode(ERRCODE_DUPLICATE_COLUMN), errmsg("the query returns two columns \"%s\"", given)));
			check_type(column, found);
			known_[column] = found;
			return;
		}
		if (more_count_ == most_more)
			ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
					errmsg("the query returns more than %d columns that the page does not know", most_more),
					errhint("The first of them is \"%s\".", more_names[0])));
		const std::string_view utf8 = pg::to_utf8(cstring_to_text(given));
		more_names[more_count_] = pnstrdup(utf8.data(), utf8.size());
		more_[more_count_++] = found;
	}

	static void check_type(int column, const pg::GivenColumn &found)
	{
		const Oid type = found.type.type, base = found.base;
		const char *name = column_names[column];
		if ((column == text_ || column == kept_text || (column >= outcome && column <= stratum)) && !is_text(base))
			refuse_type(name, type, "It must be of type text.");
		if (column == verdict && !is_text(base) && base != BOOLOID)
			refuse_type(name, type, "It must be of type text or boolean.");
		if (column >= first_measure && base != FLOAT8OID && base != FLOAT4OID && base != NUMERICOID)
			refuse_type(name, type, "It must be of type double precision, real or numeric.");
		if ((column == neighbours || column == kept_neighbours) && base != INT4OID && base != INT8OID)
			refuse_type(name, type, "It must be of type integer or bigint.");
		if (column == signals && !pg::is_signals(base))
			refuse_type(name, type, "It must be of type difference_signals.");
	}

	// The value of a column as UTF-8; empty for NULL.
	std::string_view any_text(TupleTableSlot *row, const pg::GivenColumn &column)
	{
		const NullableDatum given = pg::column_value(row, column);
		if (given.isnull)
			return {};
		if (is_text(column.base))
			return pg::to_utf8(DatumGetTextPP(given.value));
		return pg::to_utf8(cstring_to_text(OutputFunctionCall(&outputs_[column.number], given.value)));
	}
	// NULL, too, if the query has no such column
	NullableDatum value_of(TupleTableSlot *row, int column) const
	{
		return known_[column].number == 0 ? NullableDatum{0, true} : pg::column_value(row, known_[column]);
	}
	std::string_view text_of(TupleTableSlot *row, int column)
	{
		return known_[column].number == 0 ? std::string_view() : any_text(row, known_[column]);
	}
	std::string_view needed_text(TupleTableSlot *row, int column)
	{
		if (value_of(row, column).isnull)
			ereport(
				ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("%s must not be null", column_names[column])));
		return any_text(row, known_[column]);
	}

	double measure_of(TupleTableSlot *row, int column)
	{
		const auto [value, is_null] = value_of(row, column);
		if (is_null)
			return std::numeric_limits<double>::quiet_NaN();
		const Oid type = known_[column].base;
		return type == FLOAT8OID ? DatumGetFloat8(value)
			: type == FLOAT4OID  ? static_cast<double>(DatumGetFloat4(value))
								 : DatumGetFloat8(DirectFunctionCall1(numeric_float8_no_overflow, value));
	}

	double count_of(TupleTableSlot *row, int column)
	{
		const auto [value, is_null] = value_of(row, column);
		if (is_null)
			return -1;
		const double count =
			known_[column].base == INT4OID ? DatumGetInt32(value) : static_cast<double>(DatumGetInt64(value));
		if (count < 0)
			ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("%s must not be negative", column_names[column])));
		return count;
	}

	template <class Optional>
	static typename Optional::value_type parsed(
		Optional value, const char *column, std::string_view given, const char *hint)
	{
		if (!value)
			ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("there is no %s \"%s\"", column, pg::abbreviated(given)), errhint("%s", hint)));
		return *value;
	}

	const char *title_;
	std::size_t pairs_;
	std::uint64_t seed_;
	MemoryContext memory_, scratch_;
	core::ReviewPage *page_ = nullptr;
	pg::GivenColumn known_[known_columns], more_[most_more];
	int more_count_ = 0;
	FmgrInfo *outputs_ = nullptr;
};

} // namespace

// Arguments: query, title, pairs, seed.
TXTFP_FUNCTION(txtfp_review_page)
{
	const char *query = pg::query_argument(fcinfo, 0);
	static constexpr const char *names[] = {"query", "title", "pairs", "seed"};
	for (int i = 1; i < 4; ++i)
		if (PG_ARGISNULL(i))
			ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("%s must not be null", names[i])));
	const std::string_view title = pg::text_arg(fcinfo, 1);
	const int pairs = pg::within("pairs", PG_GETARG_INT32(2), 1, static_cast<int>(core::most_pairs));
	MemoryContext memory = AllocSetContextCreate(CurrentMemoryContext, "txtfp review page", ALLOCSET_DEFAULT_SIZES);
	PlanReader reader(pnstrdup(title.data(), title.size()), static_cast<std::size_t>(pairs),
		static_cast<std::uint64_t>(PG_GETARG_INT32(3)), memory);
	pg::run_query(query, reader);
	auto *html = pg::make_owned<core::TextBuffer>(memory);
	core::ReviewPage &page = reader.page();
	pg::guarded([&] {
		page.write(
			{review_html, review_css, review_js},
			[&](std::string_view part) {
				if (html->size() + part.size() > MaxAllocSize / 2)
					throw core::Error(
						core::ErrorKind::too_large, "the page is larger than 512 MB; ask for fewer pairs");
				html->append(part);
			},
			pg::stop_token);
	});
	text *result = pg::make_text(pg::from_utf8(*html));
	MemoryContextDelete(memory);
	PG_RETURN_TEXT_P(result);
}
