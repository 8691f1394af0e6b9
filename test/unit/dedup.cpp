// Clusters and removals of random similarities, compared with what their definitions say, by brute force.
#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/dedup/cluster_cuts.hpp"
#include "core/dedup/deduplication.hpp"
#include "unit/check.hpp"
#include "unit/counting_host.hpp"

using namespace txtfp::core;
using namespace txtfp::test;

namespace {

using Labels = std::vector<std::uint32_t>;

// Rows whose similarities are given. Of `keys`, each similar pair has one in common.
class GivenRows final : public JoinedRows {
public:
	GivenRows(std::uint32_t n, double threshold) : n_(n), threshold_(threshold), values_(std::size_t{n} * n) {}

	double &at(std::uint32_t a, std::uint32_t b) { return values_[std::min(a, b) * n_ + std::max(a, b)]; }
	std::uint32_t size() const { return n_; }
	bool is_similar(std::uint32_t a, std::uint32_t b) { return a != b && at(a, b) >= threshold_; }

	void connect(UnionFind &components) override
	{
		for (std::uint32_t a = 0; a < n_; ++a)
			for (std::uint32_t b = 0; b < a; ++b)
				if (is_similar(a, b))
					components.unite(a, b);
	}
	void pairs_of_heads(PairSink &sink) override
	{
		Labels heads(n_);
		read_heads(heads);
		for (std::uint32_t a = 0; a < n_; ++a)
			for (std::uint32_t b = a + 1; b < n_; ++b)
				if (heads[a] == a && heads[b] == b && is_similar(a, b))
					sink.pair(a, b, at(a, b));
	}
	void read_heads(std::span<std::uint32_t> heads) override
	{
		for (std::uint32_t a = 0; a < n_; ++a) {
			heads[a] = a;
			for (std::uint32_t b = a; b-- > 0;)
				if (at(a, b) == 1)
					heads[a] = b;
		}
	}
	bool similar(std::uint32_t a, std::uint32_t b, unsigned) override { return is_similar(a, b); }
	double similarity(std::uint32_t a, std::uint32_t b, unsigned) override { return at(a, b); }
	std::size_t keys(std::uint32_t row, std::uint64_t *keys) override
	{
		if (row_keys.empty())
			return 0;
		std::copy(row_keys[row].begin(), row_keys[row].end(), keys);
		return row_keys[row].size();
	}

	std::vector<std::vector<std::uint64_t>> row_keys;

private:
	std::uint32_t n_;
	double threshold_;
	std::vector<double> values_;
};

// Similarities of a few values, so that there are equal ones. Rows of similarity 1 are equal.
GivenRows random_rows(std::mt19937 &random, std::uint32_t n, unsigned one_in, double threshold = 0.5)
{
	GivenRows rows(n, threshold);
	for (std::uint32_t a = 0; a < n; ++a)
		for (std::uint32_t b = 0; b < a; ++b)
			rows.at(a, b) = random() % one_in == 0 ? 0.5 + 0.1 * (random() % 5) : 0.2;
	for (std::uint32_t copy = 0; copy < n / 10; ++copy) {
		const std::uint32_t a = random() % n, b = random() % n;
		if (a == b || rows.at(a, b) == 1)
			continue;
		for (std::uint32_t c = 0; c < n; ++c)
			if (c != a && c != b)
				rows.at(b, c) = rows.at(a, c);
		rows.at(a, b) = 1;
	}
	return rows;
}

struct Given {
	std::vector<RankPair> apart, together;
	DecidedPairs pairs() { return {apart, together}; }
};

Labels units_of(const Given &given, std::uint32_t n)
{
	Labels units(n);
	for (std::uint32_t row = 0; row < n; ++row)
		units[row] = row;
	for (const RankPair &pair : given.together) {
		const std::uint32_t to = std::min(units[pair.a], units[pair.b]), from = std::max(units[pair.a], units[pair.b]);
		std::replace(units.begin(), units.end(), from, to);
	}
	return units;
}

Given random_pairs(std::mt19937 &random, std::uint32_t n, unsigned count)
{
	Given given;
	for (unsigned i = 0; i < count / 3; ++i)
		if (const std::uint32_t a = random() % n, b = random() % n; a != b)
			given.together.push_back({a, b});
	const Labels units = units_of(given, n);
	for (unsigned i = 0; i < count; ++i)
		if (const std::uint32_t a = random() % n, b = random() % n; units[a] != units[b])
			given.apart.push_back({a, b});
	return given;
}

// Clusters as lists of rows, while a definition is followed to the letter.
struct Naive {
	GivenRows &rows;
	const Given &given;
	std::vector<std::vector<std::uint32_t>> units = {};

