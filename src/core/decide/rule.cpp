#include "core/decide/rule.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "core/base/splitmix.hpp"
#include "core/decide/label_folds.hpp"

namespace txtfp::core {

namespace {

constexpr double ridges[] = {1024, 256, 64, 16, 4}; // penalties to choose from: weight² · ridge / 2
constexpr std::size_t most_choosing = 1000;         // labels that the choice reads
constexpr unsigned choosing_folds = 3;
constexpr double farthest = 4; // standard deviations
constexpr double learning_rate = 0.03;
constexpr double leaf_penalty = 1; // shrinks leaves of few labels
constexpr std::size_t most_trees = 200, trees_per_label = 2, bins = 32;
constexpr std::uint64_t tree_labels = 2, tree_signals = 5; // a tree learns from a half of the labels, and a fifth of the signals
constexpr double share_of_terms = 0.5;                     // in the log odds; trees have the rest

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

// Labels as the terms see them. The last column belongs to the intercept.
class Standardized {
public:
	Standardized(const std::vector<Term> &terms, const Labels &labels) : columns_(terms.size() + 1)
	{
		values_.reserve(labels.size() * columns_);
		for (const Label *label : labels) {
			for (const Term &term : terms)
				values_.push_back(static_cast<float>(standardized(term, label->signals)));
			values_.push_back(1);
		}
	}
	std::size_t columns() const noexcept { return columns_; }
	const float *row(std::size_t i) const noexcept { return values_.data() + i * columns_; }
	double log_odds(std::size_t i, const std::vector<double> &weights) const noexcept
	{
		const float *values = row(i);
		double sum = 0;
		for (std::size_t j = 0; j < columns_; ++j)
			sum += weights[j] * values[j];
		return sum;
	}

private:
	std::size_t columns_;
	std::vector<float> values_;
};

// Newton's method, from the weights that are given. The last weight is the intercept, which has no penalty to speak of.
// Labels with use[i] = false are left out; nothing: all are used.
void fit(const Standardized &rows, const Labels &labels, const std::vector<bool> &use, double ridge, double tolerance,
	std::vector<double> &weights, StopToken stop)
{
	const std::size_t n = rows.columns();
	std::vector<double> gradient(n), hessian(n * n);
	for (int round = 0; round < 30; ++round) {
		for (std::size_t i = 0; i < n; ++i)
			gradient[i] = -(i + 1 == n ? 1e-3 : ridge) * weights[i];
		std::fill(hessian.begin(), hessian.end(), 0);
		for (std::size_t i = 0; i < n; ++i)
			hessian[i * n + i] = i + 1 == n ? 1e-3 : ridge;
		for (std::size_t r = 0; r < labels.size(); ++r) {
			if ((r & 0x3FF) == 0)
				stop.check();
			if (!use.empty() && !use[r])
				continue;
			const float *row = rows.row(r);
			const double p = probability(rows.log_odds(r, weights)), rest = (labels[r]->right ? 1 : 0) - p,
						 curve = p * (1 - p);
			for (std::size_t i = 0; i < n; ++i) {
				gradient[i] += rest * row[i];
				const double x = curve * row[i];
				double *sums = hessian.data() + i * n;
				for (std::size_t j = 0; j <= i; ++j)
					sums[j] += x * row[j];
			}
		}
		solve(hessian, gradient);
		double change = 0;
		for (std::size_t i = 0; i < n; ++i) {
			const double step = std::clamp(gradient[i], -2.0, 2.0);
			weights[i] += step;
			change = std::max(change, std::abs(step));
		}
		if (change < tolerance)
			break;
	}
}

// The penalty by which labels of groups that were not learned from are most probable.
double choose_ridge(const std::vector<Term> &terms, const Labels &all, StopToken stop)
{
	Labels labels;
	const std::size_t step = (all.size() + most_choosing - 1) / most_choosing;
	for (std::size_t i = 0; i < all.size(); i += step)
		labels.push_back(all[i]);
	const Standardized rows(terms, labels);
	const std::vector<unsigned> fold_of = folds_of_groups(labels, choosing_folds, 0);
	double loss[std::size(ridges)] = {};
	for (unsigned fold = 0; fold < choosing_folds; ++fold) {
		std::vector<bool> use;
		for (const unsigned of : fold_of)
			use.push_back(of != fold);
		std::vector<double> weights(rows.columns());
		for (std::size_t r = 0; r < std::size(ridges); ++r) {
			fit(rows, labels, use, ridges[r], 0.05, weights, stop);
			for (std::size_t i = 0; i < labels.size(); ++i)
				if (!use[i]) {
					const double p = probability(rows.log_odds(i, weights));
					loss[r] -= std::log(std::max(1e-6, labels[i]->right ? p : 1 - p));
				}
		}
	}
	return ridges[std::min_element(std::begin(loss), std::end(loss)) - std::begin(loss)];
}

void fit_terms(Rule &rule, const Labels &labels, StopToken stop)
{
	const double ridge = choose_ridge(rule.terms, labels, stop);
	const Standardized rows(rule.terms, labels);
	std::vector<double> weights(rows.columns());
	fit(rows, labels, {}, ridge, 1e-6, weights, stop);
	for (std::size_t i = 0; i < rule.terms.size(); ++i)
		rule.terms[i].weight = share_of_terms * weights[i];
	rule.intercept = share_of_terms * weights.back();
}

// Trees that know nothing of the terms: what both get wrong in different ways, the mean of both gets right.
class Booster {
public:
	Booster(Rule &rule, const Labels &labels, StopToken stop)
		: rule_(rule), labels_(labels), stop_(stop), random_(labels.size())
	{
		depth_ = labels.size() < 500 ? 3 : 4;
		least_ = std::max<std::size_t>(5, labels.size() / 1000);
		for (std::size_t signal = 0; signal < signal_count; ++signal)
			make_bins(signal);
		const auto right = static_cast<double>(
			std::count_if(labels.begin(), labels.end(), [](const Label *label) { return label->right; }));
		const double before = std::log((right + 0.5) / (static_cast<double>(labels.size()) - right + 0.5));
		rule.intercept += (1 - share_of_terms) * before;
		log_odds_.assign(labels.size(), before);
		rest_.resize(labels.size());
		curve_.resize(labels.size());
	}

