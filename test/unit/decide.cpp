#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/splitmix.hpp"
#include "core/decide/guards.hpp"
#include "core/decide/intervals.hpp"
#include "core/decide/pair_decision.hpp"
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
		labels.push_back({right, random_signals(random, right), i});
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

// An interval of 95 % covers the true share in 95 to 99 of 100 samples, averaged over shares and sizes: with 15 to 54
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
					std::count(population.begin(), population.begin() + static_cast<std::ptrdiff_t>(labels), true)),
				static_cast<double>(labels)};
		}
		const Estimate estimate = stratified_share(strata, 0.95, by_length(2000, 800));
		covered[has_few] += estimate.low <= right / rows && right / rows <= estimate.high;
		all += has_few;
	}
	const int both = covered[0] + covered[1];
	CHECK_EQ(both >= 2 * all * 95 / 100 && both <= 2 * all * 99 / 100, true, both, all);
	for (const int n : covered)
		CHECK_EQ(n >= all * 0.945 && n <= all * 0.995, true, n, all);
	const Stratum complete[] = {{10, 10, 7, 10}, {20, 20, 20, 20}};
	const Estimate known = stratified_share(complete);
	CHECK_EQ(near(known.low, 0.9, 1e-12) && near(known.high, 0.9, 1e-12), true);
}

// Also where few removals are wrong, in all strata alike, in the lowest tenth alone, or more of them below.
TEST(stratified_intervals_cover_few_wrong_ones)
{
	SplitMix64 random(2);
	constexpr std::uint64_t rows[] = {10'000, 15'000, 25'000, 50'000};
	for (const std::uint64_t labels : {10u, 25u})
		for (const double wrong : {0.005, 0.02, 0.05})
			for (const double weight : {1.0, 2.0, 1e9}) { // of a stratum against the next higher one
				double shares[4], sum = 0, factor = 1;
				for (int i = 4; i-- > 0; factor *= weight) {
					shares[i] = factor;
					sum += factor * static_cast<double>(rows[i]) / 100'000;
				}
				std::uint64_t covered = 0;
				const std::size_t rounds = by_length(600, 80);
				for (std::size_t round = 0; round < rounds; ++round) {
					Stratum strata[4];
					double right = 0;
					for (int i = 0; i < 4; ++i) {
						const double share = std::min(0.9, shares[i] / sum * wrong);
						strata[i] = {rows[i], labels, 0, static_cast<double>(labels)};
						for (std::uint64_t j = 0; j < labels; ++j)
							strata[i].right += uniform(random) >= share;
						right += (1 - share) * static_cast<double>(rows[i]) / 100'000;
					}
					const Estimate estimate = stratified_share(strata, 0.95, by_length(2000, 400));
					covered += estimate.low <= right && right <= estimate.high;
				}
				CHECK_EQ(covered * 100 >= rounds * 90, true, covered, labels, wrong, weight);
			}
}

TEST(labels_of_one_group_tell_less)
{
	const std::uint64_t one[] = {7}, alone[] = {1, 1, 1}, mixed[] = {3, 1};
	CHECK_EQ(independent_labels({}), 0);
	CHECK_EQ(independent_labels(one), 1);
	CHECK_EQ(independent_labels(alone), 3);
	CHECK_EQ(independent_labels(mixed), 1.6);
	const Observed observed{20, 15, 30, 10};
	const Interval few = binomial_interval(7, 10), many = binomial_interval(8, 10);
	CHECK_EQ(observed.precision_interval().low == few.low && observed.precision_interval().high == many.high, true);
	CHECK_EQ(observed.recall_interval().low, binomial_interval(7, 15).low);
}

namespace {

// Groups of one to eight labels. What is right is a matter of the group more than of the signals, and other signals
// tell the group, so that who has seen a group knows the rest of it.
std::vector<Label> grouped_labels(std::size_t groups, std::uint64_t first, SplitMix64 &random)
{
	std::vector<Label> labels;
	for (std::size_t i = 0; i < groups; ++i) {
		const double quality = uniform(random);
		Label label{};
		for (std::size_t signal = 0; signal < 8; ++signal)
			label.signals[signal] = static_cast<double>(random.below(50));
		for (std::uint64_t n = 1 + random.below(8); n > 0; --n) {
			label.signals[static_cast<std::size_t>(Signal::edits)] = std::round(10 * quality + 4 * uniform(random));
			label.right = uniform(random) < (quality > 0.4 ? 0.9 : 0.1);
			label.group = first + i;
			labels.push_back(label);
		}
	}
	return labels;
}

} // namespace

