#include "core/decide/rule_reader.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>
#include <utility>

#include "core/base/numbers.hpp"
#include "core/decide/rule_text.hpp"

namespace txtfp::core {

namespace {

constexpr std::size_t max_parts = 10000, max_depth = 32; // of terms and trees; of a tree
constexpr std::size_t max_bytes = std::size_t{16} << 20, max_nesting = 1000;
constexpr double max_number = 1e300; // so that no sum over terms and trees overflows

struct Wrong {
	std::string what;
};

[[noreturn]] void refuse(std::string what) { throw Wrong{std::move(what)}; }

struct Value {
	enum Kind { null, boolean, number, string, array, object } kind = null;
	double value = 0;
	std::string text;              // of a string
	std::vector<Value> elements;   // of an array or an object
	std::vector<std::string> keys; // of an object

	const Value *find(std::string_view key) const
	{
		const Value *found = nullptr;
		if (kind == object)
			for (std::size_t i = 0; i < keys.size(); ++i)
				if (keys[i] == key)
					found = &elements[i]; // the last, as jsonb
		return found;
	}
	double number_in(const char *key) const
	{
		const Value *found = find(key);
		if (found == nullptr || found->kind != number)
			refuse("\"" + std::string(key) + "\" is missing or not a number.");
		return found->value;
	}
	const std::string &string_in(const char *key) const
	{
		const Value *found = find(key);
		if (found == nullptr || found->kind != string)
			refuse("\"" + std::string(key) + "\" is missing or not a string.");
		return found->text;
	}
	const std::vector<Value> &array_in(const char *key) const
	{
		const Value *found = find(key);
		if (found == nullptr || found->kind != array)
			refuse("\"" + std::string(key) + "\" is missing or not an array.");
		if (found->elements.size() > max_parts)
			refuse("\"" + std::string(key) + "\" has more than " + std::to_string(max_parts) + " elements.");
		return found->elements;
	}
};

// Names in rules are plain, so only escapes of one character are read.
class Reader {
public:
	explicit Reader(std::string_view json) : rest_(json) {}

	Value all()
	{
		Value value = read(0);
		skip_blanks();
		if (!rest_.empty())
			refuse("Something follows the rule.");
		return value;
	}

private:
	void skip_blanks()
	{
		rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\n\r"), rest_.size()));
	}
	bool take(std::string_view token)
	{
		skip_blanks();
		if (!rest_.starts_with(token))
			return false;
		rest_.remove_prefix(token.size());
		return true;
	}
	void expect(std::string_view token)
	{
		if (!take(token))
			refuse("The json is broken: there is no \"" + std::string(token) + "\" where it should be.");
	}

	Value read(std::size_t depth)
	{
		if (depth > max_nesting)
			refuse("The json is nested too deeply.");
		Value value;
		if (take("{")) {
			value.kind = Value::object;
			read_elements(value, "}", depth);
		} else if (take("[")) {
			value.kind = Value::array;
			read_elements(value, "]", depth);
		} else if (take("\"")) {
			value.kind = Value::string;
			value.text = read_string();
		} else if (take("true") || take("false")) {
			value.kind = Value::boolean;
		} else if (!take("null")) {
			value.kind = Value::number;
			const auto [end, error] = from_chars(rest_.data(), rest_.data() + rest_.size(), value.value);
			if (error != std::errc() && error != std::errc::result_out_of_range)
				refuse("The json is broken: a value is missing.");
			if (error != std::errc() || !(std::abs(value.value) <= max_number))
				refuse("A number is out of range.");
			rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
		}
		return value;
	}

	void read_elements(Value &value, std::string_view end, std::size_t depth)
	{
		if (take(end))
			return;
		do {
			if (value.kind == Value::object) {
				expect("\"");
				value.keys.push_back(read_string());
				expect(":");
			}
			value.elements.push_back(read(depth + 1));
		} while (take(","));
		expect(end);
	}

