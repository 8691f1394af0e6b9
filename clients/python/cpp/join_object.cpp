#include "join_object.hpp"

#include <limits>

#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include "core/base/union_find.hpp"
#include "core/compare/corpus_words.hpp"
#include "core/decide/rule_reader.hpp"
#include "core/minhash/config_names.hpp"
#include "joins.hpp"
#include "numpy.hpp"
#include "parallel.hpp"
#include "refused.hpp"

namespace txtfp::python {

using namespace nb::literals;

namespace {

// What a join is called with: a column of fingerprints, the order of its rows, and the options.
class Join {
public:
	// `second`: a second column; the pairs are then those across both. `order`, `second_order`: of their rows.
	Join(nb::handle fingerprints, std::string_view kind, nb::handle second, nb::handle order, nb::handle second_order,
		const core::JoinOptions &given, unsigned threads)
		: column_(fingerprints, kind)
	{
		if (!second.is_none()) {
			second_.emplace(second, "");
			column_.check_comparable(*second_);
		}
		values_ = Values(second_ && !column_.is_kind_known() ? second_->kind() : column_.kind());
		options_ = join_options(values_.kind, given, threads);
		if (column_.size() + (second_ ? second_->size() : 0) >= core::no_element)
			throw nb::value_error("a join has at most 4,294,967,294 rows");
		add_rows(column_, order);
		if (second_) {
			values_.second = static_cast<std::uint32_t>(rows_.size());
			add_rows(*second_, second_order);
		}
	}

	nb::object pairs(bool nearest) const
	{
		const std::vector<Pair> found = nearest ? nearest_pairs(values_, options_) : similar_pairs(values_, options_);
		std::vector<std::uint32_t> a, b;
		std::vector<double> measures;
		for (const Pair &pair : found) {
			a.push_back(rows_[pair.a]);
			b.push_back(rows_[pair.b]);
			measures.push_back(values_.kind->similarity_of(pair.measure));
		}
		return nb::make_tuple(to_numpy(std::move(a)), to_numpy(std::move(b)), to_numpy(std::move(measures)));
	}

	// (cluster, similarity, formed_at): for each row of the column the first row of its cluster, the similarity to that,
	// and NaN or the similarity at which the cluster was cut. A row without a fingerprint is alone.
	nb::object clusters(std::string_view mode, std::uint32_t max_size, nb::handle apart, nb::handle together) const
	{
		const Clusters found =
			python::clusters(values_, options_, mode_option(mode), max_size, decided(apart, together));
		std::vector<std::uint32_t> labels(column_.size());
		std::vector<double> similarities(column_.size(), 1), formed(column_.size(), nothing);
		for (std::uint32_t row = 0; row < labels.size(); ++row)
			labels[row] = row;
		for (std::size_t i = 0; i < found.labels.size(); ++i) {
			labels[rows_[i]] = rows_[found.labels[i]];
			similarities[rows_[i]] = found.similarities[i];
			if (!found.formed.empty())
				formed[rows_[i]] = found.formed[found.labels[i]];
		}
		return nb::make_tuple(
			to_numpy(std::move(labels)), to_numpy(std::move(similarities)), to_numpy(std::move(formed)));
	}

