// Rules from any bytes: what is read has trees and cut-offs that a score can be computed with, and is written so that it
// is read as the same again.
#include <cmath>
#include <string>

#include "core/decide/rule_reader.hpp"
#include "core/decide/rule_text.hpp"
#include "fuzz/fuzz.hpp"

using namespace txtfp::core;
using namespace txtfp::fuzz;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
	const RuleReading first = read_rule(Input(data, size).rest());
	if (!first.wrong.empty())
		return 0;
	for (const Tree &tree : first.rule.rule.trees)
		for (std::uint32_t at = 0; at < tree.size(); ++at)
			REQUIRE_EQ(tree[at].is_leaf || (tree[at].yes > at && tree[at].no > at && tree[at].yes < tree.size() &&
											   tree[at].no < tree.size()),
				true);
	const double score = first.rule.rule.score(Signals{});
	REQUIRE_EQ(std::isnan(score) || (score >= 0 && score <= 1), true);
	LearnedRule rule = first.rule;
	rule.cut_offs.clear(); // of which not all is read
	const std::string text = rule_text(rule);
	const RuleReading again = read_rule(text);
	REQUIRE_EQ(again.wrong, std::string());
	REQUIRE_EQ(rule_text(again.rule), text);
	return 0;
}