// Cut-offs for new texts keep their interval on other groups.
TEST(what_rules_promise_for_new_groups)
{
	SplitMix64 random(7);
	const int divisions = static_cast<int>(by_length(40, 15));
	int covered = 0, promised = 0;
	double optimism[2] = {};
	for (int i = 0; i < divisions; ++i) {
		const std::vector<Label> labels = grouped_labels(120, 0, random), others = grouped_labels(400, 1000, random);
		const LearnedRule learned = learn_and_validate(labels, static_cast<std::uint64_t>(i), true);
		for (const CutOff &cut : learned.cut_offs) {
			if (cut.precision != 0.8)
				continue;
			double right = 0, removed = 0;
			for (const Label &label : others)
				if (learned.rule.score(label.signals) >= cut.remove_from) {
					removed += 1;
					right += label.right;
				}
			if (removed == 0)
				continue;
			++promised;
			const Interval interval = cut.fresh.precision_interval();
			covered += interval.low <= right / removed && right / removed <= interval.high;
			optimism[0] += cut.similar.precision() - right / removed;
			optimism[1] += cut.fresh.precision() - right / removed;
		}
	}
	CHECK_EQ(promised >= divisions * 3 / 4, true, promised);
	CHECK_EQ(covered * 10 >= promised * 9, true, covered, promised);
	CHECK_EQ(optimism[1] / promised < 0.02, true, optimism[0] / promised, optimism[1] / promised);
}

TEST(groups_may_leave_nothing_to_learn_from)
{
	SplitMix64 random(3);
	std::vector<Label> labels = random_labels(100, 5);
	for (Label &label : labels)
		label.group = label.right ? label.group : 1000;
	bool refused = false;
	try {
		(void) learn_and_validate(labels, 0, true);
	} catch (const Error &error) {
		refused = error.kind() == ErrorKind::invalid_parameter;
	}
	CHECK_EQ(refused, true);
}

