// frequent_passages returns runs of words that many documents of a query have in common. The query runs twice. In the first pass, the fingerprints
// of each document go to partitions, which are sorted to count the documents of each fingerprint. In the second pass, the words of the
// frequent fingerprints are read from the documents.
#include <algorithm>
#include <new>

#include "core/base/keyed_rows.hpp"
#include "core/join/partitions.hpp"
#include "core/passages/boilerplate.hpp"
#include "pg/base/call_site.hpp"
#include "pg/base/large_array.hpp"
#include "pg/base/owned.hpp"
#include "pg/base/ranges.hpp"
#include "pg/base/text_arg.hpp"
#include "pg/bulk/memory_budget.hpp"
#include "pg/bulk/near_duplicates.hpp"
#include "pg/bulk/row_query.hpp"
#include "pg/bulk/row_result.hpp"
#include "pg/passages/passages.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
}

using namespace txtfp;

namespace {

// The documents: the last column of the query.
class TextReader : public pg::RowReader {
public:
	explicit TextReader(const pg::JoinContext &context)
		: context_(context), scratch_(AllocSetContextCreate(context.memory, "a row", ALLOCSET_DEFAULT_SIZES))
	{
	}

	void columns(TupleDesc columns) override
	{
		column_ = columns->natts;
		const Oid type = column_ == 0 ? InvalidOid : TupleDescAttr(columns, column_ - 1)->atttypid;
		if (const Oid base = OidIsValid(type) ? getBaseType(type) : InvalidOid; base != TEXTOID && base != VARCHAROID)
			ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
					errmsg("the last column of the query is of type %s, not text",
						OidIsValid(type) ? format_type_be(type) : "nothing")));
	}

	void row(TupleTableSlot *row) override
	{
		bool is_null;
		const Datum value = slot_getattr(row, column_, &is_null);
		context_.progress->add(1);
		if (is_null)
			return;
		const MemoryContext caller = MemoryContextSwitchTo(scratch_);
		document(pg::to_utf8(DatumGetTextPP(value)));
		MemoryContextSwitchTo(caller);
		MemoryContextReset(scratch_);
	}

protected:
	~TextReader() = default;
	virtual void document(std::string_view text) = 0;

	pg::JoinContext context_;

private:
	MemoryContext scratch_;
	int column_ = 0;
};

class Counter final : public TextReader {
public:
	Counter(const pg::JoinContext &context, const core::WinnowOptions &options)
		: TextReader(context), options_(options), chosen_(*pg::make_owned<std::vector<std::uint64_t>>(context.memory))
	{
		rows_.open(*context.host, 64, pg::share_of(context.limit, pg::Share::counted_rows));
	}

	void document(std::string_view text) override
	{
		pg::guarded([&] { chosen_ = core::winnow(text, options_, pg::stop_token); });
		for (const std::uint64_t fingerprint : chosen_)
			rows_.add(core::KeyedRow::of(fingerprint, documents_));
		++documents_;
	}

	// Calls fn(fingerprint, documents) for the fingerprints that at least this number of documents have, in ascending order.
	template <class Fn> void for_each_frequent(std::size_t documents, Fn fn)
	{
		rows_.for_each_sorted(
			pg::share_of(context_.limit, pg::Share::counted_sort), [&](std::span<core::KeyedRow> rows) {
				for (std::size_t begin = 0, end; begin < rows.size(); begin = end) {
					CHECK_FOR_INTERRUPTS();
					for (end = begin + 1; end < rows.size() && rows[end].key() == rows[begin].key();)
						++end;
					if (end - begin >= documents)
						fn(rows[begin].key(), end - begin);
				}
			});
	}

private:
	core::WinnowOptions options_;
	std::vector<std::uint64_t> &chosen_; // guarded: by make_owned
	core::Partitions rows_;
	std::uint32_t documents_ = 0;
};

// The frequent fingerprints, ascending.
struct Frequent {
	std::uint64_t *fingerprints;
	std::uint32_t *documents;
	bool *is_returned;
	std::size_t count, capacity;

	std::size_t place(std::uint64_t fingerprint) const
	{
		return static_cast<std::size_t>(
			std::lower_bound(fingerprints, fingerprints + count, fingerprint) - fingerprints);
	}
	void add(MemoryContext memory, std::uint64_t fingerprint, std::size_t in_documents)
	{
		if (count == capacity) {
			capacity = std::max<std::size_t>(1024, 2 * capacity);
			fingerprints = pg::enlarge(memory, fingerprints, capacity);
			documents = pg::enlarge(memory, documents, capacity);
			is_returned = pg::enlarge(memory, is_returned, capacity);
		}
		fingerprints[count] = fingerprint;
		documents[count] = static_cast<std::uint32_t>(in_documents);
		is_returned[count++] = false;
	}
};

// The current document and its runs of frequent grams.
struct CurrentDocument {
	core::MappedText *text; // lives for one document
	core::Grams grams;
	std::vector<core::GramRun> runs; // guarded: by make_owned