	void run()
	{
		const std::size_t trees = std::min(most_trees, labels_.size() * trees_per_label);
		for (std::size_t i = 0; i < trees; ++i) {
			stop_.check();
			for (std::size_t r = 0; r < labels_.size(); ++r) {
				const double p = probability(log_odds_[r]);
				rest_[r] = (labels_[r]->right ? 1 : 0) - p;
				curve_[r] = std::max(p * (1 - p), 1e-6);
			}
			std::vector<std::uint32_t> some;
			for (std::uint32_t r = 0; r < labels_.size(); ++r)
				if (random_.below(tree_labels) == 0)
					some.push_back(r);
			for (bool &is_tried : is_tried_)
				is_tried = random_.below(tree_signals) == 0;
			Tree tree;
			grow(tree, some, depth_);
			for (std::size_t r = 0; r < labels_.size(); ++r)
				log_odds_[r] += leaf_value(tree, labels_[r]->signals);
			for (TreeNode &node : tree)
				if (node.is_leaf)
					node.value *= 1 - share_of_terms;
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
			if (!is_tried_[signal] || cuts_[signal].empty())
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
	SplitMix64 random_;
	bool is_tried_[signal_count]; // by the tree that grows
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

Rule learn(std::vector<const Label *> labels, StopToken stop)
{
	std::sort(labels.begin(), labels.end(), [](const Label *a, const Label *b) {
		return std::tie(a->signals, a->right, a->group) < std::tie(b->signals, b->right, b->group);
	});
	Rule rule;
	rule.terms = make_terms(labels);
	fit_terms(rule, labels, stop);
	Booster(rule, labels, stop).run();
	return rule;
}

} // namespace txtfp::core