TEST(rules_separate_what_differs)
{
	for (const std::size_t n : {std::size_t{100}, std::size_t{400}, by_length(2000, 1100)}) {
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

// Every thousand labels of a round, before every tree, and while the penalty is chosen (three folds, five penalties)
TEST(learning_can_be_cancelled)
{
	const std::size_t half = by_length(3000, 1100);
	const auto trees = [](std::size_t n) { return static_cast<unsigned>(std::min<std::size_t>(2 * n, 200)); };
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
	constexpr unsigned most_choosing = 3 * 5 * 30;
	const unsigned few = polls_of(10) - trees(10), some = polls_of(half), many = polls_of(2 * half);
	CHECK_EQ(few >= 1 && few <= most_choosing + 30, true, few);
	CHECK_EQ(
		some >= trees(half) + polls_per_round(half) && some <= trees(half) + polls_per_round(half) * 30 + most_choosing, true, some);
	CHECK_EQ(many >= trees(2 * half) + polls_per_round(2 * half) &&
			many <= trees(2 * half) + polls_per_round(2 * half) * 30 + most_choosing,
		true, some, many);
}

// Signals that say nothing, and signals that do not vary.
TEST(rules_of_nothing)
{
	std::vector<Label> labels(100);
	for (std::size_t i = 0; i < labels.size(); ++i) {
		labels[i].right = i % 2 == 0;
		labels[i].group = i;
	}
	const LearnedRule learned = learn_and_validate(labels, 0, true);
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
		std::vector<ScoredLabel> scored(20 + random.below(100));
		for (ScoredLabel &label : scored) {
			label.score = static_cast<double>(random.below(30)) / 30;
			label.right = uniform(random) < label.score;
		}
		CutOff cut;
		const bool found = find_cut_off(scored, precision, cut);
		double best = 2;
		for (const ScoredLabel &at : scored) {
			double above = 0, right = 0;
			for (const ScoredLabel &other : scored) {
				above += other.score >= at.score;
				right += other.score >= at.score && other.right;
			}
			if (at.right && right / (above + 1) >= precision)
				best = std::min(best, at.score);
		}
		CHECK_EQ(found, best < 2);
		if (!found)
			continue;
		double below_best = -1; // the next score
		for (const ScoredLabel &other : scored)
			below_best = other.score < best ? std::max(below_best, other.score) : below_best;
		CHECK_EQ(near(cut.remove_from, below_best < 0 ? best : (best + below_best) / 2, 1e-12), true, cut.remove_from, best);
		CHECK_EQ(cut.keep_below <= cut.remove_from, true);
		double below = 0; // the greatest score with few right ones below it, between two that occur
		for (const ScoredLabel &at : scored) {
			double n = 0, right = 0, next = -1;
			for (const ScoredLabel &other : scored) {
				n += other.score < at.score;
				right += other.score < at.score && other.right;
				next = other.score < at.score ? std::max(next, other.score) : next;
			}
			if (at.score <= best && right + 1 <= (1 - precision) * (n + 1))
				below = std::max(below, std::min((at.score + next) / 2, cut.remove_from));
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
	const Given given[] = {{"symbol", {{Signal::symbols, 1}}, true}, {"symbol", {}, false},
		{"number", {{Signal::changed_numbers, 1}}, true}, {"number", {{Signal::numbers_both, 1}}, true},
		{"number", {{Signal::numbers_removed, 1}}, false}, {"name", {{Signal::changed_names, 1}}, true},
		{"name", {{Signal::names_both, 1}}, true}, {"name", {{Signal::names_kept, 1}}, false},
		{"repeated", {{Signal::repeated, 1}}, true}, {"repeated", {}, false},
		{"two_sided", {{Signal::new_both, 2}}, true}, {"two_sided", {{Signal::new_both, 1}}, false},
		{"two_sided", {{Signal::changed_removed, 1}}, false}, {"two_sided", {{Signal::changed_kept, 1}}, false},
		{"two_sided", {{Signal::changed_removed, 1}, {Signal::changed_kept, 1}}, true},
		{"scope", {{Signal::scope, 1}}, true}, {"scope", {}, false},
		{"first_line", {{Signal::first_line_removed, 1}}, false}, {"first_line", {{Signal::first_line_kept, 1}}, false},
		{"statement", {}, true}, {"statement", {{Signal::whole, 1}}, false}, {"strict", {}, true},
		{"strict", {{Signal::whole, 1}, {Signal::scope, 1}}, false}, {"balanced", {{Signal::scope, 1}}, true},
		{"balanced", {{Signal::numbers_both, 1}}, false}, {"balanced, number", {{Signal::numbers_both, 1}}, true},
		{"neighbours", {{Signal::neighbours, many_neighbours + 1}}, false},
		{"neighbours", {{Signal::neighbours, many_neighbours + 1}, {Signal::scope, 1}}, true},
		{"neighbours", {{Signal::kept_neighbours, many_neighbours + 1}, {Signal::numbers_removed, 1}}, true},
		{"neighbours", {{Signal::kept_neighbours, many_neighbours + 1}, {Signal::numbers_kept, 1}}, true},
		{"neighbours", {{Signal::kept_neighbours, many_neighbours + 1}, {Signal::changed_numbers, 1}}, true},
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
	CHECK_EQ(veto("symbol", "It is big.", "It is big. It costs 5 \u20AC."), "");
	CHECK_EQ(veto("symbol", "take 1/2 now", "take 1-2 now"), "symbol");
	CHECK_EQ(veto("number", "version 5.1 of it", "version 5.4 of it"), "number");
	CHECK_EQ(veto("number", "version 5.1 of it", "version of it"), "number");
	CHECK_EQ(veto("number", "It is big.", "It is big. There are 5 of them."), "");
	CHECK_EQ(veto("number", "Configure IPv6 access lists. The rest.", "Configure access lists. The rest."), "number");
	CHECK_EQ(veto("number", "Take 5 mg in the morning and 10 mg in the evening.",
				 "Take 10 mg in the morning and 5 mg in the evening."),
		"number");
	CHECK_EQ(veto("name", "a dictionary for Welsh", "a dictionary for Arabic"), "name");
	CHECK_EQ(veto("repeated", "red cars and red bikes", "blue cars and blue bikes"), "repeated");
	CHECK_EQ(veto("strict", "We like the colour of it.", "Well. We like the color of it. Really."), "");
	CHECK_EQ(veto("strict", "We like the colour of it.", "We like the colour of them."), "statement");
	CHECK_EQ(veto("two_sided", "red cars", "blue cars"), "two_sided");
	CHECK_EQ(veto("two_sided", "red cars", "big red cars"), "");
	CHECK_EQ(veto("two_sided", "the dog saw a cat", "the cat saw a dog"), "two_sided");
	CHECK_EQ(veto("two_sided", "all informations", "all information"), "");
	CHECK_EQ(veto("two_sided", "use version 12 of it", "use version 13 of it"), "");
	CHECK_EQ(veto("two_sided", "use wxWidgets 3.2 for it", "use wxWidgets 3.0 for it"), "");
	CHECK_EQ(veto("two_sided", "a default (currently 1.74)", "a default (currently 1.92)"), "");
	CHECK_EQ(veto("two_sided", "use libfoo5 for it", "use libfoo6 for it"), "");
	CHECK_EQ(veto("two_sided", "use 12 kg of it", "use 13 kg of it"), "two_sided");
	CHECK_EQ(veto("two_sided", "use 2.5 kg of it", "use 3.5 kg of it"), "two_sided");
	CHECK_EQ(veto("two_sided", "it costs EUR 3.50 now", "it costs EUR 3.60 now"), "two_sided");
	CHECK_EQ(veto("two_sided", "on Monday 14.03.2024 at ten", "on Monday 17.03.2024 at ten"), "two_sided");
	CHECK_EQ(veto("two_sided", "it begins on March 14", "it begins on March 17"), "two_sided");
	CHECK_EQ(veto("two_sided", "We sell red cars. Come soon.", "We sell red cars. Ask us for bikes."), "two_sided");
	std::string words;
	for (int i = 0; i < 200; ++i)
		words += " w" + std::to_string(i);
	CHECK_EQ(veto("two_sided", "Deletes" + words, "Gets" + words), "two_sided");
	CHECK_EQ(veto("scope", "you may copy", "you may not copy"), "scope");
	CHECK_EQ(veto("scope", "You may copy.", "You may copy. It is not hard."), "");
	for (const auto &[a, b] :
		std::initializer_list<std::pair<const char *, const char *>>{{"it is safe", "it isn't safe"},
			{"it is safe", "it isn\u2019t safe"}, {"you can go", "you can't go"}, {"you can go", "you cannot go"},
			{"do call", "don't call"}, {"er hat einen Verdacht", "er hat keinen Verdacht"},
			{"sie raucht", "sie raucht nie"}, {"somebody came", "nobody came"}, {"she eats bread", "she eats nothing"},
			{"toma alcohol", "tampoco toma alcohol"}, {"queda algún puesto", "no queda ningún puesto"},
			{"il y a un risque", "il n'y a aucun risque"}, {"resta un posto", "non resta nessun posto"},
			{"hij heeft een kind", "hij heeft geen kind"}, {"ma rachunek", "nie ma żadnego rachunku"},
			{"дверь безопасна", "дверь небезопасна"}, {"usta dün geldi", "usta dün gelmedi"},
			{"孩子可以进来", "孩子不可以进来"}, {"子どもは使えます", "子どもは使えません"},
			{"الباب آمن", "الباب غير آمن"}, {"दरवाज़ा खुला है", "दरवाज़ा खुला नहीं है"}, {"a woman can", "a woman can only"},
			{"the gate is safe", "the gate is unsafe"}})
		CHECK_EQ(veto("scope", a, b), "scope", b);
	CHECK_EQ(veto("first_line", "red\nthe rest of it", "blue\nthe rest of it"), "first_line");
	CHECK_EQ(veto("neighbours", "version 5.1 of it", "version 5.4 of it", 40), "neighbours");
	CHECK_EQ(veto("neighbours", "It is big.", "It is big. There are 5 of them.", 40), "neighbours");
	CHECK_EQ(veto("neighbours", "version 5.1 of it", "version 5.4 of it", 4), "");
	CHECK_EQ(veto(" symbol , number", "version 5.1 of it", "version 5.4 of it"), "number");
	std::string_view unknown;
	CHECK_EQ(Guards::parse("symbol, numbers", unknown).has_value(), false);
	CHECK_EQ(unknown, "numbers");
	CHECK_EQ(Guards::parse(",", unknown).has_value(), false);
	CHECK_EQ(Guards::parse("", unknown)->any(), false);
	CHECK_EQ(Guards::parse("  ", unknown)->any(), false);
}

// What decide_pair says: outcome and reason.
TEST(one_pair_is_decided)
{
	std::string_view unknown;
	PairOptions options;
	CHECK_EQ(options.needs_text() || options.uses_signals(), false);
	const auto decided = [&](std::string_view a, std::string_view b, double similarity = 0.9, double neighbours = -1) {
		const PairDecision decision = decide_pair(a, b, similarity, options, {}, neighbours);
		return std::string(
				   decision.outcome == removal::outcomes ? "refused" : removal::outcome_names[decision.outcome]) +
			" " + std::string(decision.reason_name());
	};
	CHECK_EQ(decided("a b c", "d e f"), "remove similarity");
	CHECK_EQ(decided("a b c", "d e f", 1), "remove equal_fingerprint");
	CHECK_EQ(decided("a b c", "a b c", 1), "remove equal_text");
	options.verify = *removal::parse_verify("jaccard");
	options.least = 0.6;
	CHECK_EQ(decided("a b c", "a b c d"), "remove jaccard");
	CHECK_EQ(decided("a b c", "a b d"), "refused jaccard");
	CHECK_EQ(decided("", "..."), "refused jaccard"); // neither has a token
	options.verify = *removal::parse_verify("containment");
	options.least = 1;
	CHECK_EQ(decided("a b c", "c d b a"), "remove containment");
	options.verify = *removal::parse_verify("lossless");
	CHECK_EQ(decided("One two.", "One two. Three."), "remove lossless");
	CHECK_EQ(decided("One two. Three.", "One two."), "refused lossless");
	options.guards = *Guards::parse("strict", unknown);
	CHECK_EQ(decided("One two.", "One two. Not 5."), "remove lossless");
	CHECK_EQ(decided("One two.", "one  two"), "remove equal_words");
	options.verify = removal::Verify::none;
	CHECK_EQ(decided("Two colours. One.", "Two colors. One. Three."), "remove similarity");
	CHECK_EQ(decided("One two.", "One three."), "review statement");
	CHECK_EQ(decided("One two.", "One two."), "remove equal_text");
	CHECK_EQ(decided("C", "C++"), "review statement");
	options.guards = *Guards::parse("", unknown);
	options.signals = true;
	CHECK_EQ(decided("C", "C++"), "remove symbols_differ");
	options.guards = *Guards::parse("neighbours", unknown);
	CHECK_EQ(decided("Take 5 of it.", "Take 6 of it.", 0.9, 40), "review neighbours");
	CHECK_EQ(decided("Take 5 of it.", "Take 6 of it.", 0.9, 4), "remove similarity");
	PairDecision later = decide_pair("Take 5 of it.", "Take 6 of it.", 0.9, options);
	CHECK_EQ(later.outcome, removal::removed);
	judge(later, 1, 40, options);
	CHECK_EQ(later.outcome, removal::review);
	// a rule: the more words, the worse
	Rule rule;
	rule.intercept = 2;
	rule.terms.push_back({Signal::new_both, Transform::log, 0, 1, -4});
	options = PairOptions();
	options.rule = &rule;
	options.remove_from = 0.8;
	options.keep_below = 0.2;
	CHECK_EQ(decided("a b c", "a b c d"), "remove similarity");
	CHECK_EQ(decided("a b c", "a b d"), "review rule");
	CHECK_EQ(decided("a b c", "d e f"), "keep rule");
	CHECK_EQ(decided("a b c", "a b c"), "remove equal_text");
	options.guards = *Guards::parse("two_sided", unknown);
	CHECK_EQ(decided("a b c", "a b d"), "review two_sided");
	CHECK_EQ(decided("a b c", "d e f"), "keep rule");
	CHECK_EQ(removal::parse_verify("md5").has_value(), false);
}
