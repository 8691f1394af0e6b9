// Triggers decide about two texts as bulk functions do (core/decide/pair_decision.hpp): the options of the decision, as
// near_duplicate_trigger and live_clusters_trigger have them in their arguments, and the texts.
//
// The texts decide if a text column is named; then the default is to verify by `jaccard`, with the guards `balanced`.
#pragma once

#include "pg/decide/tokens.hpp"
#include "pg/fingerprint/fingerprint_kinds.hpp"
#include "pg/trigger/trigger.hpp"

namespace txtfp::pg {

// As they are given; nullptr: not given.
struct DecisionArguments {
	const char *text, *verify, *verify_threshold, *guard, *rule, *min_precision, *corpus, *tokenizer, *canonicalizer;
};
constexpr const char *decision_options = // for messages
	"\"text\", \"verify\", \"verify_threshold\", \"guard\", \"rule\", \"min_precision\", \"corpus\", \"tokenizer\", \"canonicalizer\"";

// False if the option is another one.
bool read_decision_option(const TriggerOption &option, DecisionArguments &arguments);

struct TextDecision {
	core::PairOptions options;
	const char *function; // of the trigger, for messages
	GivenTokens given;
	bool has_tokens;
	std::optional<core::SketchConfiguration> made; // has_tokens: of the fingerprints whose tokens they are
};

// In the current memory context; nullptr if there is no text column. `kind` and `limit` belong to the only
// fingerprint column, nullptr if there are several. Raises an error (22023) for a wrong value, for an option without a
// text column, for a rule without a precision, for a rule that needs numbers of neighbours, which triggers do not count,
// and for one that needs a corpus if there is none.
TextDecision *read_decision(
	const char *function, const DecisionArguments &arguments, const FingerprintKind *kind, double limit);

// Before decisions about rows with this fingerprint: sets the tokens unless they are given or need not be known. Raises an
// error (22023) if texts are to be compared by tokens that nobody knows.
void use_tokens_of(TextDecision &decision, const FingerprintKind &kind, Datum fingerprint);

// Raises an error (42804) unless the column is of type text, varchar or char. `option` names it.
void check_text_column(Relation table, AttrNumber number, const char *option);

// What decide_pair takes for the similarity of two rows: `measure` is in the unit of the kind.
double decision_similarity(const FingerprintKind &kind, double measure);

// a is the text of the row that may go. In the current memory context.
core::PairDecision decide(
	const TextDecision &decision, std::string_view a, std::string_view b, double similarity);

} // namespace txtfp::pg
