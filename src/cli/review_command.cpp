// txtfp review: the page of HTML on which a person decides about planned removals.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <unordered_map>

#include "cli/parsed_records.hpp"
#include "cli/failure.hpp"
#include "cli/stop.hpp"
#include "core/base/numbers.hpp"
#include "core/review/review_page.hpp"
#include "review_page_files.hpp" // built from src/core/review/page

namespace txtfp::cli {

namespace {

// The fields that the page knows; those to be shown come behind them. Measures are in the order of core::Measure.
enum Field {
	id,
	kept,
	a,
	b,
	cluster,
	text,
	kept_text,
	outcome,
	reason,
	stratum,
	verdict,
	label,
	signals,
	neighbours,
	kept_neighbours,
	first_measure
};
const std::vector<std::string> field_names = {"id", "kept", "a", "b", "cluster", "text", "kept_text", "outcome",
	"reason", "stratum", "verdict", "label", "signals", "neighbours", "kept_neighbours", "similarity", "jaccard",
	"containment", "kept_containment", "score"};

using Fields = std::vector<std::optional<std::string>>;

std::string_view value_of(const Fields &fields, std::size_t i) { return fields[i] ? std::string_view(*fields[i]) : ""; }

// Calls visit(fields) as above.
template <class Visit>
void for_each_fields(const InputOptions &options, const std::vector<std::string> &show, bool quiet, const Visit &visit)
{
	RecordFormat format = record_format(options);
	if (format.format == Format::lines)
		throw Failure("lines have no fields; use --format jsonl, tsv or csv", exit_usage);
	format.header = true;
	format.only_more = true;
	format.more = field_names;
	format.more.insert(format.more.end(), show.begin(), show.end());
	for_each_parsed(options, format, quiet,
		[&](const Record &, RecordParser &parser, std::uint64_t) { return visit(parser.more()); });
}

std::string parse_number(const Fields &fields, std::size_t field, double &value)
{
	value = std::numeric_limits<double>::quiet_NaN();
	const std::string_view given = value_of(fields, field);
	if (given.empty())
		return {};
	const auto [end, error] = core::from_chars(given.data(), given.data() + given.size(), value);
	if (error != std::errc() || end != given.data() + given.size())
		return "the field " + in_quotes(field_names[field]) + " is not a number: " + in_quotes(given);
	return {};
}

// Signals as PostgreSQL writes a row: "(1,12,…,,)", the version first.
bool parse_signals(std::string_view given, core::Signals &signals)
{
	if (!given.starts_with('(') || !given.ends_with(')'))
		return false;
	given = given.substr(1, given.size() - 2);
	for (std::size_t i = 0; i <= core::signal_count; ++i) {
		const std::string_view part = given.substr(0, given.find(','));
		double value = -1;
		const auto [end, error] = core::from_chars(part.data(), part.data() + part.size(), value);
		if (!part.empty() && (error != std::errc() || end != part.data() + part.size()))
			return false;
		if (i == 0 && value != core::signals_version)
			return false;
		if (i > 0)
			signals[i - 1] = value;
		if ((i < core::signal_count) != (part.size() < given.size()))
			return false;
		given.remove_prefix(std::min(given.size(), part.size() + 1));
	}
	return true;
}

// One planned removal as a file has it.
struct Plan {
	std::string id, kept, outcome, reason, stratum, verdict;
	std::vector<std::string> more;
	std::array<double, core::measures> values;
	double neighbours, kept_neighbours;
	std::optional<core::Signals> signals;
	bool stays = false; // the row of a cluster that is kept
};

std::string read_plan(const Fields &fields, Plan &plan)
{
	const auto put = [&](std::string &to, std::size_t first, std::size_t second) {
		to = value_of(fields, fields[first] ? first : second);
	};
	const bool pair = !fields[id] && fields[a];
	put(plan.id, id, pair ? b : id);
	put(plan.kept, kept, pair ? a : cluster);
	if (plan.id.empty() || plan.kept.empty())
		return "the record has neither the fields id and kept, nor a and b, nor id and cluster";
	plan.stays = !fields[kept] && !pair && plan.id == plan.kept;
	plan.outcome = value_of(fields, outcome);
	plan.reason = value_of(fields, reason);
	plan.stratum = value_of(fields, stratum);
	put(plan.verdict, verdict, label);
	if (!plan.outcome.empty() && !core::parse_outcome(plan.outcome))
		return "there is no outcome " + in_quotes(plan.outcome) + "; valid are remove, review and keep";
	if (!plan.verdict.empty() && !core::parse_verdict(plan.verdict))
		return "there is no verdict " + in_quotes(plan.verdict) + "; valid are duplicate, variant, distinct and unsure";
	plan.signals.reset();
	if (fields[signals] && !parse_signals(*fields[signals], plan.signals.emplace()))
		return "the field \"signals\" is no row of difference_signals of this version: " + in_quotes(*fields[signals]);
	for (std::size_t i = 0; i < core::measures; ++i)
		if (std::string wrong = parse_number(fields, first_measure + i, plan.values[i]); !wrong.empty())
			return wrong;
	plan.more.clear();
	for (std::size_t i = field_names.size(); i < fields.size(); ++i)
		plan.more.emplace_back(value_of(fields, i));
	if (std::string wrong = parse_number(fields, neighbours, plan.neighbours); !wrong.empty())
		return wrong;
	return parse_number(fields, kept_neighbours, plan.kept_neighbours);
}

// The verdicts of a file, by both ids.
class Labels {
public:
	Labels(const std::string &path, bool quiet)
	{
		if (path.empty())
			return;
		InputOptions options;
		options.path = path;
		for_each_fields(options, {}, quiet, [&](const Fields &fields) { return add(fields); });
	}
	std::optional<core::Verdict> find(const std::string &id, const std::string &kept) const
	{
		const auto found = verdicts_.find(key(id, kept));
		return found == verdicts_.end() ? std::nullopt : std::optional(found->second);
	}

private:
	static std::string key(const std::string &id, const std::string &kept)
	{
		return std::to_string(id.size()) + ':' + id + kept;
	}
	std::string add(const Fields &fields)
	{
		const std::string_view given = value_of(fields, fields[verdict] ? verdict : label);
		if (given.empty())
			return {};
		if (!fields[id] || !fields[kept])
			return "the record has not the fields id and kept";
		const std::optional<core::Verdict> parsed = core::parse_verdict(given);
		if (!parsed)
			return "there is no verdict " + in_quotes(given) + "; valid are duplicate, variant, distinct and unsure";
		verdicts_.insert_or_assign(key(*fields[id], *fields[kept]), *parsed);
		return {};
	}

