// Choosing a threshold and a banding: minhash_advice, similarity_histogram.
#include <algorithm>
#include <cmath>

#include "core/base/hash.hpp"
#include "core/base/splitmix.hpp"
#include "core/join/value_sample.hpp"
#include "core/minhash/lsh.hpp"
#include "core/simhash/simhash.hpp"
#include "pg/base/ranges.hpp"
#include "pg/base/text_arg.hpp"
#include "pg/bulk/host.hpp"
#include "pg/bulk/near_duplicates.hpp"
#include "pg/bulk/row_query.hpp"
#include "pg/minhash/minhash.hpp"
#include "pg/minhash/minhash_gin.hpp"
#include "pg/text/options.hpp"

extern "C" {
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/tuplestore.h"
}

using namespace txtfp;

namespace {

void put(ReturnSetInfo *result, Datum *values, int null = -1)
{
	bool nulls[8] = {};
	if (null >= 0)
		nulls[null] = true;
	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

ReturnSetInfo *start_result(FunctionCallInfo fcinfo)
{
	InitMaterializedSRF(fcinfo, 0);
	return (ReturnSetInfo *) fcinfo->resultinfo;
}

int bounded(const char *name, int value, int least, int most)
{
	if (value < least || value > most)
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				errmsg("%s must be between %d and %d, not %d", name, least, most, value)));
	return value;
}

// What was damaged, and shingles of what are compared.
struct Damage {
	const char *name;
	const char *unit; // of the tokenizer
	int shingles[4];  // lengths, the longest first
};
constexpr Damage damages[] = {{"words", "word-uax29", {5, 3, 2, 1}}, {"characters", "grapheme-uax29", {10, 8, 6, 4}}};

const Damage &damage_option(const char *name)
{
	for (const Damage &damage : damages)
		if (strcmp(name, damage.name) == 0)
			return damage;
	ereport(ERROR,
		(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("unrecognized damage: \"%s\"", pg::abbreviated(name)),
			errhint("Valid values are \"words\" and \"characters\".")));
	pg_unreachable();
}

// The least Jaccard similarity of a text to its copy, of whose words at most this share was replaced, in shingles of k
// words; likewise for characters. A text of n words has n − k + 1 shingles; each replaced word changes at most
// k. The shortest text in which m words may be replaced has m / edits words, rounded up; of these texts some short one
// loses the greatest share, or long ones do, which lose nearly edits · k.
double similarity_after_edits(double edits, int k)
{
	if (edits == 0)
		return 1;
	constexpr int replaced = 100;
	double lost = std::min(1.0, edits * k);
	for (int m = 1; m <= replaced; ++m) {
		const double shingles = std::ceil(m / edits - 1e-9) - k + 1;
		lost = std::max(lost, shingles > m * k ? m * k / shingles : 1);
	}
	return (1 - lost) / (1 + lost);
}

constexpr int advised_slots = 128; // of minhash128

struct Advice {
	const char *tokenizer;
	double similarity;
	double threshold;      // 0: there is none, because many copies have no shingle in common
	core::Banding banding; // bands = 0: there is none
};

Advice advise(double edits, double recall, const char *unit, int k)
{
	const double similarity = similarity_after_edits(edits, k);
	// Two standard errors below the similarity, so that the error of the estimate excludes at most 0.023 of the copies.
	const double margin = 2 * std::sqrt(similarity * (1 - similarity) / advised_slots);
	const double threshold = std::max(0.0, std::floor((similarity - margin) * 100) / 100);
	return {psprintf("shingle-k=%d/%s", k, unit), similarity, threshold,
		threshold == 0 ? core::Banding{} : core::banding_for_recall(threshold, recall, advised_slots)};
}

// Long shingles distinguish texts that share words but not phrases. Thresholds below the reach of the default banding
// need many bands.
bool is_served_by_default(const Advice &advice, double recall)
{
	return advice.threshold > 0 && core::min_matching_bands(advice.threshold, pg::resolve_options(nullptr, advised_slots).banding, recall) > 0;
}

const char *statements(const Advice &advice, double recall)
{
	if (advice.threshold == 0)
		return "copies may have none of these shingles in common";
	if (advice.banding.bands == 0)
		return "no banding of 128 slots reaches this recall";
	return psprintf(
		"ALTER TABLE docs ADD fp minhash128 GENERATED ALWAYS AS (to_minhash128(body, '%s')) "
		"STORED;\n"
		"CREATE INDEX ON docs USING sketch (fp) WITH (recall = %s);\n"
		"SELECT id FROM docs WHERE minhash_similar(fp, to_minhash128('some text', '%s'), %.2f);",
		advice.tokenizer, pg::shortest(recall), advice.tokenizer, advice.threshold);
}

