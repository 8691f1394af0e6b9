// The type corpus_words and its aggregate.
#include "pg/compare/corpus_words.hpp"

#include "core/base/bytes.hpp"
#include "pg/base/owned.hpp"
#include "pg/base/text_arg.hpp"

extern "C" {
#include "libpq/pqformat.h"
#include "utils/memutils.h"
}

using namespace txtfp;

namespace {

// False if the value is damaged.
bool read_value(core::CorpusWords &corpus, const bytea *value)
{
	bool valid = false;
	pg::guarded([&] {
		valid = corpus.read({reinterpret_cast<const std::uint8_t *>(VARDATA_ANY(value)), VARSIZE_ANY_EXHDR(value)});
	});
	return valid;
}

} // namespace

namespace txtfp::pg {

const core::CorpusWords *CorpusArgument::read(Datum value, MemoryContext context)
{
	const auto *raw = reinterpret_cast<const struct varlena *>(DatumGetPointer(value));
	const std::size_t size = VARSIZE_ANY(raw);
	if (corpus_ != nullptr && VARSIZE_ANY(source_) == size && memcmp(source_, raw, size) == 0)
		return corpus_;
	corpus_ = nullptr;
	if (memory_ == nullptr)
		memory_ = AllocSetContextCreate(context, "txtfp corpus", ALLOCSET_SMALL_SIZES);
	MemoryContextReset(memory_);
	auto *corpus = make_owned<core::CorpusWords>(memory_);
	if (!read_value(*corpus, DatumGetByteaPP(value)))
		ereport(ERROR, (errcode(ERRCODE_DATA_CORRUPTED), errmsg("a value of type corpus_words is damaged")));
	auto *copy = static_cast<struct varlena *>(MemoryContextAllocHuge(memory_, size));
	memcpy(copy, raw, size);
	source_ = copy;
	return corpus_ = corpus;
}

} // namespace txtfp::pg

namespace {

using core::CorpusWords;

// In CurrentMemoryContext.
bytea *allocate(std::size_t bytes)
{
	auto *value = static_cast<bytea *>(palloc(VARHDRSZ + bytes));
	SET_VARSIZE(value, VARHDRSZ + bytes);
	return value;
}

bytea *stored(const CorpusWords &corpus)
{
	bytea *value = allocate(corpus.stored_bytes());
	auto *bytes = reinterpret_cast<std::uint8_t *>(VARDATA(value));
	pg::guarded([&] { corpus.store(bytes); });
	return value;
}

bool is_valid(const bytea *value)
{
	auto *corpus = pg::make_owned<CorpusWords>(CurrentMemoryContext);
	const bool valid = read_value(*corpus, value);
	pg::guarded([&] { *corpus = {}; });
	return valid;
}

CorpusWords *argument(FunctionCallInfo fcinfo, int i)
{
	return PG_ARGISNULL(i) ? nullptr : reinterpret_cast<CorpusWords *>(PG_GETARG_POINTER(i));
}

CorpusWords *state_of(FunctionCallInfo fcinfo)
{
	const MemoryContext context = pg::aggregate_context(fcinfo);
	CorpusWords *state = argument(fcinfo, 0);
	return state != nullptr ? state : pg::make_owned<CorpusWords>(context);
}

} // namespace

TXTFP_FUNCTION(txtfp_corpus_words_in)
{
	const char *in = PG_GETARG_CSTRING(0);
	const std::size_t digits = strlen(in);
	bytea *value = digits % 2 == 0 ? allocate(digits / 2) : nullptr;
	if (value == nullptr || !core::hex_decode(in, digits / 2, reinterpret_cast<std::uint8_t *>(VARDATA(value))) ||
		!is_valid(value))
		ereturn(fcinfo->context, (Datum) 0,
			(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
				errmsg("invalid input syntax for type %s: \"%s\"", "corpus_words", pg::abbreviated(in)),
				errdetail("Values are made by corpus_words_agg.")));
	PG_RETURN_POINTER(value);
}

TXTFP_FUNCTION(txtfp_corpus_words_out)
{
	const bytea *value = PG_GETARG_BYTEA_PP(0);
	const std::size_t bytes = VARSIZE_ANY_EXHDR(value);
	auto *out = static_cast<char *>(palloc(2 * bytes + 1));
	core::hex_encode(reinterpret_cast<const std::uint8_t *>(VARDATA_ANY(value)), bytes, out);
	out[2 * bytes] = '\0';
	PG_RETURN_CSTRING(out);
}

TXTFP_FUNCTION(txtfp_corpus_words_recv)
{
	const auto message = (StringInfo) PG_GETARG_POINTER(0);
	const int size = message->len - message->cursor;
	bytea *value = allocate(static_cast<std::size_t>(size));
	pq_copymsgbytes(message, VARDATA(value), size);
	if (!is_valid(value))
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
				errmsg("invalid binary representation of %s", "corpus_words")));
	PG_RETURN_POINTER(value);
}

TXTFP_FUNCTION(txtfp_corpus_words_send)
{
	const bytea *value = PG_GETARG_BYTEA_PP(0);
	StringInfoData out;
	pq_begintypsend(&out);
	pq_sendbytes(&out, VARDATA_ANY(value), static_cast<int>(VARSIZE_ANY_EXHDR(value)));
	PG_RETURN_BYTEA_P(pq_endtypsend(&out));
}

TXTFP_FUNCTION(txtfp_corpus_words_agg_step)
{
	CorpusWords *state = state_of(fcinfo);
	if (!PG_ARGISNULL(1)) {
		const std::string_view doc = pg::text_arg(fcinfo, 1);
		pg::guarded([&] { state->add(doc, pg::stop_token); });
	}
	PG_RETURN_POINTER(state);
}

TXTFP_FUNCTION(txtfp_corpus_words_agg_combine)
{
	CorpusWords *state = state_of(fcinfo);
	if (const CorpusWords *other = argument(fcinfo, 1))
		pg::guarded([&] { state->merge(*other, pg::stop_token); });
	PG_RETURN_POINTER(state);
}

TXTFP_FUNCTION(txtfp_corpus_words_agg_serial) { PG_RETURN_BYTEA_P(stored(*argument(fcinfo, 0))); }

TXTFP_FUNCTION(txtfp_corpus_words_agg_deserial)
{
	auto *corpus = pg::make_owned<CorpusWords>(CurrentMemoryContext);
	if (!read_value(*corpus, PG_GETARG_BYTEA_PP(0)))
		elog(ERROR, "state of corpus_words_agg is damaged");
	PG_RETURN_POINTER(corpus);
}

TXTFP_FUNCTION(txtfp_corpus_words_agg_final)
{
	const CorpusWords *state = argument(fcinfo, 0);
	if (state == nullptr || state->documents() == 0)
		PG_RETURN_NULL();
	PG_RETURN_BYTEA_P(stored(*state));
}