	// What is not given depends on the texts: where there are some, they are compared exactly, by the tokens of the
	// fingerprints, with the guards "balanced".
	nb::object removals(nb::handle texts, std::optional<std::string> verify, std::optional<double> least,
		std::optional<std::string> tokenizer, std::optional<std::string> canonicalizer,
		std::optional<std::string> guard, bool signals, std::optional<std::string> rule, std::optional<double> precision, nb::handle apart, nb::handle together) const
	{
		std::optional<Column> column;
		if (!texts.is_none()) {
			column.emplace(texts);
			if (column->size() != column_.size())
				throw nb::value_error("the numbers of texts and fingerprints differ");
		}
		core::LearnedRule learned;
		core::PairOptions pair = pair_options(verify.value_or(column ? "jaccard" : "none"), least,
			guard.value_or(column ? std::string(core::default_guards) : ""), column.has_value());
		if (column)
			set_tokens(tokenizer, canonicalizer, pair);
		pair.signals = signals;
		set_rule(rule, precision, learned, pair);
		if (pair.uses_signals() && !column)
			throw Refused(Refusal::invalid_parameter, "there are no texts for signals, guards or a rule", {},
				"Give them as texts.");
		TextOfRow text;
		if (column)
			text = [&](std::uint32_t row) -> core::removal::RowText {
				if (column->is_null(rows_[row]))
					return {};
				check_text((*column)[rows_[row]]);
				return {(*column)[rows_[row]], false};
			};
		core::CorpusWords corpus;
		if (pair.needs_corpus()) {
			nb::gil_scoped_release release;
			for (std::uint32_t row = 0; row < rows_.size(); ++row)
				if (const core::removal::RowText found = text(row); !found.is_null)
					corpus.add(found.utf8);
			pair.corpus = &corpus;
		}
		return to_python(deduplicate(values_, options_, pair, decided(apart, together), text), pair);
	}

private:
	static constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

	core::PairOptions pair_options(
		std::string_view verify, std::optional<double> least, std::string_view guard, bool has_texts) const
	{
		core::PairOptions pair;
		const auto parsed = core::removal::parse_verify(verify);
		if (!parsed)
			throw Refused(Refusal::invalid_parameter, "unrecognized value of verify: " + in_quotes(verify), {},
				"Valid values are \"none\", \"jaccard\", \"containment\" and \"lossless\".");
		pair.verify = *parsed;
		if (pair.verify != core::removal::Verify::none && !has_texts)
			throw Refused(Refusal::invalid_parameter, "there are no texts to be verified", {},
				"Give them as texts, or do not verify.");
		if (least && !(*least >= 0 && *least <= 1))
			throw Refused(
				Refusal::invalid_parameter, "verify_threshold must be between 0 and 1, not " + shortest(*least));
		if (is_exact(pair) && !least && !values_.kind->is_sketch())
			throw Refused(Refusal::invalid_parameter, "verify_threshold must not be null for fingerprints of this type",
				"Their similarity does not estimate that of the texts.",
				"Give the least Jaccard similarity of the texts, or \"lossless\" or \"none\" for verify.");
		pair.least = least.value_or(options_.threshold);
		std::string_view unknown;
		const auto guards = core::Guards::parse(guard, unknown);
		if (!guards)
			throw Refused(Refusal::invalid_parameter, "unrecognized guard: " + in_quotes(unknown), {},
				"Guards are " + std::string(core::guard_list) + ", separated by commas.");
		pair.guards = *guards;
		return pair;
	}

	static bool is_exact(const core::PairOptions &pair)
	{
		return pair.verify == core::removal::Verify::jaccard || pair.verify == core::removal::Verify::containment;
	}

	// The tokens of the exact comparison, if they are not given: those of the fingerprints, or by default where these
	// carry no configuration.
	void set_tokens(const std::optional<std::string> &tokenizer, const std::optional<std::string> &canonicalizer,
		core::PairOptions &pair) const
	{
		core::TextOptions made{.canonical = {}, .tokenizer = tokenizer_option("shingle-k=5/word-uax29")};
		if (values_.kind->is_sketch() && !rows_.empty() && !(tokenizer && canonicalizer)) {
			std::optional<core::TextOptions> found;
			if (column_.config() != 0)
				found = core::find_configuration(column_.config(), values_.kind->slots);
			pair.measures = found || tokenizer;
			if (!pair.measures && is_exact(pair))
				throw Refused(Refusal::invalid_parameter,
					"tokenizer must be given: how the fingerprints were made is not known",
					column_.config() == 0 ? "They have no configuration." : "Nothing usual has their configuration.",
					"Give tokenizer and canonicalizer as the fingerprints were made with, or verify=\"lossless\", which "
					"needs none.");
			made = found.value_or(made);
		}
		pair.tokenizer = tokenizer ? tokenizer_option(*tokenizer) : made.tokenizer;
		pair.canonical = canonicalizer ? canonicalizer_option(*canonicalizer) : made.canonical;
	}

