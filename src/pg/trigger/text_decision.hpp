// Triggers decide about two texts as bulk functions do (core/decide/pair_decision.hpp): the options of the decision, as
// near_duplicate_trigger and live_clusters_trigger have them in their arguments, and the texts.
//
// The texts decide if a text column is named; then the default is to verify by `jaccard`, with the guards `balanced`.
#pragma once

#include "core/decide/pair_decision.hpp"
#include "pg/fingerprint/fingerprint_kinds.hpp"
#include "pg/trigger/trigger.hpp"

namespace txtfp::pg {

// As they are given; nullptr: not given.
struct DecisionArguments {
	const char *text, *verify, *verify_threshold, *guard, *rule, *min_precision, *tokenizer, *canonicalizer;
};
constexpr const char *decision_options = // for messages
	"\"text\", \"verify\", \"verify_threshold\", \"guard\", \"rule\", \"min_precision\", \"tokenizer\", \"canonicalizer\"";

// False if the option is another one.
bool read_decision_option(const TriggerOption &option, DecisionArguments &arguments);

// In the current memory context; nullptr if there is no text column. `kind` and `limit` are those of the only
// fingerprint column, nullptr if there are several. Raises an error (22023) for a wrong value, for an option without a
// text column, for a rule without a precision, and for a rule that needs numbers of neighbours, which triggers do not
// count.
const core::PairOptions *read_decision(
	const char *function, const DecisionArguments &arguments, const FingerprintKind *kind, double limit);

// Raises an error (42804) unless the column is of type text, varchar or char. `option` names it.
void check_text_column(Relation table, AttrNumber number, const char *option);

// What decide_pair takes for the similarity of two rows: `measure` is in the unit of the kind.
double decision_similarity(const FingerprintKind &kind, double measure);

// a is the text of the row that may go. In the current memory context.
core::PairDecision decide(
	const core::PairOptions &options, std::string_view a, std::string_view b, double similarity);

} // namespace txtfp::pg