	Naive(GivenRows &all, const Given &decided) : rows(all), given(decided)
	{
		std::map<std::uint32_t, std::vector<std::uint32_t>> found;
		const Labels labels = units_of(given, rows.size());
		for (std::uint32_t row = 0; row < rows.size(); ++row)
			found[labels[row]].push_back(row);
		for (auto &[first, members] : found)
			units.push_back(members);
	}
	bool may_join(const std::vector<std::uint32_t> &x, const std::vector<std::uint32_t> &y) const
	{
		const auto has = [](const std::vector<std::uint32_t> &set, std::uint32_t row) {
			return std::find(set.begin(), set.end(), row) != set.end();
		};
		return std::none_of(given.apart.begin(), given.apart.end(), [&](const RankPair &pair) {
			return (has(x, pair.a) && has(y, pair.b)) || (has(x, pair.b) && has(y, pair.a));
		});
	}
	static Labels labels(const std::vector<std::vector<std::uint32_t>> &clusters, std::uint32_t n)
	{
		Labels labels(n);
		for (const auto &cluster : clusters)
			for (const std::uint32_t row : cluster)
				labels[row] = *std::min_element(cluster.begin(), cluster.end());
		return labels;
	}

	Labels stars()
	{
		std::vector<std::vector<std::uint32_t>> stars;
		std::vector<bool> is_taken(units.size());
		for (std::size_t i = 0; i < units.size(); ++i) {
			if (is_taken[i])
				continue;
			std::vector<std::uint32_t> star = units[i];
			const std::uint32_t centre = units[i][0];
			for (std::uint32_t row = centre + 1; row < rows.size(); ++row) // in the order of rows, not of units
				for (std::size_t j = i + 1; j < units.size(); ++j)
					if (!is_taken[j] && std::find(units[j].begin(), units[j].end(), row) != units[j].end() &&
						rows.is_similar(centre, row) && may_join(star, units[j])) {
						star.insert(star.end(), units[j].begin(), units[j].end());
						is_taken[j] = true;
					}
			stars.push_back(star);
		}
		return labels(stars, rows.size());
	}
	Labels complete()
	{
		std::vector<std::vector<std::uint32_t>> clusters;
		for (const auto &unit : units) {
			const auto found = std::find_if(clusters.begin(), clusters.end(), [&](const auto &cluster) {
				return may_join(cluster, unit) && std::all_of(cluster.begin(), cluster.end(), [&](std::uint32_t a) {
					return std::all_of(
						unit.begin(), unit.end(), [&](std::uint32_t b) { return rows.is_similar(a, b); });
				});
			});
			if (found == clusters.end())
				clusters.push_back(unit);
			else
				found->insert(found->end(), unit.begin(), unit.end());
		}
		return labels(clusters, rows.size());
	}
	Labels components()
	{
		std::vector<std::vector<std::uint32_t>> clusters = units;
		for (const double level : {1.0, 0.9, 0.8, 0.7, 0.6, 0.5})
			for (std::uint32_t a = 0; a < rows.size(); ++a)
				for (std::uint32_t b = a + 1; b < rows.size(); ++b) {
					if (std::abs(rows.at(a, b) - level) > 0.01)
						continue;
					const auto with = [&](std::uint32_t row) {
						return std::find_if(clusters.begin(), clusters.end(), [&](const auto &cluster) {
							return std::find(cluster.begin(), cluster.end(), row) != cluster.end();
						});
					};
					const auto x = with(a), y = with(b);
					if (x == y || !may_join(*x, *y))
						continue;
					x->insert(x->end(), y->begin(), y->end());
					clusters.erase(y);
				}
		return labels(clusters, rows.size());
	}
};

Labels clusters_of(GivenRows &rows, Given given, const ClusterOptions &options, double **formed = nullptr)
{
	static CountingHost host;
	SerialExecutor serial(host);
	const std::span<std::uint32_t> labels = connect(host, serial, rows, rows.size());
	const int blocks = host.blocks;
	double *own;
	TooManyLinks wrong;
	CHECK_EQ(find_clusters(host, rows, given.pairs(), options, labels, own, wrong), true);
	CHECK_EQ(host.blocks, blocks + (own != nullptr)); // everything else was freed
	if (formed != nullptr)
		*formed = own;
	return {labels.begin(), labels.end()};
}

} // namespace

