#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <utility>

#include "cli/commands.hpp"
#include "cli/failure.hpp"
#include "cli/join.hpp"
#include "core/lavinhash/lavinhash_lsh.hpp"
#include "core/minhash/minhash_join.hpp"

namespace txtfp::cli {

namespace {

[[noreturn]] void refuse(const std::string &message) { throw Failure(message, exit_usage); }

double threshold_of(Kind kind, const JoinCommand &command)
{
	return command.threshold >= 0 ? command.threshold : core::kind_of(kind).default_limit;
}

// The option that limits the joins of a kind.
const char *limit_of(Kind kind)
{
	return has_distance(kind) ? "--max-distance" : kind == core::kind_lavinhash ? "--min-score" : "--threshold";
}

void refuse_other_limits(Kind kind, const JoinCommand &command)
{
	const std::pair<const char *, bool> given[] = {{"--threshold", command.threshold >= 0},
		{"--max-distance", command.max_distance >= 0}, {"--min-score", command.min_score >= 0}};
	for (const auto &[option, is_given] : given)
		if (is_given && std::strcmp(option, limit_of(kind)) != 0)
			refuse("for " + std::string(kind_name(kind)) + " say " + limit_of(kind) + ", not " + option);
}

// The bound for compare(). Checks the options of the kind.
int bound_of(Kind kind, const JoinCommand &command)
{
	refuse_other_limits(kind, command);
	if (is_minhash(kind)) {
		const double threshold = threshold_of(kind, command);
		if (!(threshold > 0 && threshold <= 1))
			refuse("the threshold must be greater than 0 and at most 1");
		return static_cast<int>(is_compact(kind) ? core::least_matches_of<std::uint8_t>(threshold, slots_of(kind))
												 : core::least_matches_of<std::uint64_t>(threshold, slots_of(kind)));
	}
	const int given = has_distance(kind) ? command.max_distance : command.min_score;
	const int limit = given >= 0 ? given : static_cast<int>(core::kind_of(kind).default_limit);
	const int most = static_cast<int>(core::kind_of(kind).max_limit);
	if (limit > most)
		refuse((has_distance(kind) ? "the distance " : "the score ") + std::to_string(limit) + " is more than " +
			std::to_string(most));
	return limit;
}

core::Banding banding_of(Kind kind, const JoinCommand &command)
{
	if (!is_minhash(kind)) {
		if (command.bands != 0 || command.rows != 0)
			refuse("--bands and --rows are for minhash*; the pairs of " + std::string(kind_name(kind)) +
				" are found exactly");
		return {0, 0};
	}
	const auto slots = static_cast<int>(slots_of(kind));
	if ((command.bands != 0) != (command.rows != 0))
		refuse("--bands and --rows must be given together");
	if (command.bands != 0) {
		if (command.bands < 1 || command.rows < 1 || command.bands > slots || command.rows > slots ||
			command.bands * command.rows > slots)
			refuse("bands times rows must be at most " + std::to_string(slots));
		return {command.bands, command.rows};
	}
	if (!(command.recall > 0 && command.recall < 1))
		refuse("the recall must be greater than 0 and less than 1");
	const double threshold = threshold_of(kind, command);
	const core::Banding banding = core::banding_for_recall(threshold, command.recall, slots);
	if (banding.bands == 0)
		refuse("no banding of " + std::to_string(slots) +
			" slots finds pairs at that threshold with that recall; ask for less recall, or take more slots");
	return banding;
}

std::string measure_text(Kind kind, int measure)
{
	char text[32];
	const auto equal = static_cast<unsigned>(measure);
	if (is_minhash(kind))
		std::snprintf(text, sizeof text, "%g",
			is_compact(kind) ? core::estimated_jaccard<std::uint8_t>(equal, slots_of(kind))
							 : core::estimated_jaccard<std::uint64_t>(equal, slots_of(kind)));
	else
		std::snprintf(text, sizeof text, "%d", measure);
	return text;
}

class JoinRun {
public:
	explicit JoinRun(const JoinCommand &command)
		: command_(command), kind_(*parse_kind(command.method.kind)), bound_(bound_of(kind_, command)),
		  rows_(row_format(command.common.to)), memory_(parse_memory(command.memory)),
		  temporary_(temporary_directory(command.temporary)), threads_(thread_count(command.common)),
		  progress_(command.common.quiet), budget_(memory_ / (is_minhash(kind_) ? 8 : 2), temporary_),
		  format_(record_format(command.input)), workers_(threads_, temporary_, progress_),
		  collection_({fingerprint_options(kind_, command.method.tokenizer, command.method.canonicalizer,
						   command.method.hash, command.method.seed, command.method.weighting),
						  command.given, command.input.skip_errors, command.allow_duplicate_ids, threads_, memory_ / 4},
			  sketches_of(command), budget_, !command.input.priority.empty())
	{
		if (command.mode != "components" && command.mode != "star")
			refuse("there is no mode " + in_quotes(command.mode) + "; valid are components and star");
		if (!command.keep.empty() && command.keep == command.common.output)
			refuse("--keep and --output name the same file");
		refuse_replacing({command.input.path}, "--output", command.common.output, command.common.force);
		if (!command.keep.empty())
			refuse_replacing({command.input.path}, "--keep", command.keep, command.common.force);
	}

