#include "core/decide/rule.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "core/base/splitmix.hpp"

namespace txtfp::core {

namespace {

constexpr double ridge = 16;   // penalty: weight² · ridge / 2
constexpr double farthest = 4; // standard deviations
constexpr double learning_rate = 0.1;
constexpr double leaf_penalty = 1; // shrinks leaves of few labels
constexpr std::size_t most_trees = 150, labels_per_tree = 20, bins = 32;
constexpr double wished[] = {0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 0.98, 0.99};

double transformed(Transform transform, double x) noexcept
{
	switch (transform) {
	case Transform::any:
		return x > 0;
	case Transform::several:
		return x > 1;
	default:
		return std::log1p(std::max(x, 0.0));
	}
}

double standardized(const Term &term, const Signals &signals) noexcept
{
	const double x = transformed(term.transform, signals[static_cast<std::size_t>(term.signal)]);
	return std::clamp((x - term.center) / term.scale, -farthest, farthest);
}

double probability(double log_odds) noexcept { return 1 / (1 + std::exp(-log_odds)); }

double leaf_value(const Tree &tree, const Signals &signals) noexcept
{
	std::uint32_t at = 0;
	while (!tree[at].is_leaf)
		at = signals[static_cast<std::size_t>(tree[at].signal)] > tree[at].value ? tree[at].yes : tree[at].no;
	return tree[at].value;
}

using Labels = std::vector<const Label *>;

// Terms for the signals that vary, with weight 0.
std::vector<Term> make_terms(const Labels &labels)
{
	std::vector<Term> terms;
	const auto n = static_cast<double>(labels.size());
	for (std::size_t signal = 0; signal < signal_count; ++signal)
		for (unsigned transform = 0; transform < transforms; ++transform) {
			Term term{static_cast<Signal>(signal), static_cast<Transform>(transform), 0, 0, 0};
			double squares = 0;
			for (const Label *label : labels)
				term.center += transformed(term.transform, label->signals[signal]) / n;
			for (const Label *label : labels)
				squares += std::pow(transformed(term.transform, label->signals[signal]) - term.center, 2) / n;
			term.scale = std::sqrt(squares);
			if (term.scale > 1e-6)
				terms.push_back(term);
		}
	return terms;
}

// Solves the symmetric, positive definite system in place (A.-L. Cholesky).
void solve(std::vector<double> &matrix, std::vector<double> &vector)
{
	const std::size_t n = vector.size();
	const auto at = [&](std::size_t i, std::size_t j) -> double & { return matrix[i * n + j]; };
	for (std::size_t j = 0; j < n; ++j) {
		for (std::size_t i = j; i < n; ++i) {
			double sum = at(i, j);
			for (std::size_t k = 0; k < j; ++k)
				sum -= at(i, k) * at(j, k);
			at(i, j) = i == j ? std::sqrt(std::max(sum, 1e-12)) : sum / at(j, j);
		}
		for (std::size_t k = 0; k < j; ++k)
			vector[j] -= at(j, k) * vector[k];
		vector[j] /= at(j, j);
	}
	for (std::size_t j = n; j-- > 0;) {
		for (std::size_t k = j + 1; k < n; ++k)
			vector[j] -= at(k, j) * vector[k];
		vector[j] /= at(j, j);
	}
}

// Newton's method. The last weight is the intercept, which has no penalty to speak of.
void fit_terms(Rule &rule, const Labels &labels, StopToken stop)
{
	const std::size_t n = rule.terms.size() + 1;
	std::vector<float> rows; // standardized signals
	rows.reserve(labels.size() * n);
	for (const Label *label : labels) {
		for (const Term &term : rule.terms)
			rows.push_back(static_cast<float>(standardized(term, label->signals)));
		rows.push_back(1);
	}
	std::vector<double> weights(n), gradient(n), hessian(n * n);
	for (int round = 0; round < 30; ++round) {
		for (std::size_t i = 0; i < n; ++i)
			gradient[i] = -(i + 1 == n ? 1e-3 : ridge) * weights[i];
		std::fill(hessian.begin(), hessian.end(), 0);
		for (std::size_t i = 0; i < n; ++i)
			hessian[i * n + i] = i + 1 == n ? 1e-3 : ridge;
		for (std::size_t r = 0; r < labels.size(); ++r) {
			const float *row = rows.data() + r * n;
			double log_odds = 0;
			for (std::size_t i = 0; i < n; ++i)
				log_odds += weights[i] * row[i];
			const double p = probability(log_odds), rest = (labels[r]->right ? 1 : 0) - p, curve = p * (1 - p);
			for (std::size_t i = 0; i < n; ++i) {
				gradient[i] += rest * row[i];
				const double x = curve * row[i];
				for (std::size_t j = 0; j <= i; ++j)
					hessian[i * n + j] += x * row[j];
			}
			if ((r & 0x3FF) == 0)
				stop.check();
		}
		solve(hessian, gradient);
		double change = 0;
		for (std::size_t i = 0; i < n; ++i) {
			const double step = std::clamp(gradient[i], -2.0, 2.0);
			weights[i] += step;
			change = std::max(change, std::abs(step));
		}
		if (change < 1e-6)
			break;
	}
	for (std::size_t i = 0; i + 1 < n; ++i)
		rule.terms[i].weight = weights[i];
	rule.intercept = weights[n - 1];
}

class Booster {
public:
	Booster(Rule &rule, const Labels &labels, StopToken stop) : rule_(rule), labels_(labels), stop_(stop)
	{
		depth_ = labels.size() < 500 ? 2 : 3;
		least_ = std::max<std::size_t>(5, labels.size() / 1000);
		for (std::size_t signal = 0; signal < signal_count; ++signal)
			make_bins(signal);
		for (const Label *label : labels) {
			double log_odds = rule.intercept;
			for (const Term &term : rule.terms)
				log_odds += term.weight * standardized(term, label->signals);
			log_odds_.push_back(log_odds);
		}
		rest_.resize(labels.size());
		curve_.resize(labels.size());
	}