TEST(clusters_follow_their_definitions)
{
	std::mt19937 random(1);
	for (int round = 0; round < 300; ++round) {
		const std::uint32_t n = 1 + random() % 40;
		GivenRows rows = random_rows(random, n, 2 + random() % 30);
		const Given given = random_pairs(random, n, round % 3 == 0 ? 0 : random() % 30);
		Naive naive(rows, given);
		constexpr std::size_t enough = 1 << 20;
		CHECK_EQ(clusters_of(rows, given, {ClusterMode::star, 0, enough}), naive.stars(), round);
		CHECK_EQ(clusters_of(rows, given, {ClusterMode::complete, 0, enough}), naive.complete(), round);
		CHECK_EQ(clusters_of(rows, given, {ClusterMode::components, 0, enough}), naive.components(), round);
	}
}

TEST(links_that_do_not_fit)
{
	CountingHost host;
	SerialExecutor serial(host);
	GivenRows rows(10, 0.5);
	for (std::uint32_t a = 1; a < 10; ++a)
		for (std::uint32_t b = 0; b < a; ++b)
			rows.at(a, b) = 0.8;
	Given given{{{0, 1}}, {}};
	const std::span<std::uint32_t> labels = connect(host, serial, rows, 10);
	double *formed;
	TooManyLinks wrong;
	const int blocks = host.blocks;
	CHECK_EQ(find_clusters(host, rows, given.pairs(), {ClusterMode::components, 0, 40 * 16}, labels, formed, wrong), false);
	CHECK_EQ(wrong.rows, 10u);
	CHECK_EQ(wrong.most, 40u);
	CHECK_EQ(host.blocks, blocks);
}

// The component of a row at the lowest threshold at which it has at most max_size rows, or equal ones only.
TEST(cut_components_are_those_of_a_higher_threshold)
{
	std::mt19937 random(2);
	const double levels[] = {0.5, 0.6, 0.7, 0.8, 0.9, 1};
	for (int round = 0; round < 200; ++round) {
		const std::uint32_t n = 2 + random() % 50, max_size = 2 + random() % 6;
		GivenRows rows = random_rows(random, n, 3 + random() % 20);
		double *formed;
		const Labels cut = clusters_of(rows, {}, {ClusterMode::components, max_size, 0}, &formed);
		std::vector<Labels> at;
		for (const double level : levels) {
			Labels parents(n);
			UnionFind sets(parents.data());
			for (std::uint32_t row = 0; row < n; ++row)
				sets.add(row);
			for (std::uint32_t a = 0; a < n; ++a)
				for (std::uint32_t b = 0; b < a; ++b)
					if (rows.at(a, b) >= level - 0.01)
						sets.unite(a, b);
			for (std::uint32_t row = 0; row < n; ++row)
				parents[row] = sets.find(row);
			at.push_back(parents);
		}
		for (std::uint32_t row = 0; row < n; ++row) {
			std::size_t level = 0;
			const auto size = [&] { return std::count(at[level].begin(), at[level].end(), at[level][row]); };
			while (level + 1 < std::size(levels) && size() > max_size)
				++level;
			CHECK_EQ(cut[row], size() > 1 ? at[level][row] : row, round, row);
		}
	}
}

