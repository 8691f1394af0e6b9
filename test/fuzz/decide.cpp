// A rule learned from any labels: scores are probabilities, trees are trees, and the order of the labels does not
// matter. Intervals hold their share.
//   byte 0: which of the values of signals occur, and the seed; the rest: labels of a few bytes each, in which signals are set
#include <algorithm>
#include <cmath>
#include <vector>

#include "core/decide/intervals.hpp"
#include "core/decide/rule.hpp"
#include "core/decide/rule_text.hpp"
#include "fuzz/fuzz.hpp"

using namespace txtfp::core;
using namespace txtfp::fuzz;

namespace {

constexpr double values[] = {
	0, 1, 2, 3, 0.5, 0.25, 100, 1e6, 2147483647, 0x1p-40, 1e-300, 7, -1, 0.999999, 12345.678, 40};
constexpr std::size_t max_labels = 60;

// Numbers of neighbours may be −1, not known.
bool is_known(std::size_t signal) { return !is_optional(static_cast<Signal>(signal)); }

std::vector<Label> labels_of(Input &input, unsigned choice)
{
	std::vector<Label> labels;
	Label label{};
	while (!input.rest().empty() && labels.size() < max_labels) {
		const unsigned what = input.byte(), number = input.byte();
		const std::size_t signal = what % signal_count;
		const double value = values[(number & 15) >> (choice & 3)];
		label.signals[signal] = is_known(signal) ? std::max(value, 0.0) : value;
		if ((number & 0x70) != 0) // often enough, another signal of the same label
			continue;
		label.right = (number & 0x80) != 0;
		label.group = what % 16 < 8 ? labels.size() : what % 16; // some are of common groups
		labels.push_back(label);
		if (what >= 128)
			label.signals.fill(0);
	}
	for (std::size_t i = 0; i < 2 * folds; ++i) {
		label.right = i % 2 == 0;
		label.signals[0] = static_cast<double>(i);
		label.group = labels.size() + 100;
		labels.push_back(label);
	}
	return labels;
}

void check_tree(const Tree &tree)
{
	for (std::size_t i = 0; i < tree.size(); ++i) {
		if (tree[i].is_leaf)
			REQUIRE_EQ(std::isfinite(tree[i].value), true);
		else
			REQUIRE_EQ(
				tree[i].yes > i && tree[i].no > i && tree[i].yes < tree.size() && tree[i].no < tree.size(), true);
	}
}

void check_rule(const LearnedRule &learned, const std::vector<Label> &labels)
{
	for (const Tree &tree : learned.rule.trees)
		check_tree(tree);
	for (const Label &label : labels) {
		const double score = learned.rule.score(label.signals);
		REQUIRE_EQ(score >= 0 && score <= 1, true);
	}
	double last = 0;
	for (const CutOff &cut : learned.cut_offs) {
		for (const Observed &seen : {cut.similar, cut.fresh}) {
			REQUIRE_EQ(seen.right <= seen.removed && seen.right <= seen.all_right && seen.removed <= learned.labels, true);
			REQUIRE_EQ(seen.independent >= 1 && seen.independent <= static_cast<double>(seen.removed) * (1 + 1e-9), true);
			const Interval interval = seen.precision_interval();
			REQUIRE_EQ(interval.low >= 0 && interval.low <= seen.precision() && seen.precision() <= interval.high &&
					interval.high <= 1,
				true);
		}
		REQUIRE_EQ(cut.precision > last, true);
		REQUIRE_EQ(cut.keep_below <= 1 && cut.remove_from >= 0 && cut.remove_from <= 1, true);
		last = cut.precision;
	}
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
	Input input(data, size);
	const unsigned choice = input.byte();
	std::vector<Label> labels = labels_of(input, choice);
	try {
		const LearnedRule learned = learn_and_validate(labels, choice, (choice & 4) != 0);
		check_rule(learned, labels);
		const std::string text = rule_text(learned);
		std::reverse(labels.begin(), labels.end());
		REQUIRE_EQ(rule_text(learn_and_validate(labels, choice, (choice & 4) != 0)), text);
	} catch (const Error &error) { // labels of one kind in one group
		REQUIRE_EQ(error.kind() == ErrorKind::invalid_parameter, true);
	}
	return 0;
}
