// txtfp dedup: which records of a file can go, as deduplicate of the extension decides
// (core/dedup/deduplication.hpp).
#include <array>
#include <cstdio>
#include <limits>
#include <optional>
#include <span>

#include "cli/decided_pairs.hpp"
#include "cli/join_run.hpp"
#include "core/decide/rule_reader.hpp"
#include "core/dedup/clusters.hpp"
#include "core/dedup/deduplication.hpp"
#include "core/review/review_page.hpp"
#include "review_page_files.hpp" // built from src/core/review/page

namespace txtfp::cli {

namespace {

struct DedupOptions {
	core::PairOptions pair;
	core::LearnedRule rule;
	JoinLimits limits;
};

core::LearnedRule read_rule_file(const std::string &path)
{
	InputFile file(path);
	std::string text;
	constexpr std::size_t step = 1 << 16, most = 16 << 20;
	for (std::size_t n = 1; n > 0; text.resize(text.size() - step + n)) {
		if (text.size() > most)
			throw Failure(path + " is too large for a rule");
		text.resize(text.size() + step);
		n = file.read(text.data() + text.size() - step, step);
	}
	core::RuleReading reading = core::read_rule(text);
	if (!reading.wrong.empty())
		throw Failure(
			path + " is not a decision rule: " + reading.wrong + " Rules are made by decision_rule of the extension.");
	return std::move(reading.rule);
}

void set_rule(const DedupCommand &command, DedupOptions &options)
{
	if (command.rule.empty() != (command.min_precision < 0))
		refuse("--rule and --min-precision must be given together");
	if (command.rule.empty())
		return;
	if (!(command.min_precision > 0 && command.min_precision < 1))
		refuse("the precision must be greater than 0 and less than 1");
	options.rule = read_rule_file(command.rule);
	const core::CutOff *cut = core::cut_off_for(options.rule, command.min_precision);
	if (cut == nullptr)
		refuse("the rule has no cut-off for that precision; label more removals and make it again, or lower "
			   "--min-precision");
	options.pair.rule = &options.rule.rule;
	options.pair.remove_from = cut->remove_from;
	options.pair.keep_below = cut->keep_below;
}

void set_options(const DedupCommand &command, DedupOptions &options)
{
	const Kind kind = parse_kind(command.join.method.kind);
	if (!kind->is_sketch())
		refuse("txtfp dedup is for minhash*, whose similarity estimates that of the texts");
	options.limits = join_limits(kind, command.join);
	if (options.limits.bounds.size() > 1)
		refuse("txtfp dedup takes one threshold");
	const auto verify = core::removal::parse_verify(command.verify);
	if (!verify)
		refuse("there is no verification " + in_quotes(command.verify) + "; valid are " +
			std::string(core::removal::verify_list));
	options.pair.verify = *verify;
	options.pair.least = options.limits.thresholds[0];
	if (command.verify_threshold >= 0) {
		if (command.verify_threshold > 1)
			refuse("the threshold of verification must be between 0 and 1");
		options.pair.least = command.verify_threshold;
	}
	if (command.guard != "none") {
		std::string_view unknown;
		const std::optional<core::Guards> guards = core::Guards::parse(command.guard, unknown);
		if (!guards)
			refuse("there is no guard " + in_quotes(unknown) + "; valid are " + std::string(core::guard_list) +
				", separated by commas, or none");
		options.pair.guards = *guards;
	}
	set_rule(command, options);
	const core::TextOptions text = make_recipe(kind, command.join.method.tokenizer, command.join.method.canonicalizer,
		command.join.method.hash, command.join.method.seed, command.join.method.weighting)
									   .text;
	options.pair.canonical = text.canonical;
	options.pair.tokenizer = text.tokenizer;
}

// What was decided about a row: the kept row that removes it, or the first of those whose removal meets the least
// objection.
struct Decision {
	std::uint32_t kept = core::no_element; // no_element: the row is kept, and nothing objects
	core::Outcome outcome = core::Outcome::keep;
	std::string_view reason;
	double similarity = 0, score = 0;
	bool measured = false, scored = false; // measured: both texts have a token
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
						throw Failure(file.whole_name() + ": the file has changed while it was read");
					bytes_.append(record.text);
					ends_.push_back(bytes_.size());
				}
				return std::string();
			});
			progress.at(file.file_position());
		}
		progress.end();
		if (next != wanted.end())
			throw Failure(file.whole_name() + ": the file has shrunk while it was read");
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