TEST(cut_stars_keep_the_most_similar)
{
	std::mt19937 random(3);
	for (int round = 0; round < 200; ++round) {
		const std::uint32_t n = 2 + random() % 50, max_size = 2 + random() % 6;
		GivenRows rows = random_rows(random, n, 2 + random() % 10);
		double *formed;
		const Labels stars = clusters_of(rows, {}, {ClusterMode::star, 0, 0});
		const Labels cut = clusters_of(rows, {}, {ClusterMode::star, max_size, 0}, &formed);
		for (std::uint32_t centre = 0; centre < n; ++centre) {
			std::vector<std::uint32_t> members, left; // of the star; of its rows those that stay
			for (std::uint32_t row = 0; row < n; ++row)
				if (stars[row] == centre)
					members.push_back(row);
			if (members.empty() || members.size() <= max_size) {
				for (const std::uint32_t row : members)
					CHECK_EQ(cut[row], centre, round, row);
				continue;
			}
			std::set<std::uint32_t> free(members.begin(), members.end());
			while (!free.empty()) {
				const std::uint32_t own = *free.begin();
				free.erase(free.begin());
				std::vector<std::uint32_t> similar;
				for (const std::uint32_t row : free)
					if (rows.is_similar(own, row))
						similar.push_back(row);
				std::stable_sort(similar.begin(), similar.end(),
					[&](std::uint32_t x, std::uint32_t y) { return rows.at(own, x) > rows.at(own, y); });
				if (similar.size() >= max_size) {
					const double first_of_others = rows.at(own, similar[max_size - 1]);
					std::erase_if(similar, [&](std::uint32_t row) {
						return rows.at(own, row) <= first_of_others && rows.at(own, row) < 1;
					});
				}
				CHECK_EQ(cut[own], own, round);
				for (const std::uint32_t row : similar) {
					CHECK_EQ(cut[row], own, round, row);
					free.erase(row);
				}
				CHECK_EQ(similar.empty() ? std::isnan(formed[own]) : formed[own] == rows.at(own, similar.back()), true, round);
			}
		}
	}
}

TEST(nested_components_are_those_of_each_threshold)
{
	std::mt19937 random(4);
	CountingHost host;
	SerialExecutor serial(host);
	for (int round = 0; round < 50; ++round) {
		const std::uint32_t n = 1 + random() % 40;
		GivenRows rows = random_rows(random, n, 3 + random() % 20);
		const double thresholds[] = {0.9, 0.7, 0.5};
		const NestedComponents nested = nested_components(host, rows, n, thresholds);
		for (int i = 0; i < 3; ++i) {
			GivenRows own = rows;
			GivenRows at(n, thresholds[i]);
			for (std::uint32_t a = 0; a < n; ++a)
				for (std::uint32_t b = 0; b < a; ++b)
					at.at(a, b) = own.at(a, b) + 1e-9;
			const auto expected = connect(host, serial, at, n);
			CHECK_EQ(std::equal(expected.begin(), expected.end(), nested.labels[i].begin()), true, round, i);
		}
	}
}

namespace {

using removal::Decision, removal::Deduplication;

// Gives the texts, and takes the decisions.
class GivenTexts final : public removal::Host {
public:
	explicit GivenTexts(std::vector<std::string> texts = {}) : texts_(std::move(texts)) {}