	int run()
	{
		// Creates both files before the work, so that a name that cannot be written is reported at once and not after
		// hours.
		OutputFile out(command_.common.output);
		std::optional<OutputFile> keep;
		if (!command_.keep.empty())
			keep.emplace(command_.keep);
		read();
		Join join(collection_, {bound_, memory_ / 4}, temporary_, workers_);
		if (command_.clusters)
			clusters(join, out, keep ? &*keep : nullptr);
		else
			pairs(join, out);
		if (keep)
			keep->commit();
		out.commit();
		report_skipped(collection_.broken().size(), command_.common.quiet);
		return exit_ok;
	}

private:
	// The memory is divided as that of the server's functions (pg/bulk/memory_budget.hpp).
	Sketches *sketches_of(const JoinCommand &command)
	{
		const core::Banding banding = banding_of(kind_, command);
		if (!is_minhash(kind_))
			return nullptr;
		const std::size_t part = memory_ / 32;
		const core::MinhashJoinOptions options{
			.slots = slots_of(kind_), .banding = banding, .matches = static_cast<unsigned>(bound_)};
		const core::MinhashJoinMemory shares{.sketches = 10 * part,
			.equal_rows = part,
			.sort = 4 * part,
			.bands = 8 * part,
			.bands_sort = 8 * part,
			.batch = 4 * part,
			.file_batch = 14 * part,
			.scratch = 4 * part,
			.key_filter = 0};
		if (is_compact(kind_))
			sketches_.emplace(
				std::in_place_type<core::MinhashRows<std::uint8_t>>, workers_.own_host(), workers_, options, shares);
		else
			sketches_.emplace(
				std::in_place_type<core::MinhashRows<std::uint64_t>>, workers_.own_host(), workers_, options, shares);
		return &*sketches_;
	}

	void read()
	{
		InputFile file(command_.input.path);
		if (!command_.keep.empty() && !file.is_regular())
			refuse("--keep reads the input twice, so that must be a file");
		BatchReader reader(file, format_, record_limit(command_.input, memory_));
		collection_.collect(reader, progress_);
	}

	void pairs(Join &join, OutputFile &out)
	{
		const std::vector<std::string_view> names = {"a", "b",
			has_distance(kind_)     ? "distance"
				: is_minhash(kind_) ? "similarity"
									: "score"};
		std::string text;
		if (!command_.common.no_header)
			append_header(rows_, names, text);
		Id a, b;
		std::uint32_t held = core::no_element;
		join.pairs([&](const Pair &pair) {
			if (pair.a != held)
				a = collection_.id(held = pair.a);
			b = collection_.id(pair.b);
			const std::string measure = measure_text(kind_, pair.measure);
			append_row(rows_, names, {{a.text, a.is_number}, {b.text, b.is_number}, {measure, true}}, text);
			if (text.size() > 1 << 16) {
				out.write(text);
				text.clear();
			}
		});
		out.write(text);
	}

