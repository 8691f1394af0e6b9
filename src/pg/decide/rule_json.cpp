#include "pg/decide/rule_json.hpp"

#include "pg/base/json.hpp"
#include "pg/base/owned.hpp"
#include "pg/base/text_arg.hpp"
#include "pg/compare/signals.hpp"

extern "C" {
#include "utils/builtins.h"
}

namespace txtfp::pg {

namespace {

constexpr std::size_t max_parts = 10000, max_depth = 32; // of terms and trees; of a tree

[[noreturn]] void refuse(const char *detail)
{
	ereport(ERROR,
		(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("the value is not a decision rule"),
			errdetail_internal("%s", detail), errhint("Rules are made by decision_rule.")));
	pg_unreachable();
}

const JsonbValue *find(JsonbContainer *object, const char *key, JsonbValue *value)
{
	return getKeyJsonValueFromContainer(object, key, static_cast<int>(strlen(key)), value);
}

double number_in(JsonbContainer *object, const char *key)
{
	JsonbValue value;
	if (find(object, key, &value) == nullptr || value.type != jbvNumeric)
		refuse(psprintf("\"%s\" is missing or not a number.", key));
	return DatumGetFloat8(DirectFunctionCall1(numeric_float8_no_overflow, NumericGetDatum(value.val.numeric)));
}

std::string_view string_in(JsonbContainer *object, const char *key)
{
	JsonbValue value;
	if (find(object, key, &value) == nullptr || value.type != jbvString)
		refuse(psprintf("\"%s\" is missing or not a string.", key));
	return {value.val.string.val, static_cast<std::size_t>(value.val.string.len)};
}

core::Signal signal_in(JsonbContainer *object)
{
	const std::string_view text = string_in(object, "signal");
	for (std::size_t i = 0; i < core::signal_count; ++i)
		if (core::name(static_cast<core::Signal>(i)) == text)
			return static_cast<core::Signal>(i);
	refuse(psprintf("There is no signal \"%s\".", abbreviated(text)));
}

// Calls fn(value) for each element of an array.
template <class Fn> void for_each(JsonbContainer *object, const char *key, Fn fn)
{
	JsonbValue list;
	if (find(object, key, &list) == nullptr || list.type != jbvBinary || !JsonContainerIsArray(list.val.binary.data) ||
		JsonContainerIsScalar(list.val.binary.data))
		refuse(psprintf("\"%s\" is missing or not an array.", key));
	const std::uint32_t n = JsonContainerSize(list.val.binary.data);
	if (n > max_parts)
		refuse(psprintf("\"%s\" has more than %zu elements.", key, max_parts));
	for (std::uint32_t i = 0; i < n; ++i) {
		CHECK_FOR_INTERRUPTS();
		fn(getIthJsonbValueFromContainer(list.val.binary.data, i));
	}
}

JsonbContainer *object_of(const JsonbValue *value)
{
	if (value == nullptr || value->type != jbvBinary || !JsonContainerIsObject(value->val.binary.data))
		refuse("An object is missing.");
	return value->val.binary.data;
}

std::uint32_t read_node(const JsonbValue *value, core::Tree &tree, std::size_t depth)
{
	if (depth > max_depth || tree.size() > max_parts)
		refuse("A tree is too large.");
	const auto at = static_cast<std::uint32_t>(tree.size());
	core::TreeNode node{};
	if (value != nullptr && value->type == jbvNumeric) {
		node.is_leaf = true;
		node.value =
			DatumGetFloat8(DirectFunctionCall1(numeric_float8_no_overflow, NumericGetDatum(value->val.numeric)));
		guarded([&] { tree.push_back(node); });
		return at;
	}
	JsonbContainer *object = object_of(value);
	node.signal = signal_in(object);
	node.value = number_in(object, "above");
	guarded([&] { tree.push_back(node); });
	JsonbValue child;
	const std::uint32_t yes = read_node(find(object, "yes", &child), tree, depth + 1);
	const std::uint32_t no = read_node(find(object, "no", &child), tree, depth + 1);
	tree[at].yes = yes;
	tree[at].no = no;
	return at;
}

void read_term(JsonbContainer *object, StoredRule &stored)
{
	core::Term term{};
	term.signal = signal_in(object);
	const std::string_view of = string_in(object, "of");
	unsigned transform = 0;
	while (transform < core::transforms && core::name(static_cast<core::Transform>(transform)) != of)
		++transform;
	if (transform == core::transforms)
		refuse(psprintf("There is no transformation \"%s\".", abbreviated(of)));
	term.transform = static_cast<core::Transform>(transform);
	term.center = number_in(object, "center");
	term.scale = number_in(object, "scale");
	term.weight = number_in(object, "weight");
	if (!(term.scale > 0))
		refuse("A scale is not positive.");
	guarded([&] { stored.rule.terms.push_back(term); });
}

} // namespace

const StoredRule &read_rule(const Jsonb *json, MemoryContext context)
{
	auto *root = const_cast<JsonbContainer *>(&json->root);
	if (!JsonContainerIsObject(root))
		refuse("It is not an object.");
	if (string_in(root, "rule") != "txtfp" || number_in(root, "version") != core::rule_version)
		refuse("It is of another kind or version.");
	if (const double version = number_in(root, "signals_version"); version != core::signals_version)
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				errmsg("the rule is for signals of version %s, not %d", shortest(version), core::signals_version),
				errhint("Compute the signals of the labelled pairs again, and the rule from them.")));
	auto *stored = make_owned<StoredRule>(context);
	stored->rule.intercept = number_in(root, "intercept");
	for_each(root, "terms", [&](const JsonbValue *value) { read_term(object_of(value), *stored); });
	for_each(root, "trees", [&](const JsonbValue *value) {
		guarded([&] { stored->rule.trees.emplace_back(); });
		read_node(value, stored->rule.trees.back(), 0);
	});
	for_each(root, "cut_offs", [&](const JsonbValue *value) {
		JsonbContainer *object = object_of(value);
		core::CutOff cut{};
		cut.precision = number_in(object, "wished");
		cut.remove_from = number_in(object, "remove_from");
		cut.keep_below = number_in(object, "keep_below");
		guarded([&] { stored->cut_offs.push_back(cut); });
	});
	return *stored;
}

double score(const StoredRule &stored, const core::Signals &signals)
{
	for (const core::Signal signal : {core::Signal::neighbours, core::Signal::kept_neighbours})
		if (signals[static_cast<std::size_t>(signal)] < 0 && stored.rule.uses(signal))
			ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("the signals have no number of neighbours, which the rule uses"),
					errhint("Use the signals of deduplicate, or give the numbers to difference_signals.")));
	return stored.rule.score(signals);
}

} // namespace txtfp::pg
