#include "pg/trigger/text_decision.hpp"

#include "core/compare/corpus_words.hpp"
#include "core/decide/rule_reader.hpp"
#include "pg/base/guard.hpp"
#include "pg/base/owned.hpp"
#include "pg/base/ranges.hpp"
#include "pg/base/text_arg.hpp"
#include "pg/decide/rule_json.hpp"
#include "pg/minhash/minhash.hpp"
#include "pg/text/options.hpp"
#include "pg/trigger/search_options.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
}

namespace txtfp::pg {

namespace {

using core::removal::Verify;

// The options in the order of the fields.
constexpr struct {
	const char *name;
	const char *DecisionArguments::*value;
} fields[] = {
	{"text", &DecisionArguments::text},
	{"verify", &DecisionArguments::verify},
	{"verify_threshold", &DecisionArguments::verify_threshold},
	{"guard", &DecisionArguments::guard},
	{"rule", &DecisionArguments::rule},
	{"min_precision", &DecisionArguments::min_precision},
	{"corpus", &DecisionArguments::corpus},
	{"tokenizer", &DecisionArguments::tokenizer},
	{"canonicalizer", &DecisionArguments::canonicalizer},
};

void check_has_text(const char *function, const DecisionArguments &arguments)
{
	for (const auto &field : fields)
		if (arguments.*field.value != nullptr)
			ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("option \"%s\" of %s needs the option \"text\"", field.name, function),
					errhint("Add text=<column>: the texts decide.")));
}

Verify verify_option(const char *function, const char *value)
{
	if (value == nullptr)
		return Verify::jaccard;
	const std::optional<Verify> verify = core::removal::parse_verify(value);
	if (!verify)
		reject_option(function, {"verify", value},
			"Valid values are \"none\", \"jaccard\", \"containment\" and \"lossless\".");
	return *verify;
}

// The threshold of the exact measures, where none is given: the fingerprints' own, if they estimate it.
double least_option(
	const char *function, const DecisionArguments &arguments, Verify verify, const FingerprintKind *kind, double limit)
{
	if (arguments.verify_threshold != nullptr) {
		const TriggerOption option{"verify_threshold", arguments.verify_threshold};
		return unit_interval_option(option.name, number_option(function, option));
	}
	if (verify == Verify::none || verify == Verify::lossless)
		return 0;
	if (kind == nullptr || kind->slots == 0)
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				errmsg("option \"verify=%s\" of %s needs the option \"verify_threshold\"",
					core::removal::verify_names[static_cast<int>(verify)].data(), function),
				kind == nullptr ? errdetail("Several fingerprint columns are compared.")
								: errdetail("The limit of type %s does not estimate that measure.", kind->type),
				errhint("Or use verify=lossless, which needs none.")));
	return limit;
}

core::Guards guards_option(const char *function, const char *value)
{
	std::string_view unknown;
	const std::optional<core::Guards> guards = core::Guards::parse(value != nullptr ? value : core::default_guards, unknown);
	if (!guards)
		reject_option(function, {"guard", value}, psprintf("Guards are %s, separated by commas.", core::guard_list.data()));
	return *guards;
}

// In the current memory context
const core::CorpusWords *corpus_option(const char *function, std::string_view digits)
{
	auto *corpus = make_owned<core::CorpusWords>(CurrentMemoryContext);
	bool valid = false;
	guarded([&] { valid = corpus->read_hex(digits); });
	if (!valid)
		reject_option(function, {"corpus", abbreviated(digits)}, "It is the text of a value of corpus_words_agg.");
	return corpus;
}

void read_rule_option(const char *function, const DecisionArguments &arguments, core::PairOptions &options)
{
	if ((arguments.rule == nullptr) != (arguments.min_precision == nullptr))
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				errmsg("options \"rule\" and \"min_precision\" of %s must be given together", function)));
	if (arguments.corpus != nullptr && arguments.rule == nullptr)
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				errmsg("option \"corpus\" of %s needs the option \"rule\"", function)));
	if (arguments.rule == nullptr)
		return;
	const Datum json = DirectFunctionCall1(jsonb_in, CStringGetDatum(arguments.rule));
	const StoredRule &stored = read_rule(DatumGetJsonbP(json), CurrentMemoryContext);
	options.rule = &stored.rule;
	if (stored.rule.uses_neighbours())
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("the rule of %s uses numbers of neighbours", function),
				errdetail("They are counted by bulk functions only."),
				errhint("Learn the rule from difference_signals(a, b).")));
	options.corpus = arguments.corpus == nullptr ? nullptr : corpus_option(function, arguments.corpus);
	if (options.corpus == nullptr && stored.rule.uses_corpus())
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("the rule of %s uses a corpus", function),
				errhint("Add corpus=<value of corpus_words_agg>.")));
	const TriggerOption precision{"min_precision", arguments.min_precision};
	const core::CutOff *found = core::cut_off_for(
		stored, positive_unit_option(precision.name, number_option(function, precision), Upper::open));
	if (found == nullptr)
		reject_option(function, precision, "The rule has no cut-off for it. Label more pairs, or lower it.");
	options.remove_from = found->remove_from;
	options.keep_below = found->keep_below;
}

} // namespace

