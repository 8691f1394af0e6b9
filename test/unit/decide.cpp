#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/splitmix.hpp"
#include "core/decide/guards.hpp"
#include "core/decide/intervals.hpp"
#include "core/decide/rule.hpp"
#include "unit/check.hpp"
#include "unit/stop.hpp"

using namespace txtfp::core;
using namespace txtfp::test;

namespace {

double uniform(SplitMix64 &random) { return static_cast<double>(random() >> 11) * 0x1p-53; }

// The probability of exactly k of n, term by term.
double naive_tail(std::uint64_t k, std::uint64_t n, double p)
{
	double sum = 0;
	for (std::uint64_t i = k; i <= n; ++i) {
		double term = 1;
		for (std::uint64_t j = 1; j <= i; ++j)
			term *= static_cast<double>(n - i + j) / static_cast<double>(j) * p;
		sum += term * std::pow(1 - p, static_cast<double>(n - i));
	}
	return sum;
}

bool near(double a, double b, double tolerance) { return std::abs(a - b) <= tolerance; }

Signals random_signals(SplitMix64 &random, bool right)
{
	Signals signals{};
	for (double &signal : signals)
		signal = static_cast<double>(random.below(6));
	const auto set = [&](Signal signal, double value) { signals[static_cast<std::size_t>(signal)] = value; };
	set(Signal::new_both, static_cast<double>(random.below(right ? 3 : 6)));
	set(Signal::neighbours, static_cast<double>(random.below(right ? 10 : 40)));
	return signals;
}

std::vector<Label> random_labels(std::size_t n, std::uint64_t seed)
{
	SplitMix64 random(seed);
	std::vector<Label> labels;
	for (std::size_t i = 0; i < n; ++i) {
		const bool right = random.below(2) == 0;
		labels.push_back({right, random_signals(random, right)});
	}
	return labels;
}

} // namespace

TEST(binomial_intervals_are_exact)
{
	for (std::uint64_t n = 1; n <= 40; ++n)
		for (std::uint64_t k = 0; k <= n; ++k) {
			const auto [low, high] = binomial_interval(k, n);
			CHECK_EQ(low <= static_cast<double>(k) / static_cast<double>(n) &&
					static_cast<double>(k) / static_cast<double>(n) <= high,
				true);
			CHECK_EQ(k == 0 ? low == 0 : near(naive_tail(k, n, low), 0.025, 1e-9), true, k, n);
			CHECK_EQ(k == n ? high == 1 : near(1 - naive_tail(k + 1, n, high), 0.025, 1e-9), true, k, n);
		}
	// Nothing but the whole is certain.
	const Interval certain = binomial_interval(4, 5, 1 - 0x1p-53);
	CHECK_EQ(certain.low < 0.001 && certain.high > 0.999, true, certain.low, certain.high);
	const auto [low, high] = binomial_interval(900, 1000);
	CHECK_EQ(near(low, 0.8797, 0.0005) && near(high, 0.9179, 0.0005), true, low, high);
}

// An interval of 95 % covers the true share in 94 to 97 of 100 samples, averaged over shares and sizes: with 15 to 54
// labels in each of four strata, and with 5 to 14.
TEST(stratified_intervals_cover)
{
	SplitMix64 random(1);
	int covered[2] = {}, all = 0;
	for (std::size_t round = 0; round < by_length(2000, 700); ++round) {
		const bool has_few = round % 2 != 0;
		Stratum strata[4];
		double right = 0, rows = 0;
		double shares[] = {0.3 + 0.6 * uniform(random), 0.5 + 0.45 * uniform(random), 0.7 + 0.28 * uniform(random),
			0.8 + 0.18 * uniform(random)};
		for (int i = 0; i < 4; ++i) {
			const std::uint64_t n = 100 + random.below(2000),
								labels = has_few ? 5 + random.below(10) : 15 + random.below(40);
			std::vector<bool> population(n);
			for (std::size_t j = 0; j < n; ++j) {
				population[j] = uniform(random) < shares[i];
				right += population[j];
			}
			rows += static_cast<double>(n);
			// The order is random already.
			strata[i] = {n, labels,
				static_cast<std::uint64_t>(
					std::count(population.begin(), population.begin() + static_cast<std::ptrdiff_t>(labels), true))};
		}
		const Estimate estimate = stratified_share(strata, 0.95, by_length(2000, 800));
		covered[has_few] += estimate.low <= right / rows && right / rows <= estimate.high;
		all += has_few;
	}
	const int both = covered[0] + covered[1];
	CHECK_EQ(both >= 2 * all * 94 / 100 && both <= 2 * all * 97 / 100, true, both, all);
	for (const int n : covered)
		CHECK_EQ(n >= all * 0.94 && n <= all * 0.975, true, n, all);
	const Stratum complete[] = {{10, 10, 7}, {20, 20, 20}};
	const Estimate known = stratified_share(complete);
	CHECK_EQ(near(known.low, 0.9, 1e-12) && near(known.high, 0.9, 1e-12), true);
}