	static void set_rule(const std::optional<std::string> &rule, std::optional<double> precision,
		core::LearnedRule &learned, core::PairOptions &pair)
	{
		if (rule.has_value() != precision.has_value())
			throw Refused(Refusal::invalid_parameter, "rule and min_precision must be given together", {},
				"For example: rule=r, min_precision=0.95.");
		if (!rule)
			return;
		core::RuleReading reading = core::read_rule(*rule);
		if (!reading.wrong.empty())
			throw Refused(Refusal::invalid_parameter, "the value is not a decision rule", reading.wrong,
				"Rules are made by decision_rule of the server.");
		learned = std::move(reading.rule);
		const core::CutOff *cut = core::cut_off_for(learned, *precision);
		if (cut == nullptr)
			throw Refused(Refusal::invalid_parameter,
				"the rule has no cut-off for a precision of " + shortest(*precision), {},
				"Label more removals and make the rule again, or lower min_precision.");
		pair.rule = &learned.rule;
		pair.remove_from = cut->remove_from;
		pair.keep_below = cut->keep_below;
	}

	using Numbers = nb::ndarray<const std::int64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

	// Pairs of rows of the column; those of which one has no fingerprint are left out.
	Decided decided(nb::handle apart, nb::handle together) const
	{
		std::vector<std::uint32_t> ranks(column_.size(), core::no_element);
		for (std::uint32_t rank = 0; rank < rows_.size(); ++rank)
			ranks[rows_[rank]] = rank;
		const auto read = [&](nb::handle given) {
			std::vector<core::RankPair> pairs;
			if (given.is_none())
				return pairs;
			const auto numbers = nb::cast<Numbers>(given);
			for (std::size_t i = 0; i < numbers.shape(0); ++i) {
				const auto a = static_cast<std::size_t>(numbers.data()[2 * i]), b = static_cast<std::size_t>(numbers.data()[2 * i + 1]);
				if (a >= ranks.size() || b >= ranks.size())
					throw nb::value_error("a pair names a row that there is not");
				if (ranks[a] != core::no_element && ranks[b] != core::no_element)
					pairs.push_back({ranks[a], ranks[b]});
			}
			return pairs;
		};
		return {read(apart), read(together)};
	}

	static core::ClusterMode mode_option(std::string_view mode)
	{
		if (const auto parsed = core::parse_mode(mode))
			return *parsed;
		throw Refused(Refusal::invalid_parameter, "unrecognized mode: " + in_quotes(mode), {},
			"Valid modes are \"components\", \"star\" and \"complete\".");
	}

	void add_rows(const Fingerprints &column, nb::handle order)
	{
		for (const std::uint32_t row : ordered_rows(order, column.size())) {
			if (column.is_null(row))
				continue;
			rows_.push_back(row);
			values_.add(column[row]);
		}
	}

