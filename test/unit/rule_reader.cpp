// Rules in json: what rule_text() writes is read as it was, and nothing else is taken for a rule.
#include "core/decide/rule_reader.hpp"

#include <string>
#include <string_view>

#include "core/decide/rule_text.hpp"
#include "unit/check.hpp"

using namespace txtfp::core;

namespace {

LearnedRule some_rule()
{
	LearnedRule learned{};
	learned.labels = 50;
	learned.right = 25;
	learned.rule.intercept = -0.1;
	learned.rule.terms = {{Signal::edits, Transform::log, 1, 0.5, -2e-7}, {Signal::scope, Transform::any, 0, 1, 3}};
	Tree tree(5);
	tree[0] = {false, Signal::numbers_both, 1.5, 1, 2};
	tree[1] = {true, Signal{}, 0.25, 0, 0};
	tree[2] = {false, Signal::shared, 0.75, 3, 4};
	tree[3] = {true, Signal{}, -1, 0, 0};
	tree[4] = {true, Signal{}, 1e300, 0, 0};
	learned.rule.trees = {tree};
	learned.groups = 40;
	learned.for_new = true;
	learned.cut_offs = {{0.9, 0.7, 0.2, {10, 9, 20, 8}, {9, 9, 20, 7}}, {0.99, 0.9, 0.1, {5, 5, 20, 5}, {5, 5, 20, 4.5}}};
	return learned;
}

} // namespace

TEST(rules_are_read_as_they_were_written)
{
	const LearnedRule learned = some_rule();
	RuleReading read = read_rule(rule_text(learned));
	CHECK_EQ(read.wrong, std::string());
	CHECK_EQ(read.rule.cut_offs.size(), 2u);
	CHECK_EQ(read.rule.cut_offs[1].remove_from, 0.9);
	CHECK_EQ(read.rule.cut_offs[1].keep_below, 0.1);
	read.rule.labels = learned.labels; // which are not read
	read.rule.right = learned.right;
	read.rule.groups = learned.groups;
	read.rule.for_new = learned.for_new;
	read.rule.cut_offs = learned.cut_offs;
	CHECK_EQ(rule_text(read.rule), rule_text(learned));
}

TEST(cut_offs_of_a_precision)
{
	const LearnedRule learned = some_rule();
	CHECK_EQ(cut_off_for(learned, 0.5)->precision, 0.9);
	CHECK_EQ(cut_off_for(learned, 0.9)->precision, 0.9);
	CHECK_EQ(cut_off_for(learned, 0.91)->precision, 0.99);
	CHECK_EQ(cut_off_for(learned, 0.995) == nullptr, true);
}

TEST(what_is_no_rule)
{
	const std::string text = rule_text(some_rule());
	for (std::size_t size = 0; size < text.size(); ++size)
		CHECK_EQ(read_rule(std::string_view(text).substr(0, size)).wrong.empty(), false, size);
	CHECK_EQ(read_rule(" " + text + "\n").wrong.empty(), true);
	CHECK_EQ(read_rule(text + "}").wrong, std::string("Something follows the rule."));
	const std::string intercept = "\"intercept\": ";
	const std::size_t number = text.find(intercept) + intercept.size();
	for (const char *odd : {"1e301", "-1e301", "1e400", "inf", "-inf", "nan"}) {
		const std::string wrong = read_rule(text.substr(0, number) + odd + text.substr(text.find(',', number))).wrong;
		CHECK_EQ(wrong == "A number is out of range." || wrong == "The json is broken: a value is missing.", true, odd, wrong);
	}
	CHECK_EQ(read_rule("5").wrong, std::string("It is not an object."));
	CHECK_EQ(read_rule("{\"rule\": \"txtfp\", \"version\": 2}").wrong, std::string("It is of another kind or version."));
	CHECK_EQ(read_rule("{\"rule\": \"tx\\\"t\"}").wrong, std::string("It is of another kind or version."));
	const RuleReading other = read_rule("{\"rule\": \"txtfp\", \"version\": 1, \"signals_version\": 7}");
	CHECK_EQ(other.is_of_other_signals, true);
	std::string older = text; // since then signals have only come
	older.replace(older.find("\"signals_version\": 4"), 20, "\"signals_version\": 3");
	CHECK_EQ(read_rule(older).wrong, std::string());
	CHECK_EQ(other.signals_version, 7);
	CHECK_EQ(read_rule(std::string(100'000, '[')).wrong, std::string("The json is nested too deeply."));
	CHECK_EQ(read_rule(std::string(std::size_t{17} << 20, ' ')).wrong, std::string("It is too large."));
}