	std::unordered_map<std::string, core::Verdict> verdicts_;
};

// The texts of the ids that occur, in a temporary file.
class Texts {
public:
	explicit Texts(const std::string &directory) : file_(directory) {}

	void want(const std::string &id) { places_.try_emplace(id); }

	void read(const InputOptions &options, bool quiet)
	{
		name_ = for_each_parsed(
			options, record_format(options), quiet, [&](const Record &record, RecordParser &, std::uint64_t number) {
				keep(record.id.empty() ? std::to_string(number) : std::string(record.id), record);
				return std::string();
			});
	}

	// Returns what is wrong with an id, or "".
	std::string find(const std::string &id, std::string &text) const
	{
		const Place &place = places_.at(id);
		if (!place.known)
			return name_ + " has no text with the id " + in_quotes(id);
		text.resize(place.size);
		file_.read_at(place.begin, text.data(), place.size);
		return {};
	}

private:
	struct Place {
		std::uint64_t begin = 0;
		std::size_t size = 0;
		bool known = false;
	};

	void keep(const std::string &id, const Record &record)
	{
		const auto found = places_.find(id);
		if (found == places_.end() || found->second.known || !record.has_text)
			return;
		file_.write_at(end_, record.text.data(), record.text.size());
		found->second = {end_, record.text.size(), true};
		end_ += record.text.size();
	}

	TemporaryFile file_;
	std::unordered_map<std::string, Place> places_;
	std::uint64_t end_ = 0;
	std::string name_;
};

class PageMaker {
public:
	explicit PageMaker(const ReviewCommand &command)
		: command_(command), labels_(command.labels, command.common.quiet), page_(options(command))
	{
	}

