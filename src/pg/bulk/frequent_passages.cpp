// frequent_passages returns runs of words that many documents of a query have in common. The query runs four times
// (core/passages/frequent_passages.hpp). In the first pass, the windows of each document go to partitions with a hash
// of the document, and are sorted to count the documents of each. The second finds passages, the third counts their
// documents, and the fourth returns them; the second and the fourth look at the words of a part of the documents only.
#include <algorithm>
#include <cstring>
#include <new>

#include "core/base/keyed_rows.hpp"
#include "core/join/partitions.hpp"
#include "core/passages/boilerplate.hpp"
#include "core/passages/frequent_passages.hpp"
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
		if (columns->natts > 0)
			column_ = pg::given_column(columns, columns->natts);
		const Oid type = column_.type.type;
		if (column_.base != TEXTOID && column_.base != VARCHAROID)
			ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
					errmsg("the last column of the query is of type %s, not text",
						OidIsValid(type) ? format_type_be(type) : "nothing")));
	}

	void row(TupleTableSlot *row) override
	{
		const NullableDatum value = pg::column_value(row, column_);
		context_.progress->add(1);
		if (value.isnull)
			return;
		const MemoryContext caller = MemoryContextSwitchTo(scratch_);
		document(pg::to_utf8(DatumGetTextPP(value.value)));
		MemoryContextSwitchTo(caller);
		MemoryContextReset(scratch_);
	}

protected:
	~TextReader() = default;
	virtual void document(std::string_view text) = 0;

	pg::JoinContext context_;

private:
	MemoryContext scratch_;
	pg::GivenColumn column_;
};

class Counter final : public TextReader {
public:
	Counter(const pg::JoinContext &context, const core::WinnowOptions &options)
		: TextReader(context), options_(options), windows_(*pg::make_owned<std::vector<std::uint64_t>>(context.memory))
	{
		rows_.open(*context.host, 64, pg::share_of(context.limit, pg::Share::counted_rows), sizeof(std::uint32_t));
	}

	void document(std::string_view text) override
	{
		std::uint64_t hash = 0;
		pg::guarded([&] {
			hash = core::document_hash(text);
			windows_ = core::window_hashes(text, options_, pg::stop_token);
		});
		const auto low = static_cast<std::uint32_t>(hash);
		for (const std::uint64_t window : windows_)
			rows_.add(core::KeyedRow::of(window, static_cast<std::uint32_t>(hash >> 32)), &low);
	}

	// Calls fn(window, documents, hash of the set of documents, least hash of a document) for the windows that at least
	// this number of documents have, in ascending order.
	template <class Fn> void for_each_frequent(std::size_t documents, Fn fn)
	{
		rows_.for_each_sorted_record(
			pg::share_of(context_.limit, pg::Share::counted_sort), [&](const core::SortedRows &sorted) {
				const std::span<core::KeyedRow> rows = sorted.rows;
				for (std::size_t begin = 0, end; begin < rows.size(); begin = end) {
					for (end = begin; end < rows.size() && rows[end].key() == rows[begin].key();)
						++end;
					if (end - begin < documents)
						continue;
					std::uint32_t set = 0;
					std::uint64_t owner = ~std::uint64_t{0};
					for (std::size_t i = begin; i < end; ++i) {
						const std::uint64_t hash = document(sorted, rows[i]);
						set += core::set_member(hash);
						owner = std::min(owner, hash);
					}
					fn(rows[begin].key(), end - begin, set, owner);
				}
			});
	}

private:
	static std::uint64_t document(const core::SortedRows &sorted, const core::KeyedRow &entry)
	{
		std::uint32_t low;
		memcpy(&low, sorted.payload(entry), sizeof low);
		return std::uint64_t{sorted.row(entry)} << 32 | low;
	}

	core::WinnowOptions options_;
	std::vector<std::uint64_t> &windows_; // guarded: by make_owned
	core::Partitions rows_;
};

// The windows of enough documents, ascending.
struct Frequent {
	std::uint64_t *windows, *owners;
	std::uint32_t *documents, *sets;
	std::size_t count, capacity;

	void add(
		MemoryContext memory, std::uint64_t window, std::size_t in_documents, std::uint32_t set, std::uint64_t owner)
	{
		if (count == capacity) {
			capacity = std::max<std::size_t>(1024, 2 * capacity);
			windows = pg::enlarge(memory, windows, capacity);
			owners = pg::enlarge(memory, owners, capacity);
			documents = pg::enlarge(memory, documents, capacity);
			sets = pg::enlarge(memory, sets, capacity);
		}
		windows[count] = window;
		owners[count] = owner;
		documents[count] = static_cast<std::uint32_t>(in_documents);
		sets[count++] = set;
	}
	core::FrequentWindows view() const
	{
		return {{windows, count}, {documents, count}, {sets, count}, {owners, count}};
	}
};