	bool has_texts() const override { return !texts_.empty(); }
	removal::RowText text(std::uint32_t rank, unsigned place, unsigned) override
	{
		compared += place;
		return {texts_[rank], texts_[rank] == "-"};
	}
	void compute(unsigned, void (*fn)(void *), void *data) override { fn(data); }
	StopToken stop() const override { return {}; }
	void put(const Decision &decision) override
	{
		CHECK_EQ(decisions.emplace(decision.row, decision).second, true); // once
	}

	std::map<std::uint32_t, Decision> decisions;
	std::uint64_t compared = 0; // kept texts that were asked for

private:
	std::vector<std::string> texts_;
};

removal::Counts deduplicate(
	GivenRows &rows, GivenTexts &texts, const PairOptions &options, Given given = {}, std::size_t memory = 1 << 20)
{
	CountingHost host;
	SerialExecutor serial(host);
	const DecidedPairs pairs = given.pairs();
	Deduplication own(host, serial, rows, texts, options, pairs, rows.size(), memory);
	const std::span<std::uint32_t> labels = connect(host, serial, rows, rows.size());
	unite_together(pairs, labels);
	own.run(labels);
	return own.counts();
}

// Each row with the kept row that removes it.
std::map<std::uint32_t, std::uint32_t> removed_rows(const GivenTexts &texts)
{
	std::map<std::uint32_t, std::uint32_t> found;
	for (const auto &[row, decision] : texts.decisions)
		if (decision.pair.outcome == removal::removed)
			found[row] = decision.kept;
	return found;
}

} // namespace

TEST(rows_are_removed_for_the_first_kept_row)
{
	std::mt19937 random(5);
	for (int round = 0; round < 200; ++round) {
		const std::uint32_t n = 1 + random() % (round % 5 == 0 ? 200 : 40);
		GivenRows rows = random_rows(random, n, 2 + random() % 60);
		if (round % 2 == 0) { // each similar pair has the key of the smaller row, others keys of their own
			rows.row_keys.resize(n);
			for (std::uint32_t a = 0; a < n; ++a)
				for (std::uint32_t b = 0; b < n; ++b)
					rows.row_keys[a].push_back(rows.is_similar(a, b) || a == b ? std::min(a, b) * n + std::max(a, b) : n * n + a);
			if (n > JoinedRows::max_keys)
				continue;
		}
		const Given given = random_pairs(random, n, round % 3 == 0 ? random() % 20 : 0);
		GivenTexts texts;
		deduplicate(rows, texts, {}, given);

		std::map<std::uint32_t, std::uint32_t> expected;
		const Labels units = units_of(given, n);
		Labels kept_of(n, no_element);
		std::vector<std::uint32_t> kept;
		for (std::uint32_t row = 0; row < n; ++row) {
			std::uint32_t found = row;
			if (units[row] != row)
				found = kept_of[units[row]];
			else
				for (const std::uint32_t other : kept) {
					const bool is_apart = std::any_of(given.apart.begin(), given.apart.end(), [&](const RankPair &pair) {
						return (units[pair.a] == row && kept_of[units[pair.b]] == other) ||
							(units[pair.b] == row && kept_of[units[pair.a]] == other);
					});
					if (!is_apart && rows.is_similar(row, other)) {
						found = other;
						break;
					}
				}
			kept_of[row] = found;
			if (found != row)
				expected[row] = found;
			else if (units[row] == row)
				kept.push_back(row);
		}
		CHECK_EQ(removed_rows(texts) == expected, true, round);
	}
}