class Dedup final : private JoinRun, private core::removal::Host {
public:
	Dedup(const DedupCommand &command, const DedupOptions &options)
		: JoinRun(command.join, options.limits.bounds[0], options.limits.thresholds[0]), dedup_(command), pair_(options.pair),
		  text_budget_(memory_ / 8, temporary_), texts_(text_budget_)
	{
		if (command.review.empty())
			return;
		if (command.review == command.join.common.output || command.review == command.join.keep)
			refuse("--review names the file of another output");
		refuse_replacing(paths_.files, "--review", command.review, command.join.common.force);
	}

	int run()
	{
		OutputFile out(command_.common.output);
		std::optional<OutputFile> keep, page;
		if (!command_.keep.empty())
			keep.emplace(command_.keep);
		if (!dedup_.review.empty())
			page.emplace(dedup_.review);
		if (pair_.needs_corpus())
			collection_.count_words();
		read(true);
		pair_.corpus = collection_.corpus();
		decide();
		write_decisions(out);
		if (page)
			write_page(*page);
		if (keep)
			write_kept(*keep, [this](std::uint32_t row) { return !is_removed(row); });
		out.finish();
		if (keep)
			keep->finish();
		if (page)
			page->commit();
		if (keep)
			keep->commit();
		out.commit();
		collection_.counts().report(command_.common.quiet);
		if (!command_.common.quiet)
			report();
		return exit_ok;
	}

private:
	static constexpr std::uint32_t unknown = core::no_element;

	void decide()
	{
		const std::uint32_t rows = collection_.rows();
		core::JoinHost &host = workers_.own_host();
		Join join(collection_, {bound_, memory_ / 4}, temporary_, workers_, ranked());
		join_ = &join;
		DecidedPairs decided;
		decided.read(command_.apart, command_.together, collection_, join, host);
		core::removal::Deduplication deduplication(
			host, workers_, join.rows(), *this, pair_, decided.pairs(), rows, memory_ / 4);
		const std::span<std::uint32_t> labels = core::connect(host, workers_, join.rows(), rows);
		core::unite_together(decided.pairs(), labels);
		read_texts(labels);
		buffers_.resize(workers_.workers());
		workers_.begin_progress("comparing texts", rows, "rows");
		workers_.guard([&] { deduplication.run(labels); });
		workers_.end();
		total_ = deduplication.counts();
		for (std::uint32_t row = 0; row < rows; ++row)
			neighbours_.push_back(deduplication.neighbours(join.rank_of(row)));
		join_ = nullptr;
	}

	// Of the rows that are not alone.
	void read_texts(std::span<const std::uint32_t> labels)
	{
		std::vector<char> has_others(labels.size());
		for (std::uint32_t rank = 0; rank < labels.size(); ++rank)
			if (labels[rank] != rank)
				has_others[labels[rank]] = 1;
		std::vector<std::uint32_t> wanted;
		places_.assign(labels.size(), unknown);
		for (std::uint32_t row = 0; row < labels.size(); ++row)
			if (has_others[labels[join_->rank_of(row)]] != 0) {
				places_[row] = static_cast<std::uint32_t>(wanted.size());
				wanted.push_back(row);
			}
		InputFile file = input_again();
		texts_.read(file, format_, record_limit(command_.input, memory_), wanted, progress_);
		decisions_.resize(wanted.size());
	}