	// Every record has both texts.
	void read_pairs()
	{
		Plan plan;
		for_each_fields(command_.input, command_.show, command_.common.quiet, [&](const Fields &fields) {
			if (std::string wrong = read_plan(fields, plan); !wrong.empty() || plan.stays)
				return wrong;
			if (!fields[text] || !fields[kept_text])
				return std::string("the record has not the fields text and kept_text, and no file of --texts is given");
			add(plan, *fields[text], *fields[kept_text]);
			return std::string();
		});
	}

	// The texts are in a file of their own.
	void read_plans()
	{
		std::vector<Plan> plans;
		Texts texts(temporary_directory(command_.temporary));
		for_each_fields(command_.input, command_.show, command_.common.quiet, [&](const Fields &fields) {
			Plan plan;
			if (std::string wrong = read_plan(fields, plan); !wrong.empty() || plan.stays)
				return wrong;
			texts.want(plan.id);
			texts.want(plan.kept);
			plans.push_back(std::move(plan));
			return std::string();
		});
		texts.read(command_.texts, command_.common.quiet);
		std::string removed, kept_text;
		for (const Plan &plan : plans) {
			stop_token.check();
			std::string wrong = texts.find(plan.id, removed);
			if (wrong.empty())
				wrong = texts.find(plan.kept, kept_text);
			if (!wrong.empty())
				throw Failure(wrong);
			add(plan, removed, kept_text);
		}
	}

	void write()
	{
		OutputFile output(command_.common.output);
		page_.write(
			{review_html, review_css, review_js}, [&](std::string_view part) { output.write(part); }, stop_token);
		output.commit();
		if (!command_.common.quiet)
			std::fprintf(
				stderr, "txtfp: a page for %llu planned removals\n", static_cast<unsigned long long>(page_.added()));
	}

private:
	static core::ReviewOptions options(const ReviewCommand &command)
	{
		core::ReviewOptions options;
		options.title = command.title;
		options.id_type.clear(); // by the ids
		options.more = command.show;
		options.pairs = command.pairs;
		options.seed = static_cast<std::uint64_t>(command.seed);
		return options;
	}

	void add(const Plan &plan, std::string_view removed, std::string_view kept_text)
	{
		core::PlannedRemoval removal{};
		removal.id = plan.id;
		removal.kept = plan.kept;
		removal.text = removed;
		removal.kept_text = kept_text;
		if (!plan.outcome.empty())
			removal.outcome = *core::parse_outcome(plan.outcome);
		removal.reason = plan.reason;
		removal.stratum = plan.stratum;
		removal.verdict = core::parse_verdict(plan.verdict);
		if (const auto label = labels_.find(plan.id, plan.kept))
			removal.verdict = label;
		removal.values = plan.values;
		removal.signals = plan.signals ? &*plan.signals : nullptr;
		removal.neighbours = plan.neighbours >= 0 ? plan.neighbours : -1;
		removal.kept_neighbours = plan.kept_neighbours >= 0 ? plan.kept_neighbours : -1;
		const std::vector<std::string_view> more(plan.more.begin(), plan.more.end());
		removal.more = more;
		page_.add(removal, stop_token);
	}

	const ReviewCommand &command_;
	Labels labels_;
	core::ReviewPage page_;
};

} // namespace

int run_review(const ReviewCommand &command)
{
	if (command.pairs < 1 || command.pairs > core::most_pairs)
		throw Failure("--pairs must be between 1 and " + std::to_string(core::most_pairs), exit_usage);
	std::vector<std::string> inputs = {command.input.path};
	for (const std::string &path : {command.texts.path, command.labels})
		if (!path.empty())
			inputs.push_back(path);
	if (std::count(inputs.begin(), inputs.end(), "-") > 1)
		throw Failure("only one file can be the standard input", exit_usage);
	refuse_replacing(inputs, "--output", command.common.output, command.common.force);
	PageMaker maker(command);
	if (command.texts.path.empty())
		maker.read_pairs();
	else
		maker.read_plans();
	maker.write();
	return exit_ok;
}

} // namespace txtfp::cli