	void run()
	{
		const std::size_t trees = std::min(most_trees, labels_.size() / labels_per_tree);
		for (std::size_t i = 0; i < trees; ++i) {
			stop_.check();
			for (std::size_t r = 0; r < labels_.size(); ++r) {
				const double p = probability(log_odds_[r]);
				rest_[r] = (labels_[r]->right ? 1 : 0) - p;
				curve_[r] = std::max(p * (1 - p), 1e-6);
			}
			Tree tree;
			std::vector<std::uint32_t> all(labels_.size());
			std::iota(all.begin(), all.end(), 0);
			grow(tree, all, depth_);
			for (std::size_t r = 0; r < labels_.size(); ++r)
				log_odds_[r] += leaf_value(tree, labels_[r]->signals);
			rule_.trees.push_back(std::move(tree));
		}
	}

private:
	struct Sums {
		double rest = 0, curve = 0;
		std::size_t count = 0;

		void operator+=(const Sums &other) noexcept
		{
			rest += other.rest;
			curve += other.curve;
			count += other.count;
		}
		double gain() const noexcept { return rest * rest / (curve + leaf_penalty); }
	};

	// Cuts between the values of a signal, at most `bins` − 1 of about equal weight.
	void make_bins(std::size_t signal)
	{
		std::vector<double> values, &cuts = cuts_[signal];
		for (const Label *label : labels_)
			values.push_back(label->signals[signal]);
		std::sort(values.begin(), values.end());
		for (std::size_t i = 1; i < bins; ++i) {
			const double value = values[i * values.size() / bins];
			if (value < values.back() && (cuts.empty() || value > cuts.back())) {
				// In the middle between two values that occur.
				const double next = *std::upper_bound(values.begin(), values.end(), value),
							 cut = value + (next - value) / 2;
				cuts.push_back(cut);
			}
		}
		std::vector<std::uint8_t> &bin = bins_[signal];
		for (const Label *label : labels_)
			bin.push_back(static_cast<std::uint8_t>(
				std::lower_bound(cuts.begin(), cuts.end(), label->signals[signal]) - cuts.begin()));
	}