TEST(rules_separate_what_differs)
{
	for (const std::size_t n : {100u, 400u, 2000u}) {
		const std::vector<Label> labels = random_labels(n, 3), others = random_labels(2000, 4);
		std::vector<const Label *> pointers;
		for (const Label &label : labels)
			pointers.push_back(&label);
		const Rule rule = learn(pointers);
		std::size_t agree = 0;
		for (const Label &label : others) {
			const double score = rule.score(label.signals);
			CHECK_EQ(score >= 0 && score <= 1, true);
			agree += (score > 0.5) == label.right;
		}
		CHECK_EQ(agree > 1400, true, n, agree);
		CHECK_EQ(rule.uses(Signal::neighbours), true);
		std::reverse(pointers.begin(), pointers.end());
		const Rule again = learn(pointers);
		for (const Label &label : others)
			CHECK_EQ(again.score(label.signals) == rule.score(label.signals), true);
	}
}

// Every thousand labels of a round, and before every tree
TEST(learning_can_be_cancelled)
{
	const std::size_t half = by_length(3000, 1500);
	const auto trees = [](std::size_t n) { return static_cast<unsigned>(std::min<std::size_t>(n / 20, 150)); };
	const auto polls_per_round = [](std::size_t n) { return static_cast<unsigned>((n + 1023) / 1024); };
	const std::vector<Label> labels = random_labels(2 * half, 3);
	const auto polls_of = [&](std::size_t n) {
		std::vector<const Label *> pointers;
		for (std::size_t i = 0; i < n; ++i)
			pointers.push_back(&labels[i]);
		CHECK_EQ(is_cancelled([&] { learn(pointers, stop_at_once); }), true, n);
		polls = 0;
		(void) learn(pointers, count_polls);
		return polls;
	};
	const unsigned few = polls_of(10), some = polls_of(half), many = polls_of(2 * half);
	CHECK_EQ(few >= 1 && few <= 30, true, few);
	CHECK_EQ(
		some >= trees(half) + polls_per_round(half) && some <= trees(half) + polls_per_round(half) * 30, true, some);
	CHECK_EQ(many >= some + polls_per_round(2 * half) - polls_per_round(half) &&
			many <= trees(2 * half) + polls_per_round(2 * half) * 30,
		true, some, many);
}

// Signals that say nothing, and signals that do not vary.
TEST(rules_of_nothing)
{
	std::vector<Label> labels(100);
	for (std::size_t i = 0; i < labels.size(); ++i)
		labels[i].right = i % 2 == 0;
	const LearnedRule learned = learn_and_validate(labels, 0);
	CHECK_EQ(near(learned.rule.score(labels[0].signals), 0.5, 0.01), true);
	for (const CutOff &cut : learned.cut_offs)
		CHECK_EQ(cut.precision <= 0.5, true);
}

TEST(rules_know_what_they_use)
{
	Rule rule;
	rule.terms = {{Signal::scope, {}, 0, 1, 0.5}, {Signal::symbols, {}, 0, 1, 0}};
	const TreeNode leaf{true, Signal::edits, 0.1, 0, 0};
	rule.trees = {{leaf}, {{false, Signal::repeated, 1, 1, 2}, leaf, leaf}};
	for (std::size_t i = 0; i < signal_count; ++i) {
		const auto signal = static_cast<Signal>(i);
		CHECK_EQ(rule.uses(signal), signal == Signal::scope || signal == Signal::repeated, i);
	}
}

TEST(cut_offs_are_those_of_the_definition)
{
	constexpr double precision = 0.8;
	SplitMix64 random(6);
	for (int round = 0; round < 300; ++round) {
		std::vector<std::pair<double, bool>> scored(20 + random.below(100));
		for (auto &[score, right] : scored) {
			score = static_cast<double>(random.below(30)) / 30;
			right = uniform(random) < score;
		}
		CutOff cut;
		const bool found = find_cut_off(scored, precision, cut);
		double best = 2;
		for (const auto &[score, unused] : scored) {
			std::size_t above = 0, right = 0;
			for (const auto &[other, is_right] : scored) {
				above += other >= score;
				right += other >= score && is_right;
			}
			if (above >= 5 && static_cast<double>(right) >= precision * static_cast<double>(above))
				best = std::min(best, score);
		}
		CHECK_EQ(found, best < 2);
		if (found)
			CHECK_EQ(cut.remove_from, best);
		CHECK_EQ(!found || cut.keep_below <= cut.remove_from, true);
		if (!found)
			continue;
		double below = 0; // the greatest score with few right ones below it, between two that occur
		for (const auto &[score, unused] : scored) {
			std::size_t n = 0, right = 0;
			double next = -1;
			for (const auto &[other, is_right] : scored) {
				n += other < score;
				right += other < score && is_right;
				next = other < score ? std::max(next, other) : next;
			}
			if (score <= cut.remove_from && static_cast<double>(n) >= std::floor(1 / (1 - precision) + 1e-9) &&
				static_cast<double>(right) <= (1 - precision) * static_cast<double>(n))
				below = std::max(below, std::min((score + next) / 2, cut.remove_from));
		}
		CHECK_EQ(near(cut.keep_below, below, 1e-12), true, cut.keep_below, below);
	}
}