void put_advice(ReturnSetInfo *result, const Advice &advice, double recall, bool recommended)
{
	Datum values[] = {CStringGetTextDatum(advice.tokenizer),
		Float8GetDatum(advice.similarity), Float8GetDatum(advice.threshold), Int32GetDatum(advice.banding.bands),
		Int32GetDatum(advice.banding.rows), BoolGetDatum(recommended), CStringGetTextDatum(statements(advice, recall))};
	put(result, values, advice.threshold > 0 ? -1 : 2);
}

// ---- similarity_histogram: compares each row of a sample with all rows of the query, which runs three times: to draw
// the sample by the hashes of the values, to read those that were drawn, and to compare.

class SampleReader : public pg::RowReader {
public:
	// `kind`: the kind that an earlier run of the same query had, which may return something else now; nullptr: this is the first
	explicit SampleReader(const pg::FingerprintKind *kind) : kind_(kind) {}

	const pg::FingerprintKind *kind() const { return kind_; }

	void columns(TupleDesc columns) override
	{
		if (columns->natts == 0)
			ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH), errmsg("the query must return a fingerprint")));
		column_ = pg::given_column(columns, columns->natts);
		const pg::FingerprintKind &kind = pg::fingerprint_kind(column_.type.type, "last", pg::use_sample);
		if (kind_ != nullptr && kind_ != &kind)
			ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
					errmsg("the query returns fingerprints of type %s, after those of type %s", kind.type, kind_->type),
					errdetail("The query runs three times.")));
		kind_ = &kind;
		by_value_ = kind_->shape == pg::Shape::by_value;
	}

	void row(TupleTableSlot *row) override
	{
		const auto [value, is_null] = pg::column_value(row, column_);
		if (is_null)
			return;
		if (by_value_)
			return fingerprint(value);
		struct varlena *sketch = PG_DETOAST_DATUM(value);
		fingerprint(PointerGetDatum(sketch));
		if (sketch != (struct varlena *) DatumGetPointer(value))
			pfree(sketch);
	}

protected:
	~SampleReader() = default;
	virtual void fingerprint(Datum value) = 0; // detoasted; lives as long as the call

	std::uint64_t hash(Datum value) const
	{
		if (by_value_)
			return core::SplitMix64::mixed(DatumGetUInt64(value));
		return core::xxh3_64(VARDATA(DatumGetPointer(value)), VARSIZE(DatumGetPointer(value)) - VARHDRSZ, 0);
	}

	const pg::FingerprintKind *kind_;
	bool by_value_ = false;

private:
	pg::GivenColumn column_;
};

class Hashing final : public SampleReader {
public:
	explicit Hashing(core::ValueSample &sample) : SampleReader(nullptr), sample_(sample) {}
	void fingerprint(Datum value) override { sample_.add(hash(value)); }

private:
	core::ValueSample &sample_;
};

// A value of the sample, and how many rows with it are in the sample.
struct Sampled {
	Datum value;
	std::int64_t times;
};

class Taking final : public SampleReader {
public:
	Taking(const Hashing &first, core::ValueSample &sample, std::size_t size, MemoryContext memory)
		: SampleReader(first.kind()), sample_(sample), memory_(memory),
		  values_(
			  static_cast<Sampled *>(MemoryContextAllocHuge(memory, sizeof(Sampled) * std::max<std::size_t>(1, size))))
	{
	}
	void fingerprint(Datum value) override
	{
		core::DrawnValue *drawn = sample_.find(hash(value));
		if (drawn == nullptr || drawn->times == 0)
			return;
		const MemoryContext caller = MemoryContextSwitchTo(memory_);
		values_[count_++] = {by_value_ ? value : copy(value), static_cast<std::int64_t>(drawn->times)};
		MemoryContextSwitchTo(caller);
		drawn->times = 0;
	}
	std::span<const Sampled> values() const { return {values_, count_}; }

private:
	static Datum copy(Datum value)
	{
		const std::size_t size = VARSIZE(DatumGetPointer(value));
		return PointerGetDatum(memcpy(palloc(size), DatumGetPointer(value), size));
	}

	core::ValueSample &sample_;
	MemoryContext memory_;
	Sampled *values_;
	std::size_t count_ = 0;
};

