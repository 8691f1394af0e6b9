// A rule that decides about removals, learned from labelled ones: the logarithm of the odds that a removal is right is
// a sum of
//   terms  weight · (f(signal) − center) / scale, the quotient limited to ±4, for f = log(1 + x), [x > 0] and [x > 1]
//   trees  small ones, each of which adds the value of the leaf that the signals lead to
// Terms are a logistic regression with ridge penalty. Trees are boosted on what it leaves (J. Friedman, 2001), more of
// them for more labels: a hundred labels support little more than the terms. Everything is deterministic and does not
// depend on the order of the labels.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/error.hpp"
#include "core/compare/difference_signals.hpp"
#include "core/decide/intervals.hpp"

namespace txtfp::core {

enum class Transform : std::uint8_t { log, any, several };
constexpr unsigned transforms = 3;
std::string_view name(Transform transform) noexcept;

struct Term {
	Signal signal;
	Transform transform;
	double center, scale, weight;
};

// Node 0 is the root; the children of a node come after it.
struct TreeNode {
	bool is_leaf;
	Signal signal; // of an inner node
	double value;  // of a leaf; otherwise signals above it go to `yes`
	std::uint32_t yes, no;
};
using Tree = std::vector<TreeNode>;

struct Rule {
	double intercept = 0;
	std::vector<Term> terms;
	std::vector<Tree> trees;

	double score(const Signals &signals) const noexcept; // 0 … 1: the probability that the removal is right
	bool uses(Signal signal) const noexcept;
};

struct Label {
	bool right;
	Signals signals;
};

// What removing all rows with at least a score gives, by cross-validation, for the lowest score at which the precision
// is reached.
struct CutOff {
	double precision;   // wished
	double remove_from; // least score
	double keep_below;  // below it the share of right removals is at most 1 − precision; 0 if there is no such score
	std::uint64_t removed, right; // labels at or above remove_from
	std::uint64_t all_right;
	double observed() const noexcept { return static_cast<double>(right) / static_cast<double>(removed); }
	double recall() const noexcept { return static_cast<double>(right) / static_cast<double>(all_right); }
};

struct LearnedRule {
	Rule rule;
	std::vector<CutOff> cut_offs; // by ascending precision, those that the labels support
	std::uint64_t labels, right;
};

constexpr std::uint64_t least_labels = 20; // of each kind
constexpr unsigned folds = 5;

// Signals are in range and finite; both kinds of labels occur at least `folds` times.
Rule learn(std::vector<const Label *> labels, StopToken stop = {});
LearnedRule learn_and_validate(const std::vector<Label> &labels, std::uint64_t seed, StopToken stop = {});

// The cut-off for a precision, from scores and labels.
bool find_cut_off(std::vector<std::pair<double, bool>> scored, double precision, CutOff &cut_off);

} // namespace txtfp::core