// Each guard on both sides of each of its conditions.
TEST(guards_have_limits)
{
	struct Given {
		const char *guard;
		std::vector<std::pair<Signal, double>> signals;
		bool forbids;
	};
	const Given given[] = {{"symbol", {{Signal::edits, 1}, {Signal::symbols, 1}}, false},
		{"two_sided", {{Signal::new_both, 2}, {Signal::removed_words, short_text}}, true},
		{"two_sided", {{Signal::new_both, 1}, {Signal::removed_words, short_text}}, false},
		{"two_sided", {{Signal::new_both, 1}, {Signal::kept_words, short_text}}, false},
		{"two_sided", {{Signal::new_both, 1}, {Signal::kept_words, short_text - 1}}, true},
		{"first_line", {{Signal::first_line_removed, 1}}, false}, {"first_line", {{Signal::first_line_kept, 1}}, false},
		{"neighbours", {{Signal::neighbours, many_neighbours + 1}}, false},
		{"neighbours", {{Signal::neighbours, many_neighbours + 1}, {Signal::scope, 1}}, true},
		{"neighbours", {{Signal::kept_neighbours, many_neighbours + 1}, {Signal::numbers_both, 1}}, true},
		{"neighbours", {{Signal::neighbours, many_neighbours}, {Signal::scope, 1}}, false}};
	for (const auto &[guard, values, forbids] : given) {
		Signals signals{};
		for (const auto &[signal, value] : values)
			signals[static_cast<std::size_t>(signal)] = value;
		std::string_view unknown;
		CHECK_EQ(Guards::parse(guard, unknown)->veto(signals).has_value(), forbids, guard);
	}
}

TEST(guards_forbid_what_they_are_named_after)
{
	const auto veto = [](std::string_view guards, std::string_view a, std::string_view b, double neighbours = 0) {
		std::string_view unknown;
		Signals signals = difference_signals(a, b);
		signals[static_cast<std::size_t>(Signal::neighbours)] = neighbours;
		const auto guard = Guards::parse(guards, unknown)->veto(signals);
		return guard ? std::string(name(*guard)) : std::string();
	};
	CHECK_EQ(veto("symbol", "GCC for C", "GCC for C++"), "symbol");
	CHECK_EQ(veto("symbol", "GCC for C", "GCC for C"), "");
	CHECK_EQ(veto("number", "version 5.1 of it", "version 5.4 of it"), "number");
	CHECK_EQ(veto("number", "version 5.1 of it", "version of it"), "");
	CHECK_EQ(veto("name", "a dictionary for Welsh", "a dictionary for Arabic"), "name");
	CHECK_EQ(veto("repeated", "red cars and red bikes", "blue cars and blue bikes"), "repeated");
	CHECK_EQ(veto("two_sided", "red cars", "blue cars"), "two_sided");
	CHECK_EQ(veto("two_sided", "red cars", "big red cars"), "");
	CHECK_EQ(veto("scope", "you may copy", "you may not copy"), "scope");
	CHECK_EQ(veto("first_line", "red\nthe rest of it", "blue\nthe rest of it"), "first_line");
	CHECK_EQ(veto("neighbours", "version 5.1 of it", "version 5.4 of it", 40), "neighbours");
	CHECK_EQ(veto("neighbours", "version 5.1 of it", "version 5.4 of it", 4), "");
	CHECK_EQ(veto(" symbol , number", "version 5.1 of it", "version 5.4 of it"), "number");
	std::string_view unknown;
	CHECK_EQ(Guards::parse("symbol, numbers", unknown).has_value(), false);
	CHECK_EQ(unknown, "numbers");
	CHECK_EQ(Guards::parse(",", unknown).has_value(), false);
	CHECK_EQ(Guards::parse("", unknown)->any(), false);
	CHECK_EQ(Guards::parse("  ", unknown)->any(), false);
}