// Passes each document to one step of the search.
class PassageStep final : public TextReader {
public:
	using Step = void (core::FrequentPassages::*)(std::string_view, core::StopToken);

	PassageStep(const pg::JoinContext &context, core::FrequentPassages &passages, Step step)
		: TextReader(context), passages_(passages), step_(step)
	{
	}
	void document(std::string_view text) override
	{
		pg::guarded([&] { (passages_.*step_)(text, pg::stop_token); });
	}

private:
	core::FrequentPassages &passages_;
	Step step_;
};

// A document that has passages to return, and where its words are.
struct CurrentDocument {
	core::MappedText *text = nullptr; // lives for one document
	core::Grams grams;

	~CurrentDocument() { delete text; }
};

class PassageWriter final : public TextReader {
public:
	PassageWriter(const pg::JoinContext &context, core::FrequentPassages &passages, const core::WinnowOptions &options,
		pg::RowResult &result)
		: TextReader(context), passages_(passages), options_(options), result_(result),
		  document_(*pg::make_owned<CurrentDocument>(context.memory))
	{
	}

	void document(std::string_view text) override
	{
		std::span<const core::FoundPassage> found;
		pg::guarded([&] {
			found = passages_.passages(text, pg::stop_token);
			if (found.empty())
				return;
			delete document_.text;
			document_.text = nullptr;
			document_.text = new core::MappedText(text, options_.canonical, pg::stop_token);
			document_.grams = core::grams_of(document_.text->canonical(), options_, pg::stop_token);
			config_ = core::winnow_config(options_);
		});
		for (const core::FoundPassage &passage : found)
			put(text, passage);
	}

private:
	// Adds a passage to the result, with the fingerprints of all its grams, so that without_passages finds all of it.
	void put(std::string_view text, const core::FoundPassage &passage)
	{
		const core::Grams &grams = document_.grams;
		const std::span<const std::uint64_t> hashes = passages_.windows().grams(passage.first, passage.windows);
		core::SourceRange range{};
		pg::guarded([&] {
			if (passage.first + hashes.size() > grams.hashes.size())
				throw core::Error(core::ErrorKind::internal, "a document has fewer words than when it was counted");
			range = document_.text->source_of(grams.begin(passage.first), grams.end(passage.first + hashes.size() - 1));
		});
		const MemoryContext caller = result_.enter();
		pg::Passages *passages = pg::allocate_passages(hashes.size());
		passages->config = config_;
		std::copy(hashes.begin(), hashes.end(), passages->fingerprints);
		std::sort(passages->fingerprints, passages->fingerprints + hashes.size());
		const std::uint64_t *end = std::unique(passages->fingerprints, passages->fingerprints + hashes.size());
		SET_VARSIZE(passages, pg::Passages::size_for(static_cast<std::size_t>(end - passages->fingerprints)));
		const Datum values[] = {PointerGetDatum(pg::make_text(pg::from_utf8(text.substr(range.byte, range.bytes)))),
			Int32GetDatum(static_cast<int32>(passage.windows + options_.guarantee - 1)),
			Int64GetDatum(passage.documents), PointerGetDatum(passages)};
		result_.put(values, caller);
	}

	core::FrequentPassages &passages_;
	core::WinnowOptions options_;
	pg::RowResult &result_;
	CurrentDocument &document_; // guarded: by make_owned
	std::uint64_t config_ = 0;
};

void read_again(const char *query, TextReader &reader, pg::Progress &progress)
{
	progress.begin(pg::BulkPhase::reading_again, 0);
	pg::run_query(query, reader);
	progress.end();
}

void end_reading(core::FrequentPassages &passages)
{
	pg::guarded([&] { passages.end_reading(); });
}

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
		[&](std::uint64_t window, std::size_t count, std::uint32_t set, std::uint64_t owner) {
			frequent.add(context.memory, window, count, set, owner);
		});
	if (frequent.count > 0) {
		auto *passages = pg::make_owned<core::FrequentPassages>(
			context.memory, frequent.view(), static_cast<std::uint32_t>(documents), options);
		PassageStep finder(context, *passages, &core::FrequentPassages::find);
		read_again(query, finder, progress);
		end_reading(*passages);
		PassageStep whole(context, *passages, &core::FrequentPassages::count);
		read_again(query, whole, progress);
		PassageWriter writer(context, *passages, options, result);
		read_again(query, writer, progress);
		end_reading(*passages);
	}
	progress.finish();
	MemoryContextDelete(context.memory);
	return (Datum) 0;
}
