// txtfp dedup: which records of a file can go, as deduplicate of the extension decides (pg/bulk/deduplication.hpp). In
// the order of priority a record is removed if it is similar to one that has been kept and an exact comparison of both
// texts confirms it. Guards may object; then it stays and is to be reviewed.
#include <algorithm>
#include <cstdio>
#include <limits>
#include <optional>
#include <span>

#include "cli/join_run.hpp"
#include "core/compare/difference_signals.hpp"
#include "core/compare/text_measures.hpp"
#include "core/decide/guards.hpp"
#include "core/decide/removal.hpp"
#include "core/minhash/minhash_join.hpp"
#include "core/review/review_page.hpp"
#include "review_page_files.hpp" // built from src/core/review/page

namespace txtfp::cli {

namespace {

using core::removal::Verify, core::removal::Reason, core::removal::reason_names;
using enum core::removal::Reason;

struct DedupOptions {
	Verify verify = Verify::none;
	double least = 0; // value of the exact measure
	std::optional<core::Guards> guards;
	JoinLimits limits;
	double lower = 0; // threshold at which neighbours are counted
	int lower_bound = 0;
};

Verify parse_verify(const std::string &name)
{
	constexpr std::pair<std::string_view, Verify> names[] = {{"none", Verify::none}, {"jaccard", Verify::jaccard},
		{"containment", Verify::containment}, {"lossless", Verify::lossless}};
	for (const auto &[known, verify] : names)
		if (name == known)
			return verify;
	refuse("there is no verification " + in_quotes(name) + "; valid are jaccard, containment, lossless and none");
}

DedupOptions dedup_options(const DedupCommand &command)
{
	const Kind kind = *parse_kind(command.join.method.kind);
	if (!is_minhash(kind))
		refuse("txtfp dedup is for minhash*, whose similarity estimates that of the texts");
	DedupOptions options;
	options.limits = join_limits(kind, command.join);
	if (options.limits.bounds.size() > 1)
		refuse("txtfp dedup takes one threshold");
	options.verify = parse_verify(command.verify);
	options.least = options.limits.thresholds[0];
	if (command.verify_threshold >= 0) {
		if (command.verify_threshold > 1)
			refuse("the threshold of verification must be between 0 and 1");
		options.least = command.verify_threshold;
	}
	if (command.guard != "none") {
		std::string_view unknown;
		options.guards = core::Guards::parse(command.guard, unknown);
		if (!options.guards)
			refuse("there is no guard " + in_quotes(unknown) +
				"; valid are symbol, number, name, repeated, two_sided, scope, first_line and neighbours, separated by "
				"commas, or none");
	}
	constexpr double lower = 0.75; // as the server
	options.lower = options.limits.thresholds[0] * (options.guards ? lower : 1);
	options.lower_bound = least_equal(kind, options.lower);
	return options;
}

// What was decided about a row: the kept row that removes it, or the first of those whose removal meets the least
// objection.
struct Decision {
	std::uint32_t kept = core::no_element; // no_element: the row is kept, and nothing objects
	core::Outcome outcome = core::Outcome::keep;
	std::string_view reason;
	double similarity = 0;
	bool measured = false; // both texts have a token
	double jaccard = 0, containment = 0, kept_containment = 0;
};

// The texts of the rows that are in clusters.
class ClusterTexts {
public:
	explicit ClusterTexts(Budget &budget) : bytes_(budget) {}

	// `wanted` has the rows in ascending order.
	void read(InputFile &file, RecordFormat &format, const RecordLimit &limit, const std::vector<std::uint32_t> &wanted,
		Progress &progress)
	{
		BatchReader reader(file, format, limit);
		RecordParser parser(format);
		ends_.reserve(wanted.size());
		auto next = wanted.begin();
		Batch batch;
		std::uint64_t row = 0;
		progress.begin("reading texts", file.file_size(), "MB");
		while (reader.next(batch)) {
			stop_token.check();
			BatchResult result;
			for_each_record(batch, parser, result, [&](const Record &record, bool parsed) {
				const bool is_next = next != wanted.end() && *next == row;
				++row;
				if (is_next) {
					++next;
					if (!parsed || !record.has_text)
						throw Failure(file.name() + ": the file has changed while it was read");
					bytes_.append(record.text);
					ends_.push_back(bytes_.size());
				}
				return std::string();
			});
			progress.at(file.file_position());
		}
		progress.end();
		if (next != wanted.end())
			throw Failure(file.name() + ": the file has shrunk while it was read");
	}