	bool has_texts() const override { return true; }
	core::removal::RowText text(std::uint32_t rank, unsigned place, unsigned worker) override
	{
		std::string &buffer = buffers_[worker][place];
		texts_.get(places_[join_->row_of(rank)], buffer);
		return {buffer, false};
	}
	void compute(unsigned, void (*fn)(void *data), void *data) override { fn(data); }
	core::StopToken stop() const override { return stop_token; }
	void put(const core::removal::Decision &found) override
	{
		const core::PairDecision &pair = found.pair;
		Decision &decision = decisions_[places_[join_->row_of(found.row)]];
		decision.kept = join_->row_of(found.kept);
		decision.outcome = static_cast<core::Outcome>(pair.outcome);
		decision.reason = pair.reason_name();
		decision.similarity = found.similarity;
		decision.scored = pair.has_signals && pair_.rule != nullptr;
		decision.score = pair.score;
		decision.measured = pair.has_measures;
		decision.jaccard = pair.overlap.jaccard();
		decision.containment = pair.overlap.containment_of_a();
		decision.kept_containment = pair.overlap.containment_of_b();
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
				"neighbours", "kept_neighbours", "score"},
			!command_.common.no_header, out);
		collection_.for_each_id([&](std::uint32_t row, const Id &id) {
			const Decision *decision = decision_of(row);
			if (decision == nullptr)
				return;
			const Id kept = collection_.id(decision->kept);
			constexpr std::size_t count = 5;
			char numbers[count][32];
			const double values[count] = {decision->similarity, decision->jaccard, decision->containment,
				decision->kept_containment, decision->score};
			for (std::size_t i = 0; i < count; ++i)
				std::snprintf(numbers[i], sizeof numbers[i], "%g", values[i]);
			const bool none = !decision->measured;
			const std::string own = std::to_string(neighbours_[row]), others = std::to_string(neighbours_[decision->kept]);
			rows.put({{id.text, id.is_number}, {kept.text, kept.is_number}, {core::name(decision->outcome)},
				{decision->reason}, {numbers[0], true}, {numbers[1], true, none}, {numbers[2], true, none},
				{numbers[3], true, none}, {own, true}, {others, true},
				{numbers[4], true, !decision->scored}});
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
		using namespace core::removal;
		std::string why, objections;
		const auto count = [](std::string &list, std::uint64_t n, std::string_view name) {
			if (n > 0)
				list += (list.empty() ? " (" : ", ") + std::to_string(n) + " " + std::string(name);
		};
		for (int reason = 0; reason < reasons; ++reason)
			count(why, total_.by_reason[reason], reason_names[reason]);
		for (unsigned guard = 0; guard < core::guard_count; ++guard)
			count(objections, total_.by_guard[guard], core::name(static_cast<core::Guard>(guard)));
		count(objections, total_.by_rule, "rule");
		std::string text = "txtfp: " + std::to_string(collection_.rows()) + " records, " +
			std::to_string(total_.by_outcome[removed]) + " to be removed" + why + (why.empty() ? "" : ")") + ", " +
			std::to_string(total_.by_outcome[review]) + " to be reviewed" +
			(total_.by_outcome[keep] > 0 ? " and " + std::to_string(total_.by_outcome[keep]) + " to be kept" : "") +
			objections + (objections.empty() ? "" : ")") + "; the exact comparison rejected " +
			std::to_string(total_.refused) + (total_.refused == 1 ? " pair\n" : " pairs\n");
		if (total_.left_out)
			text += "txtfp: some records are similar to more kept ones than a record is compared with\n";
		std::fputs(text.c_str(), stderr);
	}

	const DedupCommand &dedup_;
	core::PairOptions pair_;
	Budget text_budget_;
	ClusterTexts texts_;
	std::vector<std::uint32_t> neighbours_, places_; // by row; places_: unknown for those in no cluster
	std::vector<Decision> decisions_;                // by place
	std::vector<std::array<std::string, 2>> buffers_; // of texts, by worker
	core::removal::Counts total_;
	Join *join_ = nullptr; // while it is decided
};

} // namespace

int run_dedup(const DedupCommand &command)
{
	DedupOptions options;
	set_options(command, options);
	return Dedup(command, options).run();
}

} // namespace txtfp::cli
