#include "core/decide/rule_text.hpp"

#include <charconv>

namespace txtfp::core {

namespace {

void put_number(std::string &json, double value)
{
	char digits[40];
	json.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}
void put_number(std::string &json, const char *key, double value)
{
	json.append("\"").append(key).append("\": ");
	put_number(json, value);
}

void write_node(const Tree &tree, std::uint32_t at, std::string &json)
{
	const TreeNode &node = tree[at];
	if (node.is_leaf)
		return put_number(json, node.value);
	json.append("{\"signal\": \"").append(name(node.signal)).append("\", ");
	put_number(json, "above", node.value);
	json.append(", \"yes\": ");
	write_node(tree, node.yes, json);
	json.append(", \"no\": ");
	write_node(tree, node.no, json);
	json.append("}");
}

void write_share(std::string &json, const char *key, double value, Interval interval)
{
	put_number(json, key, value);
	json.append(", \"").append(key).append("_interval\": [");
	put_number(json, interval.low);
	json.append(", ");
	put_number(json, interval.high);
	json.append("], ");
}

void write_observed(std::string &json, const char *key, const Observed &observed)
{
	json.append("\"").append(key).append("\": {");
	write_share(json, "precision", observed.precision(), observed.precision_interval());
	write_share(json, "recall", observed.recall(), observed.recall_interval());
	put_number(json, "labels", static_cast<double>(observed.removed));
	json.append("}, ");
}

void write_cut_off(const CutOff &cut, std::string &json)
{
	json.append("{");
	put_number(json, "wished", cut.precision);
	json.append(", ");
	write_observed(json, "similar", cut.similar);
	write_observed(json, "new", cut.fresh);
	put_number(json, "remove_from", cut.remove_from);
	json.append(", ");
	put_number(json, "keep_below", cut.keep_below);
	json.append("}");
}

template <class Items, class Fn> void write_list(std::string &json, const char *key, const Items &items, Fn fn)
{
	json.append(", \"").append(key).append("\": [");
	for (std::size_t i = 0; i < items.size(); ++i) {
		json.append(i == 0 ? "" : ", ");
		fn(items[i]);
	}
	json.append("]");
}

} // namespace

std::string rule_text(const LearnedRule &learned)
{
	std::string json = "{\"rule\": \"txtfp\"";
	const auto add = [&](const char *key, double value) {
		json.append(", ");
		put_number(json, key, value);
	};
	add("version", rule_version);
	add("signals_version", signals_version);
	add("labels", static_cast<double>(learned.labels));
	add("right", static_cast<double>(learned.right));
	add("groups", static_cast<double>(learned.groups));
	json.append(", \"for_new\": ").append(learned.for_new ? "true" : "false");
	write_list(json, "cut_offs", learned.cut_offs, [&](const CutOff &cut) { write_cut_off(cut, json); });
	add("intercept", learned.rule.intercept);
	write_list(json, "terms", learned.rule.terms, [&](const Term &term) {
		json.append("{\"signal\": \"").append(name(term.signal)).append("\", \"of\": \"");
		json.append(name(term.transform)).append("\", ");
		put_number(json, "center", term.center);
		json.append(", ");
		put_number(json, "scale", term.scale);
		json.append(", ");
		put_number(json, "weight", term.weight);
		json.append("}");
	});
	write_list(json, "trees", learned.rule.trees, [&](const Tree &tree) { write_node(tree, 0, json); });
	json.append("}");
	return json;
}

} // namespace txtfp::core