	std::uint32_t grow(Tree &tree, std::vector<std::uint32_t> &rows, unsigned depth)
	{
		Sums all;
		for (const std::uint32_t r : rows)
			all += Sums{rest_[r], curve_[r], 1};
		const auto node = static_cast<std::uint32_t>(tree.size());
		tree.push_back({true, {}, learning_rate * all.rest / (all.curve + leaf_penalty), 0, 0});
		if (depth == 0)
			return node;
		double best = 1e-6;
		std::size_t best_signal = signal_count, best_cut = 0;
		for (std::size_t signal = 0; signal < signal_count; ++signal) {
			if (cuts_[signal].empty())
				continue;
			Sums sums[bins], below;
			for (const std::uint32_t r : rows)
				sums[bins_[signal][r]] += {rest_[r], curve_[r], 1};
			for (std::size_t cut = 0; cut < cuts_[signal].size(); ++cut) {
				below += sums[cut];
				const Sums above{all.rest - below.rest, all.curve - below.curve, all.count - below.count};
				if (below.count < least_ || above.count < least_)
					continue;
				const double gain = below.gain() + above.gain() - all.gain();
				if (gain > best) {
					best = gain;
					best_signal = signal;
					best_cut = cut;
				}
			}
		}
		if (best_signal == signal_count)
			return node;
		std::vector<std::uint32_t> parts[2];
		for (const std::uint32_t r : rows)
			parts[bins_[best_signal][r] > best_cut].push_back(r);
		tree[node] = {false, static_cast<Signal>(best_signal), cuts_[best_signal][best_cut], 0, 0};
		const std::uint32_t no = grow(tree, parts[0], depth - 1), yes = grow(tree, parts[1], depth - 1);
		tree[node].no = no;
		tree[node].yes = yes;
		return node;
	}

