// Sets of terms: an operator class of any extension can give the access method, for each value, the terms that it
// consists of, and gets searches by the number of common terms. Besides the function that names the class, it has two
// support functions:
//
//   3  (value) → integer[]              hashes of the terms of a value, each term once
//   4  (strategy smallint) → float8     the least similarity that fulfils an operator
//
// The strategies say by what the number of common terms is divided; core/sketch/terms.hpp has the bounds. The index
// never decides: PostgreSQL evaluates the operator for each row that is found, and sorts by the true distances.
#include "core/sketch/terms.hpp"

#include <algorithm>
#include <cmath>

#include "pg/sketch/sketch.hpp"

extern "C" {
#include "access/tableam.h"
#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
}

namespace txtfp::pg {

namespace {

core::TermMeasure measure_of(StrategyNumber strategy)
{
	switch (strategy) {
	case 1:
	case strategy_sketch_distance:
		return core::TermMeasure::united;
	case 2: // the row has the probe, or nearly so; 4 and 13 are a stricter form
	case 4:
	case 13:
	case 14:
		return core::TermMeasure::of_probe;
	case strategy_sketch_equal:
		return core::TermMeasure::equal;
	case 5: // the probe has the row; 6 and 11 are the stricter form
	case last_terms_condition:
	case first_terms_ordering:
	case 12:
		return core::TermMeasure::of_row;
	default:
		elog(ERROR, "unrecognized strategy number: %d", strategy);
		pg_unreachable();
	}
}

FmgrInfo *support_function(Relation index, std::uint16_t number)
{
	return index_getprocinfo(index, static_cast<AttrNumber>(IndexRelationGetNumberOfKeyAttributes(index)), number);
}

struct Terms {
	const std::int32_t *hash;
	std::size_t count;
};

Terms terms_of(Relation index, Datum value)
{
	const int last = IndexRelationGetNumberOfKeyAttributes(index) - 1;
	ArrayType *array = DatumGetArrayTypeP(
		FunctionCall1Coll(support_function(index, sketch_terms_function), index->rd_indcollation[last], value));
	const int dimensions = ARR_NDIM(array);
	if (ARR_ELEMTYPE(array) != INT4OID || dimensions > 1 || ARR_HASNULL(array))
		ereport(ERROR,
			(errcode(ERRCODE_DATA_EXCEPTION),
				errmsg("support function %d of index \"%s\" must return an array of one dimension without NULL",
					sketch_terms_function, RelationGetRelationName(index))));
	return {(const std::int32_t *) ARR_DATA_PTR(array),
		static_cast<std::size_t>(ArrayGetNItems(dimensions, ARR_DIMS(array)))};
}

// What a support function leaves behind is freed at once, because an index is built from many values.
MemoryContext temporary_context()
{
	return AllocSetContextCreate(CurrentMemoryContext, "sketch terms", ALLOCSET_SMALL_SIZES);
}

// The condition of rows whose limit is computed from the operator's threshold.
int limit_of(Relation index, const ScanKeyData &key, core::TermMeasure &measure)
{
	if ((key.sk_flags & SK_ORDER_BY) != 0)
		return core::terms_scale;
	if (key.sk_strategy == strategy_sketch_equal) {
		// by other collations, values of different terms may be equal
		if (OidIsValid(key.sk_collation) && !get_collation_isdeterministic(key.sk_collation))
			measure = core::TermMeasure::nothing;
		return 0;
	}
	return core::terms_limit(DatumGetFloat8(FunctionCall1(
		support_function(index, sketch_threshold_function), Int16GetDatum(static_cast<int16>(key.sk_strategy)))));
}

// Rows of some blocks of a table.
struct TermSample {
	MemoryContext memory; // of the terms of one value
	double rows, values, terms;
};

void add_to_sample(Relation index, ItemPointer, Datum *values, bool *nulls, bool, void *state)
{
	TermSample &sample = *static_cast<TermSample *>(state);
	const int last = IndexRelationGetNumberOfKeyAttributes(index) - 1;
	++sample.rows;
	if (nulls[last])
		return;
	MemoryContext old = MemoryContextSwitchTo(sample.memory);
	++sample.values;
	sample.terms += static_cast<double>(terms_of(index, values[last]).count);
	MemoryContextSwitchTo(old);
	MemoryContextReset(sample.memory);
}

// The bits for each term with which an index has about the size of a GIN index of the same terms, or less. This one
// takes some three bytes for a term in a table of 10,000 rows, and two if there are millions, whose row numbers lie close
// together (contrib/txtfp_trgm/bench/strings.sh, widths.sh).
double bits_of_term(double rows) { return std::clamp(36 - 3.4 * std::log10(std::max(rows, 1.0)), 12.0, 20.0); }

} // namespace

const SketchClass &class_to_build(Relation heap, Relation index, IndexInfo *info)
{
	constexpr BlockNumber most_sampled = 16;
	const SketchClass &type = sketch_class(index);
	const BlockNumber blocks = RelationGetNumberOfBlocks(heap), sampled = std::min(blocks, most_sampled);
	if (!type.is_unsized)
		return type;
	TermSample sample{temporary_context(), 0, 0, 0};
	for (BlockNumber i = 0; i < sampled && heap->rd_tableam == GetHeapamTableAmRoutine(); ++i)
		table_index_build_range_scan(heap, index, info, false, false, false,
			static_cast<BlockNumber>(std::uint64_t{blocks} * i / sampled), 1, add_to_sample, &sample, nullptr);
	MemoryContextDelete(sample.memory);
	if (sample.values == 0)
		return sized_class(type, core::terms_default_pages);
	const double wanted = sample.terms / sample.values * bits_of_term(sample.rows / sampled * blocks);
	std::size_t best = core::terms_min_pages;
	const auto difference = [&](std::size_t pages) {
		return std::abs(sized_class(type, pages).layout.planes - wanted);
	};
	for (std::size_t pages = best + 1; pages <= core::terms_max_pages; ++pages)
		if (difference(pages) < difference(best))
			best = pages;
	return sized_class(type, best);
}

void terms_value(Relation index, const SketchClass &type, Datum datum, SketchValue &value)
{
	MemoryContext temporary = temporary_context(), old = MemoryContextSwitchTo(temporary);
	const Terms terms = terms_of(index, datum);
	core::terms_signature(type.layout, terms.hash, terms.count, value.signature);
	value.config = 0;
	MemoryContextSwitchTo(old);
	MemoryContextDelete(temporary);
}

void terms_condition(Relation index, const SketchClass &type, const ScanKeyData &key, SketchValue &condition)
{
	core::TermMeasure measure = measure_of(key.sk_strategy);
	MemoryContext temporary = temporary_context(), old = MemoryContextSwitchTo(temporary);
	const Terms terms = terms_of(index, key.sk_argument);
	condition.limit = limit_of(index, key, measure);
	condition.config = 0;
	core::terms_signature(type.layout, terms.hash, terms.count, condition.signature);
	auto *probe = static_cast<core::TermProbe *>(MemoryContextAlloc(old, core::term_probe_size(terms.count)));
	core::make_term_probe(type.layout, terms.hash, terms.count, measure, *probe);
	condition.terms = probe;
	MemoryContextSwitchTo(old);
	MemoryContextDelete(temporary);
}

} // namespace txtfp::pg
