// A rule that decides about removals, learned from labelled ones: the logarithm of the odds that a removal is right is
// a sum of
//   terms  weight · (f(signal) − center) / scale, the quotient limited to ±4, for f = log(1 + x), [x > 0] and [x > 1]
//   trees  small ones; each adds the value of the leaf that the signals lead to
// It is the mean of two rules that learn without each other: terms are a logistic regression with a ridge penalty, which is
// chosen by cross-validation by groups; trees are boosted from parts of the labels and signals (J. Friedman, 2002).
// Everything is deterministic and does not depend on the order of the labels.
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
	bool uses(Signal signal) const noexcept
	{
		return uses_any([=](Signal used) { return used == signal; });
	}
	bool uses_neighbours() const noexcept { return uses_any(counts_neighbours); }
	bool uses_corpus() const noexcept { return uses_any(needs_corpus); }

private:
	template <class Asked> bool uses_any(Asked is_asked) const noexcept
	{
		for (const Term &term : terms)
			if (is_asked(term.signal) && term.weight != 0)
				return true;
		for (const Tree &tree : trees)
			for (const TreeNode &node : tree)
				if (!node.is_leaf && is_asked(node.signal))
					return true;
		return false;
	}
};

struct Label {
	bool right;
	Signals signals;
	std::uint64_t group; // equal for labels of variants of one text, which tell less than as many independent ones
};

// A label that a rule has scored without having learned from it.
struct ScoredLabel {
	double score;
	bool right;
	std::uint64_t group;
};

// What a cross-validation gives for removing all labels with at least a score.
struct Observed {
	std::uint64_t removed, right; // labels at or above the score
	std::uint64_t all_right;
	double independent; // labels of different groups that would tell as much as those at or above: 1 … removed
	double precision() const noexcept { return static_cast<double>(right) / static_cast<double>(removed); }
	double recall() const noexcept { return static_cast<double>(right) / static_cast<double>(all_right); }
	Interval precision_interval() const; // 95 %
	Interval recall_interval() const;
};

// In the middle between the lowest score of a right removal at which a precision is reached and the next one below,
// counted as if one more removal were wrong: the lowest of many scores at which the observed precision suffices would be
// one where it was observed too high, and below the last right removal there is nothing to gain.
struct CutOff {
	double precision;   // wished
	double remove_from; // least score
	double keep_below;  // below it the share of right removals is at most 1 − precision; 0 if there is no such score
	Observed similar;   // by folds at random: for texts like those that were labelled
	Observed fresh;     // by folds of whole groups: for texts that are new; as `similar` if no group has two labels
};

struct LearnedRule {
	Rule rule;
	std::vector<CutOff> cut_offs; // by ascending precision, those that the labels support
	std::uint64_t labels, right, groups;
	bool for_new; // the cut-offs are chosen by `fresh`
};

constexpr std::uint64_t least_labels = 20; // of each kind
constexpr unsigned folds = 5;

// Signals are in range and finite; both kinds of labels occur at least `folds` times.
Rule learn(std::vector<const Label *> labels, StopToken stop = {});

// for_new: cut-offs are chosen for texts of new groups. Throws Error(invalid_parameter) if a fold of whole groups leaves
// fewer than `folds` labels of a kind to learn from.
LearnedRule learn_and_validate(const std::vector<Label> &labels, std::uint64_t seed, bool for_new, StopToken stop = {});

// The cut-off for a precision, by labels and their scores; sets all but `similar` and `fresh`.
bool find_cut_off(std::vector<ScoredLabel> scored, double precision, CutOff &cut_off);

// At or above a score.
Observed observe(const std::vector<ScoredLabel> &scored, double score);

} // namespace txtfp::core