	~CurrentDocument() { delete text; }
};

class PassageWriter final : public TextReader {
public:
	PassageWriter(
		const pg::JoinContext &context, const core::WinnowOptions &options, Frequent &frequent, pg::RowResult &result)
		: TextReader(context), options_(options), frequent_(frequent), result_(result),
		  document_(*pg::make_owned<CurrentDocument>(context.memory))
	{
	}

	void document(std::string_view text) override
	{
		pg::guarded([&] {
			delete document_.text;
			document_.text = nullptr;
			document_.text = new core::MappedText(text, options_.canonical, pg::stop_token);
			document_.grams = core::grams_of(document_.text->canonical(), options_, pg::stop_token);
			document_.runs = core::chosen_runs(document_.grams, {frequent_.fingerprints, frequent_.count});
		});
		for (const core::GramRun &run : document_.runs)
			if (has_new_gram(run))
				put_run(text, run);
	}

private:
	// Calls fn(place) for the chosen grams of a run, by their place among the frequent ones.
	template <class Fn> void for_each_chosen(const core::GramRun &run, Fn fn) const
	{
		const std::span<const std::uint32_t> chosen(document_.grams.chosen);
		for (auto gram = std::lower_bound(chosen.begin(), chosen.end(), run.first);
			 gram != chosen.end() && *gram <= run.last; ++gram)
			fn(frequent_.place(document_.grams.hashes[*gram]));
	}

	bool has_new_gram(const core::GramRun &run) const
	{
		bool is_new = false;
		for_each_chosen(run, [&](std::size_t place) { is_new |= !frequent_.is_returned[place]; });
		return is_new;
	}

	// Adds a run to the result, with the fingerprints of all its grams, so that without_passages finds all of it.
	void put_run(std::string_view text, const core::GramRun &run)
	{
		const core::Grams &grams = document_.grams;
		core::SourceRange range{};
		std::uint64_t config = 0;
		pg::guarded([&] {
			range = document_.text->source_of(grams.begin(run.first), grams.end(run.last));
			config = core::winnow_config(options_);
		});
		const MemoryContext caller = result_.enter();
		const std::size_t count = run.last - run.first + 1;
		pg::Passages *passages = pg::allocate_passages(count);
		passages->config = config;
		std::copy_n(&grams.hashes[run.first], count, passages->fingerprints);
		std::sort(passages->fingerprints, passages->fingerprints + count);
		const std::uint64_t *end = std::unique(passages->fingerprints, passages->fingerprints + count);
		SET_VARSIZE(passages, pg::Passages::size_for(static_cast<std::size_t>(end - passages->fingerprints)));
		std::uint32_t documents = PG_UINT32_MAX;
		for_each_chosen(run, [&](std::size_t place) {
			frequent_.is_returned[place] = true;
			documents = std::min(documents, frequent_.documents[place]);
		});
		const Datum values[] = {PointerGetDatum(pg::make_text(pg::from_utf8(text.substr(range.byte, range.bytes)))),
			Int32GetDatum(static_cast<int32>(run.last + grams.size - run.first)), Int64GetDatum(documents),
			PointerGetDatum(passages)};
		result_.put(values, caller);
	}

	core::WinnowOptions options_;
	Frequent &frequent_;
	pg::RowResult &result_;
	CurrentDocument &document_; // guarded: by make_owned
};

} // namespace

// (query, documents, guarantee, tokenizer, canonicalizer)
TXTFP_FUNCTION(txtfp_frequent_passages)
{
	const char *query = pg::query_argument(fcinfo, 0);
	const int documents = pg::at_least_one("documents", PG_GETARG_INT32(1));
	const core::WinnowOptions options = pg::call_site<pg::WinnowArguments>(fcinfo).read(fcinfo, 2);
	pg::RowResult result(fcinfo);
	pg::RowIds no_ids;
	pg::Progress progress(pg::BulkFunction::frequent_passages);
	const pg::JoinContext context = pg::join_context(no_ids, progress);
	auto *counter = new (MemoryContextAlloc(context.memory, sizeof(Counter))) Counter(context, options);
	progress.begin(pg::BulkPhase::counting_passages, 0);
	pg::run_query(query, *counter);
	progress.end();
	Frequent frequent{};
	counter->for_each_frequent(static_cast<std::size_t>(documents),
		[&](std::uint64_t fingerprint, std::size_t count) { frequent.add(context.memory, fingerprint, count); });
	auto *writer = new (MemoryContextAlloc(context.memory, sizeof(PassageWriter)))
		PassageWriter(context, options, frequent, result);
	if (frequent.count > 0) {
		progress.begin(pg::BulkPhase::reading_again, 0);
		pg::run_query(query, *writer);
		progress.end();
	}
	progress.finish();
	MemoryContextDelete(context.memory);
	return (Datum) 0;
}
