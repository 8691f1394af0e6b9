#include "pg/bulk/removal_options.hpp"

#include "core/decide/rule_reader.hpp"
#include "pg/base/guard.hpp"
#include "pg/base/ranges.hpp"
#include "pg/base/text_arg.hpp"
#include "pg/decide/rule_json.hpp"
#include "pg/decide/tokens.hpp"
#include "pg/text/options.hpp"

namespace txtfp::pg {

namespace {

using core::removal::Verify;

Verify verify_option(std::string_view name)
{
	const std::optional<Verify> verify = core::removal::parse_verify(name);
	if (!verify)
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				errmsg("unrecognized value of verify: \"%s\"", abbreviated(name)),
				errhint("Valid values are \"none\", \"jaccard\", \"containment\" and \"lossless\".")));
	return *verify;
}

core::Guards guards_option(std::string_view text)
{
	std::string_view unknown;
	const std::optional<core::Guards> guards = core::Guards::parse(text, unknown);
	if (!guards)
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("unrecognized guard: \"%s\"", abbreviated(unknown)),
				errhint("Guards are %s, separated by commas.", core::guard_list.data())));
	return *guards;
}

void read_rule_option(FunctionCallInfo fcinfo, int rule_argument, RemovalOptions &options)
{
	const bool has_rule = !PG_ARGISNULL(rule_argument), has_precision = !PG_ARGISNULL(rule_argument + 1);
	if (has_rule != has_precision)
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("rule and min_precision must be given together"),
				errhint("For example: rule => r, min_precision => 0.95.")));
	if (!has_rule)
		return;
	const StoredRule &rule = read_rule(PG_GETARG_JSONB_P(rule_argument), CurrentMemoryContext);
	options.rule = &rule.rule;
	const core::CutOff &cut = cut_off_option(rule, PG_GETARG_FLOAT8(rule_argument + 1));
	options.remove_from = cut.remove_from;
	options.keep_below = cut.keep_below;
}

void check_texts(const RemovalOptions &options, bool has_texts)
{
	if (has_texts)
		return;
	if (options.uses_signals())
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				errmsg("the query returns no text for signals, guards or a rule"),
				errhint("Return it as the third column.")));
	if (options.verify != Verify::none)
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("the query returns no text to be verified"),
				errhint("Return it as the third column, or do not verify.")));
}

void refuse_unknown_tokens(std::uint64_t config)
{
	ereport(ERROR,
		(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			errmsg("tokenizer must be given: how the fingerprints were made is not known"),
			config == 0 ? errdetail("They have no configuration.")
						: errdetail("Nothing usual has their configuration, %016llx.",
							  static_cast<unsigned long long>(config)),
			errhint("Give tokenizer and canonicalizer as the fingerprints were made with, or verify => 'lossless', "
					"which needs none.")));
}

// Measures are left out where nobody knows the tokens.
void choose_tokens(RemovalOptions &options, const FingerprintJoin &join)
{
	const std::optional<core::SketchConfiguration> made = join.configuration();
	options.measures = set_tokens(options, {options.has_tokenizer, options.has_canonicalizer}, made);
	if (!options.measures && compares_tokens(options))
		refuse_unknown_tokens(made ? made->config : 0);
}

} // namespace

const core::CutOff &cut_off_option(const StoredRule &rule, double min_precision)
{
	const core::CutOff *found =
		core::cut_off_for(rule, positive_unit_option("min_precision", min_precision, Upper::open));
	if (found == nullptr)
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				errmsg("the rule has no cut-off for a precision of %s", shortest(min_precision)),
				errhint("Label more removals and make the rule again, or lower min_precision.")));
	return *found;
}

RemovalOptions removal_options(FunctionCallInfo fcinfo, int query, const JoinOptions &join)
{
	// After the query: threshold, verify, verify_threshold, explain, tokenizer, canonicalizer, six of the join, signals,
	// guard, rule, min_precision.
	enum { verify = 2, verify_threshold, explain, tokenizer, canonicalizer, signals = 13, guard, rule };
	RemovalOptions options;
	const auto has = [&](int argument) { return !PG_ARGISNULL(query + argument); };
	const auto text = [&](int argument) { return text_arg(fcinfo, query + argument); };
	options.has_verify = has(verify);
	if (options.has_verify)
		options.verify = verify_option(text(verify));
	options.has_threshold = has(verify_threshold);
	options.least = join.threshold.value_or(0);
	if (options.has_threshold)
		options.least = unit_interval_option("verify_threshold", PG_GETARG_FLOAT8(query + verify_threshold));
	check_not_null(fcinfo, query + explain, "explain");
	options.explain = PG_GETARG_BOOL(query + explain);
	options.has_tokenizer = has(tokenizer);
	if (options.has_tokenizer)
		options.tokenizer = tokenizer_option(text(tokenizer));
	options.has_canonicalizer = has(canonicalizer);
	if (options.has_canonicalizer)
		options.canonical = canonicalizer_option(text(canonicalizer));
	check_not_null(fcinfo, query + signals, "signals");
	options.signals = PG_GETARG_BOOL(query + signals);
	options.has_guards = has(guard);
	if (options.has_guards)
		options.guards = guards_option(text(guard));
	read_rule_option(fcinfo, query + rule, options);
	return options;
}

void finish_options(RemovalOptions &options, const FingerprintJoin &join, bool has_texts)
{
	check_texts(options, has_texts);
	if (!has_texts)
		return;
	if (!options.has_verify)
		options.verify = Verify::jaccard;
	if (!options.has_guards)
		options.guards = guards_option(core::default_guards);
	if (compares_tokens(options) && !options.has_threshold && !join.estimates_jaccard())
		ereport(ERROR,
			(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				errmsg("verify_threshold must not be null for fingerprints of this type"),
				errdetail("Their similarity does not estimate that of the texts."),
				errhint("Give the least Jaccard similarity of the texts, or \"lossless\" or \"none\" for verify.")));
	choose_tokens(options, join);
}

} // namespace txtfp::pg
