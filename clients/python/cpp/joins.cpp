#include "joins.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/base/keyed_rows.hpp"
#include "core/base/union_find.hpp"
#include "core/minhash/bucket_pairs.hpp"
#include "core/tlsh/tlsh.hpp"
#include "join_engine.hpp"
#include "parallel.hpp"
#include "refused.hpp"

namespace txtfp::python {

namespace {

[[noreturn]] void refuse(const std::string &message, const std::string &detail = {}, const std::string &hint = {})
{
	throw Refused(Refusal::invalid_parameter, message, detail, hint);
}

// Of the names of limits only that of the kind may be given.
void check_limits(Kind kind, const Limit &given)
{
	struct {
		core::MeasureUnit unit;
		bool given;
		const char *name, *meaning;
	} const limits[] = {
		{core::MeasureUnit::similarity, given.threshold.has_value(), "threshold", "the least similarity"},
		{core::MeasureUnit::distance, given.max_distance.has_value(), "max_distance", "the greatest distance"},
		{core::MeasureUnit::score, given.min_score.has_value(), "min_score", "the least score"}};
	for (const auto &other : limits)
		if (other.given && other.unit != kind->unit)
			for (const auto &own : limits)
				if (own.unit == kind->unit)
					refuse(std::string(other.name) + " does not apply to " + kind->type, {},
						"Give " + std::string(own.name) + ", " + own.meaning + ".");
}

core::Banding given_banding(Kind kind, int bands, int rows)
{
	for (const auto &[name, value] : {std::pair("bands", bands), std::pair("rows", rows)})
		if (value < 1)
			refuse(std::string(name) + " must be at least 1, not " + std::to_string(value));
	const auto all = static_cast<int>(slots(kind));
	if (bands > all || rows > all || bands * rows > all)
		refuse("bands * rows must be at most " + std::to_string(all) + " for " + kind->type + ", not " +
			std::to_string(bands) + " * " + std::to_string(rows));
	return {bands, rows};
}

core::Banding banding_for(Kind kind, double threshold, const BandingOption &option)
{
	if (option.bands.has_value() != option.rows.has_value())
		refuse("bands and rows must be given together", {}, "Give neither: recall then chooses the banding.");
	if (option.bands && option.recall)
		refuse("recall cannot be combined with bands and rows", {}, "recall chooses the banding.");
	if (option.bands)
		return given_banding(kind, *option.bands, *option.rows);
	const double recall = option.recall.value_or(0.99);
	if (!(recall > 0 && recall < 1))
		refuse("recall must be greater than 0 and less than 1, not " + shortest(recall));
	const auto all = static_cast<int>(slots(kind));
	const core::Banding banding = core::banding_for_recall(threshold, recall, all);
	if (banding.bands == 0)
		refuse("no banding of " + std::to_string(all) + " slots finds pairs of similarity " + shortest(threshold) +
				" with recall " + shortest(recall),
			{}, "Raise the threshold, lower the recall, or use a type with more slots.");
	return banding;
}

int exact_limit(Kind kind, const Limit &limit, const BandingOption &option)
{
	if (option.bands || option.rows || option.recall)
		refuse("bands, rows and recall do not apply to " + std::string(kind->type), "Its pairs are found exactly.");
	check_limits(kind, limit);
	const int bound =
		(has_distance(kind) ? limit.max_distance : limit.min_score).value_or(static_cast<int>(kind->default_limit));
	const auto most = static_cast<int>(kind->max_limit);
	if (bound < 0 || bound > most)
		refuse(std::string(kind->limit) + " must be between 0 and " + std::to_string(most) + " for " + kind->type +
			", not " + std::to_string(bound));
	return bound;
}

} // namespace

std::string shortest(double value)
{
	if (std::isnan(value))
		return "NaN";
	if (std::isinf(value))
		return value < 0 ? "-Infinity" : "Infinity";
	char text[32];
	return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

double similarity(Kind kind, int measure) noexcept
{
	if (is_minhash(kind))
		return jaccard(kind, measure);
	if (is_simhash(kind))
		return core::cosine_estimate(0, measure == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << measure) - 1);
	if (is_lavinhash(kind))
		return measure / 100.0;
	return core::tlsh_similarity(measure);
}

JoinOptions join_options(Kind kind, const Limit &limit, const BandingOption &option, unsigned threads)
{
	JoinOptions options;
	options.threads = threads;
	if (!is_minhash(kind)) {
		options.bound = exact_limit(kind, limit, option);
		return options;
	}
	check_limits(kind, limit);
	const double least = limit.threshold.value_or(kind->default_limit);
	if (!(least > 0 && least <= 1))
		refuse("threshold must be greater than 0 and at most 1, not " + shortest(least),
			"For " + std::string(kind->type) + " it is the least estimated Jaccard similarity.");
	options.bound = static_cast<int>(is_full(kind) ? core::least_matches_of<std::uint64_t>(least, slots(kind))
												   : core::least_matches_of<std::uint8_t>(least, slots(kind)));
	options.threshold = least;
	options.banding = banding_for(kind, least, option);
	return options;
}

// Calls emit(a, b, measure) for the rows that a similar pair of heads stands for: a < b.
template <class Rows> static void for_each_copy(const Pair &pair, const std::vector<std::uint32_t> &next, Rows emit)
{
	for (std::uint32_t a = pair.a; a != core::no_element; a = next[a])
		for (std::uint32_t b = pair.b == pair.a ? next[a] : pair.b; b != core::no_element; b = next[b])
			emit(std::min(a, b), std::max(a, b));
}

std::vector<Pair> similar_pairs(const Values &values, const JoinOptions &options)
{
	const Heads heads = find_heads(values, options.threads);
	std::vector<std::uint32_t> next(values.rows.size());
	core::chain_groups(heads.of, next.data());
	std::vector<Pair> pairs;
	const auto add_copies = [&](const Pair &pair) {
		for_each_copy(pair, next, [&](std::uint32_t a, std::uint32_t b) { pairs.push_back({a, b, pair.measure}); });
	};
	if (!values.has_parts())
		for (const std::uint32_t head : heads.rows)
			add_copies({head, head, best_measure(values.kind)});
	join_heads(values, heads, options, [&](std::span<const Pair> found) {
		for (const Pair &pair : found)
			add_copies(pair);
	});
	sort_pairs(pairs);
	return pairs;
}

std::vector<Pair> nearest_pairs(const Values &values, const JoinOptions &options)
{
	const Heads heads = find_heads(values, options.threads);
	std::vector<Pair> nearest(values.rows.size(), {0, core::no_element, 0}); // of heads
	join_heads(values, heads, options, [&](std::span<const Pair> found) {
		for (const Pair &pair : found) {
			Pair &best = nearest[pair.a];
			if (best.b == core::no_element || is_better(values.kind, pair.measure, best.measure) ||
				(pair.measure == best.measure && pair.b < best.b))
				best = pair;
		}
	});
	std::vector<Pair> pairs;
	for (std::uint32_t row = 0; row < std::min<std::size_t>(values.second, values.rows.size()); ++row)
		if (const Pair &best = nearest[heads.of[row]]; best.b != core::no_element)
			pairs.push_back({row, best.b, best.measure});
	return pairs;
}

// Numbers the clusters of one component, whose rows ascend.
static void cut_component(const Values &values, const JoinOptions &options, ClusterMode mode,
	std::span<const std::uint32_t> rows, std::vector<std::uint32_t> &labels)
{
	std::vector<std::vector<std::uint32_t>> found;
	const auto is_member = [&](const std::vector<std::uint32_t> &cluster, std::uint32_t row) {
		stop_token.check();
		const std::span others(cluster.data(), mode == ClusterMode::star ? 1 : cluster.size());
		return std::all_of(others.begin(), others.end(),
			[&](std::uint32_t other) { return is_similar(values.kind, options, compare_rows(values, other, row)); });
	};
	// A star takes what is similar to its centre; so a row belongs to the first centre that it is similar to.
	for (const std::uint32_t row : rows) {
		const auto cluster = std::find_if(
			found.begin(), found.end(), [&](const std::vector<std::uint32_t> &other) { return is_member(other, row); });
		if (cluster == found.end()) {
			found.push_back({row});
			labels[row] = row;
			continue;
		}
		labels[row] = cluster->front();
		if (mode == ClusterMode::complete)
			cluster->push_back(row);
	}
}

std::vector<std::uint32_t> clusters(const Values &values, const JoinOptions &options, ClusterMode mode)
{
	const Heads heads = find_heads(values, options.threads);
	std::vector<std::uint32_t> labels = heads.of;
	core::UnionFind sets(labels.data());
	join_heads(values, heads, options, [&](std::span<const Pair> found) {
		for (const Pair &pair : found)
			sets.unite(pair.a, pair.b);
	});
	for (std::uint32_t row = 0; row < labels.size(); ++row)
		labels[row] = sets.find(row);
	if (mode == ClusterMode::components)
		return labels;
	std::vector<std::uint32_t> next(labels.size()), roots;
	core::chain_groups(labels, next.data());
	for (std::uint32_t row = 0; row < labels.size(); ++row)
		if (labels[row] == row && next[row] != core::no_element)
			roots.push_back(row);
	Workers::for_each_block(roots.size(), 16, options.threads, [&](std::size_t first, std::size_t last, unsigned) {
		std::vector<std::uint32_t> rows;
		for (std::size_t i = first; i < last; ++i) {
			rows.clear();
			for (std::uint32_t row = roots[i]; row != core::no_element; row = next[row])
				rows.push_back(row);
			cut_component(values, options, mode, rows, labels);
		}
	});
	return labels;
}

} // namespace txtfp::python