	std::string read_string()
	{
		std::string text;
		for (;;) {
			const std::size_t end = rest_.find_first_of("\"\\");
			if (end == std::string_view::npos || (rest_[end] == '\\' && end + 1 == rest_.size()))
				refuse("The json is broken: a string has no end.");
			text.append(rest_.substr(0, end));
			const char found = rest_[end], after = end + 1 < rest_.size() ? rest_[end + 1] : '\0';
			rest_.remove_prefix(end + 1);
			if (found == '"')
				return text;
			text += after; // escapes of other characters occur in no name of a rule
			rest_.remove_prefix(1);
		}
	}

	std::string_view rest_;
};

const Value &object_of(const Value *value)
{
	if (value == nullptr || value->kind != Value::object)
		refuse("An object is missing.");
	return *value;
}

Signal signal_in(const Value &object)
{
	const std::string &text = object.string_in("signal");
	for (std::size_t i = 0; i < signal_count; ++i)
		if (name(static_cast<Signal>(i)) == text)
			return static_cast<Signal>(i);
	refuse("There is no signal \"" + text + "\".");
}

std::uint32_t read_node(const Value *value, Tree &tree, std::size_t depth)
{
	if (depth > max_depth || tree.size() > max_parts)
		refuse("A tree is too large.");
	const auto at = static_cast<std::uint32_t>(tree.size());
	tree.push_back({});
	if (value != nullptr && value->kind == Value::number) {
		tree[at].is_leaf = true;
		tree[at].value = value->value;
		return at;
	}
	const Value &object = object_of(value);
	tree[at].signal = signal_in(object);
	tree[at].value = object.number_in("above");
	const std::uint32_t first = read_node(object.find("yes"), tree, depth + 1),
						second = read_node(object.find("no"), tree, depth + 1);
	tree[at].yes = first;
	tree[at].no = second;
	return at;
}

Term read_term(const Value &object)
{
	Term term{};
	term.signal = signal_in(object);
	const std::string &of = object.string_in("of");
	unsigned transform = 0;
	while (transform < transforms && name(static_cast<Transform>(transform)) != of)
		++transform;
	if (transform == transforms)
		refuse("There is no transformation \"" + of + "\".");
	term.transform = static_cast<Transform>(transform);
	term.center = object.number_in("center");
	term.scale = object.number_in("scale");
	term.weight = object.number_in("weight");
	if (!(term.scale > 0))
		refuse("A scale is not positive.");
	return term;
}

void read_rule(const Value &root, RuleReading &reading)
{
	LearnedRule &learned = reading.rule;
	if (root.kind != Value::object)
		refuse("It is not an object.");
	if (root.string_in("rule") != "txtfp" || root.number_in("version") != rule_version)
		refuse("It is of another kind or version.");
	reading.signals_version = root.number_in("signals_version");
	reading.is_of_other_signals =
		!(reading.signals_version >= oldest_rule_signals && reading.signals_version <= signals_version);
	if (reading.is_of_other_signals)
		refuse("It is for signals of another version than " + std::to_string(oldest_rule_signals) + " to " + std::to_string(signals_version) + ".");
	learned.rule.intercept = root.number_in("intercept");
	for (const Value &term : root.array_in("terms"))
		learned.rule.terms.push_back(read_term(object_of(&term)));
	for (const Value &tree : root.array_in("trees"))
		read_node(&tree, learned.rule.trees.emplace_back(), 0);
	for (const Value &element : root.array_in("cut_offs")) {
		const Value &cut = object_of(&element);
		CutOff &read = learned.cut_offs.emplace_back();
		read.precision = cut.number_in("wished");
		read.remove_from = cut.number_in("remove_from");
		read.keep_below = cut.number_in("keep_below");
	}
}

} // namespace

RuleReading read_rule(std::string_view json)
{
	RuleReading reading{};
	try {
		if (json.size() > max_bytes)
			refuse("It is too large.");
		read_rule(Reader(json).all(), reading);
	} catch (const Wrong &wrong) {
		reading.wrong = wrong.what;
	}
	return reading;
}

const CutOff *cut_off_for(const LearnedRule &rule, double precision) noexcept
{
	const CutOff *found = nullptr;
	for (const CutOff &cut : rule.cut_offs)
		if (cut.precision >= precision && (found == nullptr || cut.precision < found->precision))
			found = &cut;
	return found;
}

} // namespace txtfp::core