bool read_decision_option(const TriggerOption &option, DecisionArguments &arguments)
{
	for (const auto &field : fields)
		if (strcmp(option.name, field.name) == 0) {
			arguments.*field.value = pstrdup(option.value);
			return true;
		}
	return false;
}

TextDecision *read_decision(
	const char *function, const DecisionArguments &arguments, const FingerprintKind *kind, double limit)
{
	if (arguments.text == nullptr) {
		check_has_text(function, arguments);
		return nullptr;
	}
	static_assert(std::is_trivially_destructible_v<TextDecision>);
	auto *decision = new (palloc(sizeof(TextDecision))) TextDecision{};
	core::PairOptions &options = decision->options;
	options.verify = verify_option(function, arguments.verify);
	options.least = least_option(function, arguments, options.verify, kind, limit);
	options.guards = guards_option(function, arguments.guard);
	options.measures = false;
	decision->function = function;
	decision->given = {arguments.tokenizer != nullptr, arguments.canonicalizer != nullptr};
	if (decision->given.tokenizer)
		options.tokenizer = tokenizer_option(arguments.tokenizer);
	if (decision->given.canonicalizer)
		options.canonical = canonicalizer_option(arguments.canonicalizer);
	read_rule_option(function, arguments, options);
	return decision;
}

void use_tokens_of(TextDecision &decision, const FingerprintKind &kind, Datum fingerprint)
{
	core::PairOptions &options = decision.options;
	if (!compares_tokens(options) && !options.measures)
		return;
	std::optional<core::SketchConfiguration> made;
	if (kind.slots > 0)
		made = {kind.compact ? sketch_view<std::uint8_t>(fingerprint).config
							 : sketch_view<std::uint64_t>(fingerprint).config,
			kind.slots};
	const auto config = [](const std::optional<core::SketchConfiguration> &of) { return of ? of->config : 0; };
	if (decision.has_tokens && made.has_value() == decision.made.has_value() && config(made) == config(decision.made))
		return;
	decision.has_tokens = false;
	const bool known = set_tokens(options, decision.given, made);
	if (!known && compares_tokens(options))
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				errmsg("%s needs the option \"tokenizer\": how the fingerprints were made is not known",
					decision.function),
				config(made) == 0 ? errdetail("They have no configuration.")
								  : errdetail("Nothing usual has their configuration, %016llx.",
										static_cast<unsigned long long>(config(made))),
				errhint("Give tokenizer and canonicalizer as the fingerprints were made with, or verify=lossless, which "
						"needs none.")));
	options.measures = options.measures && known;
	decision.made = made;
	decision.has_tokens = true;
}

void check_text_column(Relation table, AttrNumber number, const char *option)
{
	const Form_pg_attribute attribute = column(table, number);
	const Oid type = getBaseType(attribute->atttypid);
	if (type != TEXTOID && type != VARCHAROID && type != BPCHAROID)
		ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
				errmsg("column \"%s\" of relation \"%s\" has type %s, not text", NameStr(attribute->attname),
					RelationGetRelationName(table), format_type_be(attribute->atttypid)),
				errdetail("The option \"%s\" names the text that the fingerprint was made of.", option)));
}

double decision_similarity(const FingerprintKind &kind, double measure)
{
	switch (kind.unit) {
	case MeasureUnit::distance:
		return 1 - measure / 64;
	case MeasureUnit::passages:
		return 0;
	default:
		return measure;
	}
}

core::PairDecision decide(const TextDecision &decision, std::string_view a, std::string_view b, double similarity)
{
	core::PairDecision pair;
	guarded([&] { pair = core::decide_pair(a, b, similarity, decision.options, stop_token); });
	return pair;
}

} // namespace txtfp::pg
