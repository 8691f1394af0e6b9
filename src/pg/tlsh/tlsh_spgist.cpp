// SP-GiST operator class tlsh_ops: exact at every distance, with ordered scans. An inner tuple splits digests by one of
// their parts: the prefix says which part, the labels are its values. A leaf is the whole digest. The distances of the
// parts on the path from the root add up to a lower bound; paths may use the parts in different orders. If more digests
// than fit a page agree in all parts, they lie below an "all the same" tuple, whose labels carry no information.
#include "core/tlsh/tlsh_index.hpp"
#include "pg/tlsh/tlsh.hpp"

extern "C" {
#include "access/spgist.h"
#include "access/stratnum.h"
#include "catalog/pg_type.h"
#include "utils/memutils.h"
}

using namespace txtfp;

namespace {

// A condition or an ordering of the scan. An ordering has no greatest distance.
struct Search {
	const core::Tlsh *digest;
	int max_distance;
	int value; // of the part that the current inner tuple splits by
};

core::TlshPart part_of(Datum prefix) { return static_cast<core::TlshPart>(DatumGetInt16(prefix)); }

Search search_of(const ScanKeyData &key)
{
	switch (key.sk_strategy) {
	case pg::strategy_tlsh_probe: {
		const pg::TlshProbe &probe = pg::to_tlsh_probe(key.sk_argument);
		return {&probe.digest, probe.max_distance, 0};
	}
	case pg::strategy_tlsh_equal: // as distance 0: every part's distance is 0 only for equal values
		return {&pg::to_tlsh(key.sk_argument), 0, 0};
	case pg::strategy_tlsh_distance:
		return {&pg::to_tlsh(key.sk_argument), pg::tlsh_max_distance, 0};
	default:
		elog(ERROR, "unrecognized strategy number: %d", key.sk_strategy);
	}
	pg_unreachable();
}

template <typename T> T *allocate(int n) { return static_cast<T *>(palloc(sizeof(T) * static_cast<std::size_t>(n))); }

// The searches of a scan: its conditions, then its orderings.
struct Searches {
	Search *all;
	int conditions, count;
};

template <typename In> Searches searches_of(const In &in)
{
	Searches searches{allocate<Search>(in.nkeys + in.norderbys), in.nkeys, in.nkeys + in.norderbys};
	for (int i = 0; i < in.nkeys; ++i)
		searches.all[i] = search_of(in.scankeys[i]);
	for (int i = 0; i < in.norderbys; ++i)
		searches.all[in.nkeys + i] = search_of(in.orderbys[i]);
	return searches;
}

double *as_distances(const Searches &searches, const int *bounds)
{
	const int n = searches.count - searches.conditions;
	double *distances = allocate<double>(n);
	for (int i = 0; i < n; ++i)
		distances[i] = bounds[searches.conditions + i];
	return distances;
}

// Computes the lower bounds below a node from those of its parent (nullptr: the root). False if no row below can match.
bool node_bounds(const Searches &searches, const spgInnerConsistentIn &in, int node, int *bounds)
{
	const auto *parent = static_cast<const int *>(in.traversalValue);
	for (int i = 0; i < searches.count; ++i) {
		const Search &search = searches.all[i];
		bounds[i] = parent == nullptr ? 0 : parent[i];
		if (!in.allTheSame)
			bounds[i] +=
				core::tlsh_part_distance(part_of(in.prefixDatum), search.value, DatumGetInt16(in.nodeLabels[node]));
		if (bounds[i] > search.max_distance)
			return false;
	}
	return true;
}

} // namespace

TXTFP_FUNCTION(txtfp_tlsh_spgist_config)
{
	const auto *in = (const spgConfigIn *) PG_GETARG_POINTER(0);
	auto *out = (spgConfigOut *) PG_GETARG_POINTER(1);
	out->prefixType = INT2OID;
	out->labelType = INT2OID;
	out->leafType = in->attType;
	out->canReturnData = true;
	out->longValuesOK = false;
	PG_RETURN_VOID();
}

TXTFP_FUNCTION(txtfp_tlsh_spgist_choose)
{
	const auto *in = (const spgChooseIn *) PG_GETARG_POINTER(0);
	auto *out = (spgChooseOut *) PG_GETARG_POINTER(1);
	const int label = core::tlsh_part(part_of(in->prefixDatum), pg::to_tlsh(in->datum));
	int node = 0;
	while (!in->allTheSame && node < in->nNodes && DatumGetInt16(in->nodeLabels[node]) != label)
		++node;
	if (node < in->nNodes) {
		out->resultType = spgMatchNode;
		out->result.matchNode.nodeN = node; // PostgreSQL chooses the node itself in a tuple that is "all the same"
		out->result.matchNode.levelAdd = 0;
		out->result.matchNode.restDatum = in->leafDatum;
	} else {
		out->resultType = spgAddNode;
		out->result.addNode.nodeLabel = Int16GetDatum(static_cast<int16>(label));
		out->result.addNode.nodeN = node;
	}
	PG_RETURN_VOID();
}

