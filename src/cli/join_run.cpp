#include "cli/join_run.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

#include "core/base/numbers.hpp"
#include "core/base/priority.hpp"
#include "core/minhash/minhash_join.hpp"

namespace txtfp::cli {

namespace {

// The option that limits the joins of a kind.
const char *limit_of(Kind kind)
{
	switch (kind->unit) {
	case core::MeasureUnit::distance:
		return "--max-distance";
	case core::MeasureUnit::score:
		return "--min-score";
	default:
		return "--threshold";
	}
}

void refuse_other_limits(Kind kind, const JoinCommand &command)
{
	const std::pair<const char *, bool> given[] = {{"--threshold", !command.threshold.empty()},
		{"--max-distance", command.max_distance >= 0}, {"--min-score", command.min_score >= 0}};
	for (const auto &[option, is_given] : given)
		if (is_given && std::strcmp(option, limit_of(kind)) != 0)
			refuse("for " + std::string(kind->type) + " say " + limit_of(kind) + ", not " + option);
}

// Numbers separated by commas, in descending order.
std::vector<double> parse_thresholds(Kind kind, std::string_view text)
{
	if (text.empty())
		return {kind->default_limit};
	std::vector<double> thresholds;
	for (;;) {
		const std::string_view part = text.substr(0, text.find(','));
		double value = 0;
		const auto [end, error] = core::from_chars(part.data(), part.data() + part.size(), value);
		if (error != std::errc() || end != part.data() + part.size())
			refuse("the threshold " + in_quotes(part) + " is not a number");
		if (!(value > 0 && value <= 1))
			refuse("the threshold must be greater than 0 and at most 1");
		thresholds.push_back(value);
		if (part.size() == text.size())
			break;
		text.remove_prefix(part.size() + 1);
	}
	std::sort(thresholds.rbegin(), thresholds.rend());
	if (std::adjacent_find(thresholds.begin(), thresholds.end()) != thresholds.end())
		refuse("a threshold is given twice");
	return thresholds;
}

core::Banding banding_of(Kind kind, const JoinCommand &command, double threshold)
{
	if (!kind->is_sketch()) {
		if (command.bands != 0 || command.rows != 0)
			refuse(
				"--bands and --rows are for minhash*; the pairs of " + std::string(kind->type) + " are found exactly");
		return {0, 0};
	}
	const auto slots = static_cast<int>(kind->slots);
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
	const core::Banding banding = core::banding_for_recall(threshold, command.recall, slots);
	if (banding.bands == 0)
		refuse("no banding of " + std::to_string(slots) +
			" slots finds pairs at that threshold with that recall; ask for less recall, or take more slots");
	return banding;
}

} // namespace

JoinLimits join_limits(Kind kind, const JoinCommand &command)
{
	refuse_other_limits(kind, command);
	JoinLimits limits;
	if (kind->is_sketch()) {
		limits.thresholds = parse_thresholds(kind, command.threshold);
		for (const double threshold : limits.thresholds)
			limits.bounds.push_back(kind->bound_of(threshold));
		return limits;
	}
	const int given = kind->has_distance() ? command.max_distance : command.min_score;
	const int limit = given >= 0 ? given : static_cast<int>(kind->default_limit);
	const int most = static_cast<int>(kind->max_limit);
	if (limit > most)
		refuse((kind->has_distance() ? "the distance " : "the score ") + std::to_string(limit) + " is more than " +
			std::to_string(most));
	limits.thresholds = {0};
	limits.bounds = {limit};
	return limits;
}

JoinRun::JoinRun(const JoinCommand &command, int bound, double threshold)
	: command_(command), paths_(input_paths(command.input, command.common.quiet)),
	  kind_(parse_kind(command.method.kind)), bound_(bound), rows_(row_format(command.common.to)),
	  memory_(parse_memory(command.memory)), temporary_(temporary_directory(command.temporary)),
	  threads_(thread_count(command.common)), progress_(command.common.quiet),
	  budget_(memory_ / (kind_->is_sketch() ? 8 : 2), temporary_), format_(record_format(command.input)),
	  workers_(threads_, temporary_, progress_),
	  collection_({make_recipe(kind_, command.method.tokenizer, command.method.canonicalizer, command.method.hash,
					   command.method.seed, command.method.weighting),
					  command.given, command.input.skip_errors, command.allow_duplicate_ids, threads_, memory_ / 4},
		  make_sketches(threshold), budget_, !command.input.priority.empty())
{
	if (!command.keep.empty() && command.keep == command.common.output)
		refuse("--keep and --output name the same file");
	refuse_replacing(paths_.files, "--output", command.common.output, command.common.force);
	if (!command.keep.empty())
		refuse_replacing(paths_.files, "--keep", command.keep, command.common.force);
}

// The memory is divided as in the server's functions (pg/bulk/memory_budget.hpp).
Sketches *JoinRun::make_sketches(double threshold)
{
	const core::Banding banding = banding_of(kind_, command_, threshold);
	if (!kind_->is_sketch())
		return nullptr;
	const std::size_t part = memory_ / 32;
	const core::MinhashJoinOptions options{
		.slots = kind_->slots, .banding = banding, .matches = static_cast<unsigned>(bound_)};
	const core::MinhashJoinMemory shares{.sketches = 10 * part,
		.equal_rows = part,
		.sort = 4 * part,
		.bands = 8 * part,
		.bands_sort = 8 * part,
		.batch = 4 * part,
		.file_batch = 14 * part,
		.scratch = 4 * part,
		.key_filter = 0};
	if (kind_->compact)
		sketches_.emplace(
			std::in_place_type<core::MinhashRows<std::uint8_t>>, workers_.own_host(), workers_, options, shares);
	else
		sketches_.emplace(
			std::in_place_type<core::MinhashRows<std::uint64_t>>, workers_.own_host(), workers_, options, shares);
	return &*sketches_;
}

void JoinRun::read(bool reads_again)
{
	InputFile file(paths_, decoder_limit(command_.input));
	if (reads_again && !file.is_regular())
		file.copy_to(spool_.emplace(temporary_, file.name(), memory_ / 16));
	BatchReader reader(file, format_, record_limit(command_.input, memory_));
	collection_.collect(reader, progress_);
	if (spool_)
		spool_->complete();
}

InputFile JoinRun::input_again() const
{
	return spool_ ? InputFile(*spool_) : InputFile(paths_, decoder_limit(command_.input));
}

// The rows by descending priority; empty if the order of the file applies.
std::vector<std::uint32_t> JoinRun::ranked() const
{
	std::vector<std::uint32_t> order;
	if (command_.input.priority.empty())
		return order;
	std::vector<double> priorities(collection_.rows());
	for (std::uint32_t row = 0; row < priorities.size(); ++row)
		priorities[row] = collection_.priority(row);
	order.resize(priorities.size());
	std::iota(order.begin(), order.end(), 0u);
	std::stable_sort(order.begin(), order.end(), [&](std::uint32_t x, std::uint32_t y) {
		return core::is_higher_priority(priorities[x], priorities[y]);
	});
	return order;
}

} // namespace txtfp::cli