// A thousand rows that guards keep share every key with the first and the last one, whose texts are equal.
TEST(equal_texts_go_however_many_rows_are_similar)
{
	constexpr std::uint32_t n = 1002;
	for (const bool has_texts : {true, false}) {
		GivenRows rows(n, 0.5);
		std::vector<std::string> texts(n);
		rows.row_keys.resize(n);
		for (std::uint32_t a = 0; a < n; ++a) {
			for (std::uint32_t b = 0; b < a; ++b)
				rows.at(a, b) = has_texts ? 0.9 : 0.1;
			const std::uint32_t name = a == n - 1 ? 0 : a;
			texts[a] = "topic" + std::to_string(name) + " is what this file says something about";
			rows.row_keys[a] = {1, 2, 100 + name};
		}
		rows.at(0, n - 1) = 1;
		GivenTexts own(has_texts ? texts : std::vector<std::string>());
		PairOptions options;
		std::string_view unknown;
		if (has_texts)
			options.guards = *Guards::parse("number,name,two_sided,repeated", unknown);
		std::vector<std::uint32_t> all_one(n);
		const removal::Counts counts = [&] {
			if (has_texts)
				return deduplicate(rows, own, options);
			Given given;
			for (std::uint32_t row = 1; row < n; ++row) // so that all are one component, in which few are similar
				rows.at(row - 1, row) = 0.1;
			CountingHost host;
			SerialExecutor serial(host);
			const DecidedPairs none{};
			Deduplication run(host, serial, rows, own, options, none, n, 1 << 20);
			run.run(all_one);
			return run.counts();
		}();
		CHECK_EQ(own.decisions.contains(n - 1), true, has_texts);
		CHECK_EQ(removed_rows(own).contains(n - 1), true, has_texts);
		CHECK_EQ(own.decisions[n - 1].kept, 0u, has_texts);
		CHECK_EQ(counts.left_out, true, has_texts);
		CHECK_EQ(counts.by_reason[has_texts ? removal::equal_text : removal::equal_fingerprint], 1u, has_texts);
	}
}

namespace {

// Rows of one template, all similar, none of which can go; some keys are of all, some of a third of them.
GivenRows template_rows(std::uint32_t n, bool has_keys, std::vector<std::string> &texts)
{
	GivenRows rows(n, 0.5);
	for (std::uint32_t a = 0; a < n; ++a) {
		for (std::uint32_t b = 0; b < a; ++b)
			rows.at(a, b) = 0.8;
		texts.push_back("Room " + std::to_string(a) + " is free today.");
		if (has_keys)
			rows.row_keys.push_back({1, 2, 100 + a % 3, 1000 + a});
	}
	return rows;
}

} // namespace

// 037_growth measures it on servers.
TEST(rows_of_one_template_are_compared_in_linear_time)
{
	PairOptions options;
	std::string_view unknown;
	options.guards = *Guards::parse("strict", unknown);
	for (const bool has_keys : {false, true}) {
		std::vector<std::uint64_t> compared;
		for (const std::uint32_t n : {300u, 1200u}) {
			std::vector<std::string> texts;
			GivenRows rows = template_rows(n, has_keys, texts);
			GivenTexts own(texts);
			const removal::Counts counts = deduplicate(rows, own, options);
			CHECK_EQ(counts.by_outcome[removal::removed], 0u, n);
			CHECK_EQ(counts.by_outcome[removal::review], n - 1, n);
			CHECK_EQ(counts.left_out, true, n);
			CHECK_EQ(own.decisions[n - 1].pair.signals[static_cast<std::size_t>(Signal::neighbours)], n - 1.0, n);
			compared.push_back(own.compared);
		}
		CHECK_EQ(compared[1] <= 5 * compared[0], true, has_keys, compared[0], compared[1]);
	}
}

