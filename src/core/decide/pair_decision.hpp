// The decision about one pair of similar texts: may the first go because the second stays? Every host asks here: bulk
// functions, triggers, live clusters, the command line, Python. A host brings the texts, the similarity of their
// fingerprints, and the numbers of neighbours if it joins rows; it follows the outcome.
//
//   verify   the texts themselves must confirm the removal; otherwise there is none (`outcomes`)
//   guards   differences that forbid a removal until somebody has read both texts (guards.hpp)
//   rule     a learned score, with two cut-offs (rule.hpp)
//
// Texts that are equal byte by byte always go, whatever guards and rules say. A row without a text has no decision: a
// host removes it only if PairOptions::needs_text() is false.
#pragma once

#include <optional>
#include <string_view>

#include "core/compare/difference_signals.hpp"
#include "core/compare/text_measures.hpp"
#include "core/decide/guards.hpp"
#include "core/decide/removal.hpp"
#include "core/decide/rule.hpp"

namespace txtfp::core {

struct PairOptions {
	removal::Verify verify = removal::Verify::none;
	double least = 0;           // value of the exact measure, for jaccard and containment
	CanonicalOptions canonical; // of the exact measures: the options by which the fingerprints were made
	TokenizerSpec tokenizer;
	bool measures = true; // compute them even where `verify` does not need them
	bool signals = false; // compute them even where neither guards nor a rule need them
	Guards guards;
	const Rule *rule = nullptr;               // outlives the decisions
	const CorpusWords *corpus = nullptr;      // of the signals, and of the signals that the rule was learned from
	double remove_from = 0, keep_below = 0;   // its cut-offs

	bool uses_signals() const noexcept { return needs_all_signals() || guards.any(); }
	bool needs_all_signals() const noexcept { return signals || rule != nullptr; }
	bool needs_corpus() const noexcept { return signals || (rule != nullptr && rule->uses_corpus()); }
	bool needs_text() const noexcept
	{
		return verify != removal::Verify::none || guards.any() || rule != nullptr;
	}
};

// Raised whenever the same options may decide otherwise about the same texts: whoever stores decisions compares it.
constexpr int decision_version = 3;

struct PairDecision {
	removal::Outcome outcome = removal::outcomes;
	removal::Reason reason = removal::similarity; // why it is removed, were there no objection
	std::optional<Guard> guard;                   // that objects
	bool by_rule = false;                         // the rule objects, and no guard does
	double score = 1;                             // of the rule
	bool has_measures = false;                    // both texts have a token
	SetOverlap overlap;
	bool has_signals = false;
	Signals signals;
	unsigned doubts = 0; // beside them, for guards

	// What the column `reason` shows.
	std::string_view reason_name() const noexcept
	{
		return guard ? name(*guard) : by_rule ? std::string_view("rule") : removal::reason_names[reason];
	}
};

constexpr double unknown_neighbours = -1;

// a is the text to be removed, b the one that is kept; both are valid UTF-8. `similarity` compares the fingerprints.
// Numbers of neighbours that are not known forbid nothing.
PairDecision decide_pair(std::string_view a, std::string_view b, double similarity, const PairOptions &options,
	StopToken stop = {}, double neighbours = unknown_neighbours, double kept_neighbours = unknown_neighbours);

// Asks guards and rule again, for a host that counts neighbours only for pairs that are not refused. Does nothing to a
// decision without signals.
void judge(PairDecision &decision, double neighbours, double kept_neighbours, const PairOptions &options) noexcept;

} // namespace txtfp::core