class Counting final : public SampleReader {
public:
	Counting(const Taking &taken, std::int64_t *counts, int buckets)
		: SampleReader(taken.kind()), sample_(taken.values()), counts_(counts), buckets_(buckets)
	{
	}
	void fingerprint(Datum value) override
	{
		for (const Sampled &sampled : sample_) {
			const double similarity = kind_->similarity(sampled.value, value);
			counts_[std::clamp(static_cast<int>(similarity * buckets_), 0, buckets_ - 1)] += sampled.times;
		}
	}

private:
	std::span<const Sampled> sample_;
	std::int64_t *counts_;
	int buckets_;
};

// Counts the rows of the query by their similarity to the rows of a sample, and returns the size of the sample.
std::size_t count_similarities(const char *query, std::size_t size, std::int64_t *counts, int buckets)
{
	const MemoryContext memory = AllocSetContextCreate(CurrentMemoryContext, "a sample", ALLOCSET_DEFAULT_SIZES);
	core::ValueSample sample;
	sample.open(pg::make_host(memory), size, static_cast<std::size_t>(maintenance_work_mem) * 1024);
	Hashing hashing(sample);
	pg::run_query(query, hashing);
	const std::size_t drawn = sample.draw();
	Taking taking(hashing, sample, drawn, memory);
	pg::run_query(query, taking);
	Counting counting(taking, counts, buckets);
	pg::run_query(query, counting);
	MemoryContextDelete(memory);
	return drawn;
}

// The bar is logarithmic, four characters for a factor of ten, because one end has a few pairs and the other has
// millions.
const char *bar(std::int64_t pairs)
{
	const int length = pairs == 0 ? 0 : 1 + static_cast<int>(4 * std::log10(static_cast<double>(pairs)));
	auto *text = static_cast<char *>(palloc(static_cast<std::size_t>(length) + 1));
	memset(text, '#', static_cast<std::size_t>(length));
	text[length] = '\0';
	return text;
}

} // namespace

TXTFP_FUNCTION(txtfp_minhash_advice_v2)
{
	ReturnSetInfo *result = start_result(fcinfo);
	const double edits = pg::unit_interval_option("share of edits", PG_GETARG_FLOAT8(0));
	const Damage &damage = damage_option(text_to_cstring(PG_GETARG_TEXT_PP(2)));
	const double recall = PG_GETARG_FLOAT8(1);
	if (!(recall >= 0.01 && recall <= 0.999999))
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				errmsg("recall must be between 0.01 and 0.999999, not %s", pg::shortest(recall))));
	Advice choices[lengthof(damage.shingles)];
	for (std::size_t i = 0; i < lengthof(choices); ++i)
		choices[i] = advise(edits, recall, damage.unit, damage.shingles[i]);
	// Recommends the first choice that has a banding and a high enough threshold; else the last one that has a banding.
	int best = 0;
	while (best < 3 && !is_served_by_default(choices[best], recall))
		++best;
	for (int i = 0; i < 4; ++i)
		put_advice(result, choices[i], recall, i == best && choices[i].banding.bands > 0);
	return (Datum) 0;
}

TXTFP_FUNCTION(txtfp_similarity_histogram)
{
	ReturnSetInfo *result = start_result(fcinfo);
	const char *query = pg::query_argument(fcinfo, 0);
	const int size = bounded("size of the sample", PG_GETARG_INT32(1), 1, 100000);
	const int buckets = bounded("number of buckets", PG_GETARG_INT32(2), 1, 1000);
	auto *counts = static_cast<std::int64_t *>(palloc0(sizeof(std::int64_t) * static_cast<std::size_t>(buckets)));
	const std::size_t drawn = count_similarities(query, static_cast<std::size_t>(size), counts, buckets);
	// Each sampled row was also compared with itself.
	counts[buckets - 1] = std::max<std::int64_t>(counts[buckets - 1] - static_cast<std::int64_t>(drawn), 0);
	for (int i = 0; i < buckets; ++i) {
		Datum values[] = {Float8GetDatum(static_cast<double>(i) / buckets),
			Float8GetDatum(static_cast<double>(i + 1) / buckets), Int64GetDatum(counts[i]),
			Float8GetDatum(static_cast<double>(counts[i]) / std::max<double>(static_cast<double>(drawn), 1)),
			CStringGetTextDatum(bar(counts[i]))};
		put(result, values);
	}
	return (Datum) 0;
}