// Beyond the first rows, the most similar ones are compared, and equal texts first of all.
TEST(a_row_goes_for_one_of_many_similar_rows)
{
	constexpr std::uint32_t n = 602;
	PairOptions options;
	std::string_view unknown;
	options.guards = *Guards::parse("strict", unknown);
	for (const bool has_keys : {false, true}) {
		std::vector<std::string> texts;
		GivenRows rows = template_rows(n, has_keys, texts);
		texts[n - 2] = "Room 400 is  free today."; // the words of row 400, which is the most similar one
		texts[n - 1] = "Room 300 is free today.";  // the text of row 300, which is as similar as any
		rows.at(400, n - 2) = 0.9;
		if (has_keys)
			rows.row_keys[n - 2][3] = 1400;
		GivenTexts own(texts);
		deduplicate(rows, own, options);
		const std::map<std::uint32_t, std::uint32_t> expected = {{n - 2, 400}, {n - 1, 300}};
		CHECK_EQ(removed_rows(own) == expected, true, has_keys, removed_rows(own).size());
	}
}

// With a table of few rows the rest is decided about in more passes; the result is the same.
TEST(passes_over_a_component)
{
	std::mt19937 random(6);
	constexpr std::uint32_t n = 200;
	GivenRows rows = random_rows(random, n, 40);
	rows.row_keys.resize(n);
	for (std::uint32_t a = 0; a < n; ++a)
		for (std::uint32_t b = 0; b < n; ++b)
			rows.row_keys[a].push_back(rows.is_similar(a, b) || a == b ? std::min(a, b) * n + std::max(a, b) : n * n + a);
	GivenTexts one, many;
	deduplicate(rows, one, {}, {}, 1 << 24);
	deduplicate(rows, many, {}, {}, 0); // 4,096 keys, those of 20 rows
	CHECK_EQ(removed_rows(one) == removed_rows(many), true);
	CHECK_EQ(removed_rows(one).size() > 50, true);
}

TEST(what_is_compared_and_judged)
{
	GivenRows rows(6, 0.5);
	for (std::uint32_t a = 0; a < 6; ++a)
		for (std::uint32_t b = 0; b < a; ++b)
			rows.at(a, b) = 0.9;
	const std::vector<std::string> texts = {"the price of this house is 100", "the price of this house is 100",
		"the price of this house is 200", "the price of this house is 100 %", "", "-"};
	PairOptions options;
	std::string_view unknown;
	options.verify = removal::Verify::jaccard;
	options.least = 0.5;
	options.guards = *Guards::parse("number,symbol", unknown);
	GivenTexts own(texts);
	const removal::Counts counts = deduplicate(rows, own, options);
	const auto is = [&](std::uint32_t row, removal::Outcome outcome, std::string_view reason) {
		CHECK_EQ(own.decisions.contains(row), true, row);
		CHECK_EQ(own.decisions[row].pair.outcome == outcome, true, row);
		CHECK_EQ(own.decisions[row].pair.reason_name(), reason, row);
	};
	is(1, removal::removed, "equal_text");
	is(2, removal::review, "number");
	is(3, removal::review, "symbol");
	CHECK_EQ(own.decisions.size(), 3u);
	CHECK_EQ(counts.by_outcome[removal::review], 2u);
	CHECK_EQ(counts.refused > 0, true); // the empty text, and NULL
	options = {};
	GivenTexts unverified(texts);
	deduplicate(rows, unverified, options);
	CHECK_EQ(unverified.decisions.size(), 5u); // NULL, too
	options.verify = removal::Verify::lossless;
	GivenTexts lossless({"The house has a garden. Its price is 100 euros.", "Its price is 100 euros.",
		"Its price is 200 euros.", "The house has a garden. Its price is 100 euros.", "-", "The house has a garden."});
	deduplicate(rows, lossless, options);
	CHECK_EQ(lossless.decisions.contains(2), false);
	CHECK_EQ(lossless.decisions.contains(4), false);
	for (const auto &[row, reason] : {std::pair(1u, "lossless"), std::pair(3u, "equal_text"), std::pair(5u, "lossless")}) {
		CHECK_EQ(lossless.decisions.contains(row), true, row);
		CHECK_EQ(lossless.decisions[row].pair.reason_name(), std::string_view(reason), row);
	}
}