	// (row, kept, similarity, jaccard, containment, kept_containment, reason, outcome, score, neighbours,
	// kept_neighbours, signals), the reason and the outcome by their numbers in the lists of the module; NaN where there
	// is nothing
	nb::object to_python(const Removals &removals, const core::PairOptions &pair) const
	{
		std::vector<std::uint32_t> row, kept, neighbours, kept_neighbours;
		std::vector<double> similarity, jaccard, containment, kept_containment, score, signals;
		std::vector<std::uint8_t> reasons, outcomes;
		for (const core::removal::Decision &decision : removals.decisions) {
			const core::PairDecision &found = decision.pair;
			row.push_back(rows_[decision.row]);
			kept.push_back(rows_[decision.kept]);
			similarity.push_back(decision.similarity);
			jaccard.push_back(found.has_measures ? found.overlap.jaccard() : nothing);
			containment.push_back(found.has_measures ? found.overlap.containment_of_a() : nothing);
			kept_containment.push_back(found.has_measures ? found.overlap.containment_of_b() : nothing);
			reasons.push_back(static_cast<std::uint8_t>(found.guard ? core::removal::reasons + static_cast<int>(*found.guard)
					: found.by_rule ? core::removal::reasons + static_cast<int>(core::guard_count)
									: static_cast<int>(found.reason)));
			outcomes.push_back(static_cast<std::uint8_t>(found.outcome));
			score.push_back(found.has_signals && pair.rule != nullptr ? found.score : nothing);
			neighbours.push_back(removals.neighbours[decision.row]);
			kept_neighbours.push_back(removals.neighbours[decision.kept]);
			for (std::size_t i = 0; pair.needs_all_signals() && i < core::signal_count; ++i)
				signals.push_back(found.has_signals && found.signals[i] >= 0 ? found.signals[i] : nothing);
		}
		return nb::make_tuple(to_numpy(std::move(row)), to_numpy(std::move(kept)), to_numpy(std::move(similarity)),
			to_numpy(std::move(jaccard)), to_numpy(std::move(containment)), to_numpy(std::move(kept_containment)),
			to_numpy(std::move(reasons)), to_numpy(std::move(outcomes)), to_numpy(std::move(score)),
			to_numpy(std::move(neighbours)), to_numpy(std::move(kept_neighbours)),
			to_numpy(std::move(signals), core::signal_count));
	}

	Fingerprints column_;
	std::optional<Fingerprints> second_;
	JoinOptions options_;
	Values values_{nullptr};
	std::vector<std::uint32_t> rows_; // of the column, in the order in which they win, then those of the second one
};

} // namespace

void define_join(nb::module_ &module)
{
	nb::list reasons, outcomes, signals;
	for (const char *name : core::removal::reason_names)
		reasons.append(name);
	for (unsigned guard = 0; guard < core::guard_count; ++guard)
		reasons.append(core::name(static_cast<core::Guard>(guard)));
	reasons.append("rule");
	for (const char *name : core::removal::outcome_names)
		outcomes.append(name);
	for (std::size_t signal = 0; signal < core::signal_count; ++signal)
		signals.append(core::name(static_cast<core::Signal>(signal)));
	module.attr("reasons") = reasons;
	module.attr("outcomes") = outcomes;
	module.attr("signals") = signals;
	nb::class_<Join>(module, "Join")
		.def(
			"__init__",
			[](Join *self, nb::handle fingerprints, std::string_view kind, nb::handle second, nb::handle order,
				nb::handle second_order, std::optional<double> threshold, std::optional<int> max_distance,
				std::optional<int> min_score, std::optional<double> recall, std::optional<int> bands,
				std::optional<int> rows, unsigned threads) {
				new (self) Join(fingerprints, kind, second, order, second_order,
					{threshold, max_distance, min_score, bands, rows, recall}, threads);
			},
			"fingerprints"_a, "kind"_a, "second"_a.none(), "order"_a.none(), "second_order"_a.none(),
			"threshold"_a.none(), "max_distance"_a.none(), "min_score"_a.none(), "recall"_a.none(), "bands"_a.none(),
			"rows"_a.none(), "threads"_a)
		.def("pairs", &Join::pairs, "nearest"_a)
		.def("clusters", &Join::clusters, "mode"_a, "max_size"_a, "apart"_a.none(), "together"_a.none())
		.def("removals", &Join::removals, "texts"_a.none(), "verify"_a.none(), "least"_a.none(),
			"tokenizer"_a.none(), "canonicalizer"_a.none(), "guard"_a.none(), "signals"_a, "rule"_a.none(), "min_precision"_a.none(), "apart"_a.none(),
			"together"_a.none());
}

} // namespace txtfp::python