	// By the place of the row in `wanted`. Several threads may do so at once.
	void get(std::size_t place, std::string &text) const
	{
		const std::uint64_t begin = place == 0 ? 0 : ends_[place - 1];
		text.resize(ends_[place] - begin);
		bytes_.read(begin, text.data(), text.size());
	}

private:
	ByteStore bytes_;
	std::vector<std::uint64_t> ends_;
};

struct Counts {
	std::uint64_t by_reason[reasons] = {}, by_guard[core::guard_count] = {}, refused = 0, limited = 0;
};

class Dedup : private JoinRun {
public:
	Dedup(const DedupCommand &command, const DedupOptions &options)
		: JoinRun(command.join, options.lower_bound, options.lower), dedup_(command), options_(options),
		  text_options_(fingerprint_options(kind_, command.join.method.tokenizer, command.join.method.canonicalizer,
			  command.join.method.hash, command.join.method.seed, command.join.method.weighting)
							.text),
		  text_budget_(memory_ / 8, temporary_), texts_(text_budget_)
	{
		if (command.review.empty())
			return;
		if (command.review == command.join.common.output || command.review == command.join.keep)
			refuse("--review names the file of another output");
		refuse_replacing({command.join.input.path}, "--review", command.review, command.join.common.force);
	}

	int run()
	{
		OutputFile out(command_.common.output);
		std::optional<OutputFile> keep, page;
		if (!command_.keep.empty())
			keep.emplace(command_.keep);
		if (!dedup_.review.empty())
			page.emplace(dedup_.review);
		read(true);
		decide();
		write_decisions(out);
		if (page)
			write_page(*page);
		if (keep)
			write_kept(*keep, [this](std::uint32_t row) { return !is_removed(row); });
		if (page)
			page->commit();
		if (keep)
			keep->commit();
		out.commit();
		report_skipped(collection_.broken().size(), command_.common.quiet);
		if (!command_.common.quiet)
			report();
		return exit_ok;
	}

private:
	// Of the kept rows that a row is similar to, the first ones are compared with it; otherwise thousands of rows that
	// guards keep would be compared with each other.
	static constexpr unsigned most_comparisons = 256;
	static constexpr std::size_t task_rows = 64;
	static constexpr std::uint32_t unknown = core::no_element;

	void decide()
	{
		Join join(collection_, {bound_, memory_ / 4}, temporary_, workers_);
		const std::vector<std::uint32_t> labels = join.components_and_neighbours(options_.limits.widest(), neighbours_);
		const std::vector<std::uint32_t> order = Join::rows_of_clusters(labels, ranked());
		std::vector<std::uint32_t> wanted = order;
		std::sort(wanted.begin(), wanted.end());
		places_.assign(labels.size(), unknown);
		for (std::uint32_t place = 0; place < wanted.size(); ++place)
			places_[wanted[place]] = place;
		InputFile file = input_again();
		texts_.read(file, format_, record_limit(command_.input, memory_), wanted, progress_);
		decisions_.resize(wanted.size());

		std::vector<std::size_t> tasks = {0}; // whole components
		for (std::size_t i = 1; i < order.size(); ++i)
			if (labels[order[i]] != labels[order[i - 1]] && i - tasks.back() >= task_rows)
				tasks.push_back(i);
		tasks.push_back(order.size());
		workers_.begin_progress("comparing texts", order.size(), "rows");
		counts_.resize(workers_.workers());
		workers_.for_each(order.empty() ? 0 : tasks.size() - 1, [&](unsigned worker, std::size_t task) {
			for (std::size_t begin = tasks[task], end; begin < tasks[task + 1]; begin = end) {
				for (end = begin + 1; end < tasks[task + 1] && labels[order[end]] == labels[order[begin]];)
					++end;
				decide_component({order.data() + begin, end - begin}, counts_[worker]);
			}
			workers_.host(worker).progress(tasks[task + 1] - tasks[task]);
		});
		workers_.end();
		for (const Counts &counts : counts_)
			add(counts);
	}

	void add(const Counts &counts)
	{
		for (int reason = 0; reason < reasons; ++reason)
			total_.by_reason[reason] += counts.by_reason[reason];
		for (unsigned guard = 0; guard < core::guard_count; ++guard)
			total_.by_guard[guard] += counts.by_guard[guard];
		total_.refused += counts.refused;
		total_.limited += counts.limited;
	}