	// The rows by descending priority; empty if the order of the file applies.
	std::vector<std::uint32_t> ranked() const
	{
		std::vector<std::uint32_t> order;
		if (command_.input.priority.empty())
			return order;
		std::vector<double> priorities(collection_.rows());
		for (std::uint32_t row = 0; row < priorities.size(); ++row)
			priorities[row] = collection_.priority(row);
		order.resize(priorities.size());
		std::iota(order.begin(), order.end(), 0u);
		std::stable_sort(order.begin(), order.end(),
			[&](std::uint32_t x, std::uint32_t y) { return priorities[x] > priorities[y]; });
		return order;
	}

	void clusters(Join &join, OutputFile &out, OutputFile *keep)
	{
		std::vector<std::uint32_t> labels = join.components();
		{
			const std::vector<std::uint32_t> order = ranked();
			if (command_.mode == "star") {
				join.cut_into_stars(labels, order);
			} else if (!order.empty()) { // the first row of the order represents the component
				std::vector<std::uint32_t> best(labels.size(), core::no_element);
				for (const std::uint32_t row : order)
					if (best[labels[row]] == core::no_element)
						best[labels[row]] = row;
				for (std::uint32_t &label : labels)
					label = best[label];
			}
		}
		write_clusters(labels, out);
		if (keep != nullptr)
			write_kept(labels, *keep);
	}

	void write_clusters(const std::vector<std::uint32_t> &labels, OutputFile &out)
	{
		const std::vector<std::string_view> names = {"id", "cluster", "size"};
		std::vector<std::uint32_t> sizes(labels.size());
		for (const std::uint32_t label : labels)
			++sizes[label];
		std::string text;
		if (!command_.common.no_header)
			append_header(rows_, names, text);
		progress_.begin("writing", labels.size(), "rows");
		collection_.for_each_id([&](std::uint32_t row, const Id &id) {
			if (sizes[labels[row]] < 2)
				return;
			const Id centre = labels[row] == row ? id : collection_.id(labels[row]);
			const std::string size = std::to_string(sizes[labels[row]]);
			append_row(rows_, names, {{id.text, id.is_number}, {centre.text, centre.is_number}, {size, true}}, text);
			if (text.size() > 1 << 16) {
				stop_token.check();
				out.write(text);
				text.clear();
				progress_.at(row);
			}
		});
		progress_.end();
		out.write(text);
	}

	// Writes those records of the input that are alone or represent their cluster, unchanged; broken records are left
	// out.
	void write_kept(const std::vector<std::uint32_t> &labels, OutputFile &keep)
	{
		InputFile file(command_.input.path);
		BatchReader reader(file, format_, record_limit(command_.input, memory_));
		keep.write(reader.header());
		progress_.begin("writing what is kept", file.file_size(), "MB");
		Batch batch;
		std::uint64_t row = 0;
		auto broken = collection_.broken().begin();
		while (reader.next(batch)) {
			std::string_view rest = batch.bytes();
			for (std::uint64_t i = 0; i < batch.records; ++i, ++row) {
				std::size_t lines, size = batch.wrong.empty() ? record_size(format_, rest, lines) : 0;
				if (row >= labels.size())
					throw Failure(file.name() + ": the file has grown while it was read");
				if (broken != collection_.broken().end() && *broken == row)
					++broken;
				else if (labels[row] == row)
					write_record(rest.substr(0, size), keep);
				rest.remove_prefix(size);
			}
			progress_.at(file.file_position());
		}
		progress_.end();
		if (row != labels.size())
			throw Failure(file.name() + ": the file has shrunk while it was read");
	}

	static void write_record(std::string_view record, OutputFile &out)
	{
		out.write(record);
		if (!record.ends_with('\n'))
			out.write("\n");
	}

	const JoinCommand &command_;
	Kind kind_;
	int bound_;
	RowFormat rows_;
	std::uint64_t memory_;
	std::string temporary_;
	unsigned threads_;
	Progress progress_;
	Budget budget_;
	RecordFormat format_;
	Workers workers_;
	std::optional<Sketches> sketches_;
	Collection collection_;
};

} // namespace

int run_join(const JoinCommand &command) { return JoinRun(command).run(); }

} // namespace txtfp::cli
