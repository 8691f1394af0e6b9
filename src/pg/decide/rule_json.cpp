#include "pg/decide/rule_json.hpp"

#include "core/decide/rule_reader.hpp"
#include "pg/base/owned.hpp"
#include "pg/base/text_arg.hpp"

namespace txtfp::pg {

const StoredRule &read_rule(const Jsonb *json, MemoryContext context)
{
	const std::string_view text =
		JsonbToCString(nullptr, const_cast<JsonbContainer *>(&json->root), static_cast<int>(VARSIZE(json)));
	auto *reading = make_owned<core::RuleReading>(context);
	guarded([&] { *reading = core::read_rule(text); });
	if (reading->is_of_other_signals)
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				errmsg("the rule is for signals of version %s, not %d to %d", shortest(reading->signals_version),
					core::oldest_rule_signals, core::signals_version),
				errhint("Compute the signals of the labelled pairs again, and the rule from them.")));
	if (!reading->wrong.empty())
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("the value is not a decision rule"),
				errdetail_internal("%s", reading->wrong.c_str()), errhint("Rules are made by decision_rule.")));
	return reading->rule;
}

double score(const StoredRule &stored, const core::Signals &signals)
{
	const auto lacks = [&](core::Signal signal) { return signals[static_cast<std::size_t>(signal)] < 0; };
	if ((lacks(core::Signal::neighbours) || lacks(core::Signal::kept_neighbours)) && stored.rule.uses_neighbours())
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				errmsg("the signals have no number of neighbours, which the rule uses"),
				errhint("Use the signals of deduplicate, or give the numbers to difference_signals.")));
	if (lacks(core::Signal::weighted_shared) && stored.rule.uses_corpus())
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				errmsg("the signals were made without a corpus, which the rule uses"),
				errhint("Use the signals of deduplicate, or give difference_signals the corpus_words_agg of the texts.")));
	return stored.rule.score(signals);
}

} // namespace txtfp::pg