	Rule &rule_;
	const Labels &labels_;
	StopToken stop_;
	unsigned depth_;
	std::size_t least_; // labels in a leaf
	std::vector<double> cuts_[signal_count];
	std::vector<std::uint8_t> bins_[signal_count];
	std::vector<double> log_odds_, rest_, curve_;
};

} // namespace

std::string_view name(Transform transform) noexcept
{
	constexpr std::string_view names[transforms] = {"log", "any", "several"};
	return names[static_cast<unsigned>(transform)];
}

double Rule::score(const Signals &signals) const noexcept
{
	double log_odds = intercept;
	for (const Term &term : terms)
		log_odds += term.weight * standardized(term, signals);
	for (const Tree &tree : trees)
		log_odds += leaf_value(tree, signals);
	return probability(log_odds);
}

bool Rule::uses(Signal signal) const noexcept
{
	for (const Term &term : terms)
		if (term.signal == signal && term.weight != 0)
			return true;
	for (const Tree &tree : trees)
		for (const TreeNode &node : tree)
			if (!node.is_leaf && node.signal == signal)
				return true;
	return false;
}

Rule learn(std::vector<const Label *> labels, StopToken stop)
{
	std::sort(labels.begin(), labels.end(), [](const Label *a, const Label *b) {
		return a->signals != b->signals ? a->signals < b->signals : a->right < b->right;
	});
	Rule rule;
	rule.terms = make_terms(labels);
	fit_terms(rule, labels, stop);
	Booster(rule, labels, stop).run();
	return rule;
}

namespace {

// An interval for k of n labels that tell as much as `independent` ones.
Interval interval_of(std::uint64_t k, std::uint64_t n, double independent)
{
	const double share = std::min(1.0, independent / static_cast<double>(n)), few = static_cast<double>(k) * share;
	const auto all = static_cast<std::uint64_t>(std::max(1.0, std::floor(static_cast<double>(n) * share + 1e-9)));
	const auto whole = [&](double x) { return std::min(all, static_cast<std::uint64_t>(x)); };
	return {binomial_interval(whole(few + 1e-9), all).low, binomial_interval(whole(std::ceil(few - 1e-9)), all).high};
}

std::vector<ScoredLabel> cross_validate(const Labels &all, const std::vector<unsigned> &fold_of, StopToken stop)
{
	std::vector<ScoredLabel> scored;
	for (unsigned fold = 0; fold < folds; ++fold) {
		Labels others;
		std::size_t right = 0;
		for (std::size_t i = 0; i < all.size(); ++i)
			if (fold_of[i] != fold) {
				others.push_back(all[i]);
				right += all[i]->right;
			}
		if (std::min(right, others.size() - right) < folds)
			throw Error(ErrorKind::invalid_parameter,
				"too many labels of one kind are of one group, so that nothing is known about texts of other groups");
		const Rule rule = learn(others, stop);
		for (std::size_t i = 0; i < all.size(); ++i)
			if (fold_of[i] == fold)
				scored.push_back({rule.score(all[i]->signals), all[i]->right, all[i]->group});
	}
	return scored;
}

// Folds have equal shares of both kinds. The labels come in the order of kind and signals.
std::vector<unsigned> random_folds(std::size_t wrong, std::size_t n, std::uint64_t seed)
{
	SplitMix64 random(seed);
	std::vector<std::size_t> order(n);
	std::iota(order.begin(), order.end(), 0);
	for (const auto &[begin, end] : {std::pair{std::size_t{0}, wrong}, {wrong, n}})
		for (std::size_t left = end - begin; left > 1; --left)
			std::swap(order[begin + left - 1], order[begin + static_cast<std::size_t>(random.below(left))]);
	std::vector<unsigned> fold_of(n);
	for (std::size_t i = 0; i < n; ++i)
		fold_of[order[i]] = static_cast<unsigned>(i % folds);
	return fold_of;
}

// Whole groups, the largest first, each into the fold that has least of the kinds that the group has.
std::vector<unsigned> folds_of_groups(const Labels &all, std::size_t wrong, std::uint64_t seed)
{
	std::unordered_map<std::uint64_t, std::size_t> number;
	std::vector<std::vector<std::size_t>> groups;
	for (std::size_t i = 0; i < all.size(); ++i) {
		const auto [at, is_new] = number.try_emplace(all[i]->group, groups.size());
		if (is_new)
			groups.emplace_back();
		groups[at->second].push_back(i);
	}
	// An order that does not depend on the numbers of groups: groups of equal labels can change places.
	std::sort(groups.begin(), groups.end(), [&](const auto &a, const auto &b) {
		return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(), [&](std::size_t i, std::size_t j) {
			return std::tie(all[i]->right, all[i]->signals) < std::tie(all[j]->right, all[j]->signals);
		});
	});
	SplitMix64 random(seed);
	for (std::size_t left = groups.size(); left > 1; --left)
		std::swap(groups[left - 1], groups[static_cast<std::size_t>(random.below(left))]);
	std::stable_sort(groups.begin(), groups.end(), [](const auto &a, const auto &b) { return a.size() > b.size(); });
	const double of_kind[] = {static_cast<double>(wrong), static_cast<double>(all.size() - wrong)};
	double shares[folds][2] = {};
	std::vector<unsigned> fold_of(all.size());
	for (const std::vector<std::size_t> &group : groups) {
		double added[2] = {};
		for (const std::size_t i : group)
			added[all[i]->right] += 1 / of_kind[all[i]->right];
		const auto filled = [&](unsigned fold) { return shares[fold][0] * added[0] + shares[fold][1] * added[1]; };
		unsigned best = 0;
		for (unsigned fold = 1; fold < folds; ++fold)
			if (filled(fold) < filled(best))
				best = fold;
		for (const std::size_t i : group)
			fold_of[i] = best;
		shares[best][0] += added[0];
		shares[best][1] += added[1];
	}
	return fold_of;
}

} // namespace