	void decide_component(std::span<const std::uint32_t> rows, Counts &counts)
	{
		std::vector<std::uint32_t> kept;
		std::string text, kept_text;
		Value buffers[2];
		for (const std::uint32_t row : rows) {
			stop_token.check();
			texts_.get(places_[row], text);
			const std::uint8_t *value = collection_.value(row, buffers[0]);
			Decision best;
			unsigned compared = 0;
			std::optional<Reason> reason;
			std::optional<core::Guard> guard;
			for (const std::uint32_t other : kept) {
				const int equal = cli::compare(kind_, value, collection_.value(other, buffers[1]));
				if (equal < options_.limits.widest())
					continue;
				if (++compared > most_comparisons) {
					++counts.limited;
					break;
				}
				texts_.get(places_[other], kept_text);
				Decision decision;
				decision.kept = other;
				decision.similarity = similarity_of(kind_, equal);
				std::optional<core::Guard> objection;
				const std::optional<Reason> why = compare_texts(row, text, kept_text, decision, objection);
				if (!why) {
					++counts.refused;
					continue;
				}
				if (best.kept == unknown || !objection) {
					best = decision;
					reason = why;
					guard = objection;
				}
				if (!objection)
					break;
			}
			if (guard)
				++counts.by_guard[static_cast<unsigned>(*guard)];
			else if (reason)
				++counts.by_reason[*reason];
			if (best.kept != unknown)
				decisions_[places_[row]] = best;
			if (best.outcome != core::Outcome::remove)
				kept.push_back(row);
		}
	}

	// Returns nothing if the exact comparison refuses the removal. Sets outcome and reason.
	std::optional<Reason> compare_texts(std::uint32_t row, const std::string &text, const std::string &kept_text,
		Decision &decision, std::optional<core::Guard> &objection) const
	{
		Reason reason = decision.similarity == 1 ? equal_fingerprint : similarity;
		const core::SetOverlap overlap =
			core::token_overlap(text, kept_text, text_options_.canonical, text_options_.tokenizer, stop_token);
		decision.measured = overlap.a > 0 && overlap.b > 0;
		decision.jaccard = overlap.jaccard();
		decision.containment = overlap.containment_of_a();
		decision.kept_containment = overlap.containment_of_b();
		if (text == kept_text) {
			reason = equal_text;
		} else {
			if (options_.verify == Verify::lossless && !core::has_all_of(kept_text, text, stop_token))
				return std::nullopt;
			const bool by_jaccard = options_.verify == Verify::jaccard;
			if (by_jaccard || options_.verify == Verify::containment)
				if (!decision.measured || (by_jaccard ? decision.jaccard : decision.containment) < options_.least)
					return std::nullopt;
			if (options_.verify != Verify::none)
				reason = by_jaccard ? jaccard : options_.verify == Verify::lossless ? lossless : containment;
			if (options_.guards)
				objection = judge(row, decision.kept, core::difference_signals(text, kept_text, stop_token), reason);
		}
		decision.outcome = objection ? core::Outcome::review : core::Outcome::remove;
		decision.reason = objection ? core::name(*objection) : reason_names[reason];
		return reason;
	}

	std::optional<core::Guard> judge(std::uint32_t row, std::uint32_t kept, core::Signals signals, Reason &reason) const
	{
		const auto signal = [&](core::Signal which) -> double & { return signals[static_cast<std::size_t>(which)]; };
		signal(core::Signal::neighbours) = neighbours_[row];
		signal(core::Signal::kept_neighbours) = neighbours_[kept];
		if (signal(core::Signal::edits) == 0)
			reason = signal(core::Signal::symbols) > 0 ? symbols_differ : equal_words;
		return options_.guards->veto(signals);
	}

	const Decision *decision_of(std::uint32_t row) const
	{
		if (places_[row] == unknown || decisions_[places_[row]].kept == unknown)
			return nullptr;
		return &decisions_[places_[row]];
	}
	bool is_removed(std::uint32_t row) const
	{
		const Decision *decision = decision_of(row);
		return decision != nullptr && decision->outcome == core::Outcome::remove;
	}