// Digests that agree in all parts go to one node; PostgreSQL then forms an "all the same" tuple.
TXTFP_FUNCTION(txtfp_tlsh_spgist_picksplit)
{
	const auto *in = (const spgPickSplitIn *) PG_GETARG_POINTER(0);
	auto *out = (spgPickSplitOut *) PG_GETARG_POINTER(1);
	auto **digests = allocate<const core::Tlsh *>(in->nTuples);
	for (int i = 0; i < in->nTuples; ++i)
		digests[i] = &pg::to_tlsh(in->datums[i]);
	const core::TlshPart part =
		core::tlsh_split_part({digests, static_cast<std::size_t>(in->nTuples)}).value_or(core::TlshPart::length_class);
	int node_of[core::tlsh_part_values];
	for (int &node : node_of)
		node = -1;
	out->hasPrefix = true;
	out->prefixDatum = Int16GetDatum(static_cast<int16>(part));
	out->nNodes = 0;
	out->nodeLabels = allocate<Datum>(in->nTuples);
	out->mapTuplesToNodes = allocate<int>(in->nTuples);
	out->leafTupleDatums = allocate<Datum>(in->nTuples);
	for (int i = 0; i < in->nTuples; ++i) {
		const int label = core::tlsh_part(part, *digests[i]);
		if (node_of[label] < 0) {
			node_of[label] = out->nNodes;
			out->nodeLabels[out->nNodes++] = Int16GetDatum(static_cast<int16>(label));
		}
		out->mapTuplesToNodes[i] = node_of[label];
		out->leafTupleDatums[i] = in->datums[i];
	}
	PG_RETURN_VOID();
}

TXTFP_FUNCTION(txtfp_tlsh_spgist_inner_consistent)
{
	const auto *in = (const spgInnerConsistentIn *) PG_GETARG_POINTER(0);
	auto *out = (spgInnerConsistentOut *) PG_GETARG_POINTER(1);
	const Searches searches = searches_of(*in);
	for (int i = 0; i < searches.count; ++i)
		searches.all[i].value = core::tlsh_part(part_of(in->prefixDatum), *searches.all[i].digest);
	int *bounds = allocate<int>(searches.count);
	const Size size = sizeof(int) * static_cast<Size>(searches.count);
	out->nNodes = 0;
	out->nodeNumbers = allocate<int>(in->nNodes);
	if (searches.count > 0)
		out->traversalValues = allocate<void *>(in->nNodes);
	if (in->norderbys > 0)
		out->distances = allocate<double *>(in->nNodes);
	for (int node = 0; node < in->nNodes; ++node) {
		if (!node_bounds(searches, *in, node, bounds))
			continue;
		if (searches.count > 0) {
			out->traversalValues[out->nNodes] = MemoryContextAlloc(in->traversalMemoryContext, size);
			memcpy(out->traversalValues[out->nNodes], bounds, size);
		}
		if (in->norderbys > 0)
			out->distances[out->nNodes] = as_distances(searches, bounds);
		out->nodeNumbers[out->nNodes++] = node;
	}
	PG_RETURN_VOID();
}

TXTFP_FUNCTION(txtfp_tlsh_spgist_leaf_consistent)
{
	const auto *in = (const spgLeafConsistentIn *) PG_GETARG_POINTER(0);
	auto *out = (spgLeafConsistentOut *) PG_GETARG_POINTER(1);
	const core::Tlsh &leaf = pg::to_tlsh(in->leafDatum);
	out->recheck = out->recheckDistances = false;
	out->leafValue = in->leafDatum;
	for (int i = 0; i < in->nkeys; ++i) {
		const Search search = search_of(in->scankeys[i]);
		if (!core::tlsh_within(*search.digest, leaf, search.max_distance))
			PG_RETURN_BOOL(false);
	}
	if (in->norderbys > 0)
		out->distances = allocate<double>(in->norderbys);
	for (int i = 0; i < in->norderbys; ++i)
		out->distances[i] = core::tlsh_distance(pg::to_tlsh(in->orderbys[i].sk_argument), leaf);
	PG_RETURN_BOOL(true);
}