Interval Observed::precision_interval() const { return interval_of(right, removed, independent); }
Interval Observed::recall_interval() const
{
	return interval_of(right, all_right, independent / static_cast<double>(removed) * static_cast<double>(all_right));
}

bool find_cut_off(std::vector<ScoredLabel> scored, double precision, CutOff &cut_off)
{
	std::sort(scored.begin(), scored.end(), [](const auto &a, const auto &b) { return a.score > b.score; });
	cut_off = {precision, 2, 0, {}, {}};
	std::size_t removed = 0;
	double right = 0, n = 0;
	for (std::size_t i = 0; i < scored.size(); ++i) {
		right += scored[i].right;
		n += 1;
		const bool ends = i + 1 == scored.size() || scored[i + 1].score < scored[i].score;
		if (ends && right >= precision * (n + 1)) {
			cut_off.remove_from = scored[i].score;
			removed = i + 1;
		}
	}
	if (removed == 0)
		return false;
	right = n = 0;
	for (std::size_t i = scored.size(); i-- > removed;) { // so i > 0
		right += scored[i].right;
		n += 1;
		const bool ends = scored[i - 1].score > scored[i].score;
		if (ends && right + 1 <= (1 - precision) * (n + 1))
			cut_off.keep_below = std::min((scored[i].score + scored[i - 1].score) / 2, cut_off.remove_from);
	}
	return true;
}

Observed observe(const std::vector<ScoredLabel> &scored, double score)
{
	Observed observed{};
	std::unordered_map<std::uint64_t, std::size_t> number;
	std::vector<std::uint64_t> sizes;
	for (const ScoredLabel &label : scored) {
		observed.all_right += label.right;
		if (label.score < score)
			continue;
		++observed.removed;
		observed.right += label.right;
		const auto [at, is_new] = number.try_emplace(label.group, sizes.size());
		if (is_new)
			sizes.push_back(0);
		++sizes[at->second];
	}
	observed.independent = independent_labels(sizes);
	return observed;
}

LearnedRule learn_and_validate(const std::vector<Label> &labels, std::uint64_t seed, bool for_new, StopToken stop)
{
	Labels all;
	LearnedRule result{};
	std::unordered_set<std::uint64_t> groups;
	for (const Label &label : labels) {
		all.push_back(&label);
		result.right += label.right;
		groups.insert(label.group);
	}
	result.labels = labels.size();
	result.groups = groups.size();
	result.for_new = for_new;
	result.rule = learn(all, stop);
	std::sort(all.begin(), all.end(), [](const Label *a, const Label *b) {
		return std::tie(a->right, a->signals) < std::tie(b->right, b->signals);
	});
	const std::size_t wrong = labels.size() - result.right;
	const std::vector<ScoredLabel> similar = cross_validate(all, random_folds(wrong, all.size(), seed), stop);
	const std::vector<ScoredLabel> fresh =
		groups.size() == labels.size() ? similar : cross_validate(all, folds_of_groups(all, wrong, seed), stop);
	for (const double precision : wished) {
		CutOff cut_off;
		if (!find_cut_off(for_new ? fresh : similar, precision, cut_off))
			continue;
		cut_off.similar = observe(similar, cut_off.remove_from);
		cut_off.fresh = observe(fresh, cut_off.remove_from);
		if (cut_off.similar.removed > 0 && cut_off.fresh.removed > 0)
			result.cut_offs.push_back(cut_off);
	}
	return result;
}

} // namespace txtfp::core