	void write_decisions(OutputFile &out)
	{
		RowWriter rows(rows_,
			{"id", "kept", "outcome", "reason", "similarity", "jaccard", "containment", "kept_containment",
				"neighbours", "kept_neighbours"},
			!command_.common.no_header, out);
		collection_.for_each_id([&](std::uint32_t row, const Id &id) {
			const Decision *decision = decision_of(row);
			if (decision == nullptr)
				return;
			const Id kept = collection_.id(decision->kept);
			char numbers[4][32];
			const double values[4] = {
				decision->similarity, decision->jaccard, decision->containment, decision->kept_containment};
			for (std::size_t i = 0; i < 4; ++i)
				std::snprintf(numbers[i], sizeof numbers[i], "%g", values[i]);
			const std::string own = std::to_string(neighbours_[row]),
							  others = std::to_string(neighbours_[decision->kept]);
			const bool none = !decision->measured;
			rows.put({{id.text, id.is_number}, {kept.text, kept.is_number}, {core::name(decision->outcome)},
				{decision->reason}, {numbers[0], true}, {numbers[1], true, none}, {numbers[2], true, none},
				{numbers[3], true, none}, {own, true}, {others, true}});
		});
		rows.flush();
	}

	void write_page(OutputFile &out)
	{
		core::ReviewOptions options;
		options.title = "Planned removals of " + (command_.input.path == "-" ? "standard input" : command_.input.path);
		core::ReviewPage page(options);
		std::string text, kept_text;
		progress_.begin("writing the page", collection_.rows(), "rows");
		collection_.for_each_id([&](std::uint32_t row, const Id &id) {
			const Decision *decision = decision_of(row);
			if (decision == nullptr)
				return;
			const Id kept = collection_.id(decision->kept);
			texts_.get(places_[row], text);
			texts_.get(places_[decision->kept], kept_text);
			core::PlannedRemoval removal{};
			removal.id = id.text;
			removal.kept = kept.text;
			removal.text = text;
			removal.kept_text = kept_text;
			removal.outcome = decision->outcome;
			removal.reason = decision->reason;
			constexpr double none = std::numeric_limits<double>::quiet_NaN();
			removal.values = {decision->similarity, none, none, none, none};
			if (decision->measured)
				removal.values = {
					decision->similarity, decision->jaccard, decision->containment, decision->kept_containment, none};
			removal.neighbours = neighbours_[row];
			removal.kept_neighbours = neighbours_[decision->kept];
			page.add(removal, stop_token);
			progress_.at(row);
		});
		progress_.end();
		page.write(
			{review_html, review_css, review_js}, [&](std::string_view part) { out.write(part); }, stop_token);
	}

	void report() const
	{
		std::uint64_t removed = 0, reviewed = 0;
		std::string why, guards;
		const auto count = [](std::string &list, std::uint64_t n, std::string_view name) {
			if (n > 0)
				list += (list.empty() ? " (" : ", ") + std::to_string(n) + " " + std::string(name);
		};
		for (int reason = 0; reason < reasons; ++reason) {
			removed += total_.by_reason[reason];
			count(why, total_.by_reason[reason], reason_names[reason]);
		}
		for (unsigned guard = 0; guard < core::guard_count; ++guard) {
			reviewed += total_.by_guard[guard];
			count(guards, total_.by_guard[guard], core::name(static_cast<core::Guard>(guard)));
		}
		std::string text = "txtfp: " + std::to_string(collection_.rows()) + " records, " + std::to_string(removed) +
			" to be removed" + why + (why.empty() ? "" : ")") + ", " + std::to_string(reviewed) + " to be reviewed" +
			guards + (guards.empty() ? "" : ")") + "; the exact comparison rejected " + std::to_string(total_.refused) +
			(total_.refused == 1 ? " pair\n" : " pairs\n");
		if (total_.limited > 0)
			text += "txtfp: " + std::to_string(total_.limited) + " records are similar to more than " +
				std::to_string(most_comparisons) + " kept ones, and were compared with the first of them\n";
		std::fputs(text.c_str(), stderr);
	}

	const DedupCommand &dedup_;
	const DedupOptions &options_;
	core::TextOptions text_options_;
	Budget text_budget_;
	ClusterTexts texts_;
	std::vector<std::uint32_t> neighbours_, places_; // by row; of those in no cluster the place is unknown
	std::vector<Decision> decisions_;                // by place
	std::vector<Counts> counts_;                     // by worker
	Counts total_;
};

} // namespace

int run_dedup(const DedupCommand &command)
{
	const DedupOptions options = dedup_options(command);
	return Dedup(command, options).run();
}

} // namespace txtfp::cli
