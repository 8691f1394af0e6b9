// txtfp passages: what of the texts of a file stands in an earlier record, as deduplicate_passages of the extension finds it
// (core/passages/repeats.hpp).
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <numeric>
#include <optional>
#include <span>
#include <unordered_map>

#include "cli/fingerprints.hpp"
#include "cli/join_run.hpp"
#include "core/base/priority.hpp"
#include "core/passages/repeats.hpp"
#include "core/text/config.hpp"

namespace txtfp::cli {

namespace {

core::UnitOptions unit_options(const PassagesCommand &command)
{
	core::UnitOptions options;
	const auto unit = core::parse_passage_unit(command.unit);
	if (!unit)
		refuse("there is no unit " + in_quotes(command.unit) + "; valid are " + std::string(core::passage_unit_list));
	options.unit = *unit;
	options.min_words = core::UnitOptions::default_words(*unit);
	if (command.min_words >= 0) {
		if (command.min_words < 1 || command.min_words > static_cast<int>(core::UnitOptions::max_words))
			refuse("--min-words must be between 1 and " + std::to_string(core::UnitOptions::max_words));
		options.min_words = static_cast<std::uint32_t>(command.min_words);
	}
	core::TokenizerSpec tokenizer;
	if (core::parse_tokenizer(command.tokenizer, tokenizer) != core::TokenizerError::none || tokenizer.depth > 0 || core::is_cjk(tokenizer.segmenter))
		refuse("--tokenizer must be word-uax29 or grapheme-uax29, not " + in_quotes(command.tokenizer));
	options.segmenter = tokenizer.segmenter;
	options.canonical = read_canonicalizer(command.canonicalizer);
	return options;
}

// The texts and ids of the records, in the order of arrival. Several threads may read.
class TextRecords final : public core::PassageTexts {
public:
	TextRecords(Budget &budget, unsigned workers) : bytes_(budget), buffers_(workers) {}

	// Returns the number of records.
	std::uint32_t read(const InputOptions &input, RecordFormat format, unsigned threads, std::uint64_t memory, bool quiet,
		Progress &progress)
	{
		InputFile file(input_paths(input, quiet), decoder_limit(input));
		BatchReader reader(file, format, record_limit(input, memory));
		std::vector<std::unique_ptr<RecordParser>> parsers(std::max(1u, threads));
		const std::uint32_t before = count();
		RecordCounts counts;
		progress.begin("reading", file.file_size(), "MB");
		for_each_batch(
			reader, threads, progress,
			[&](const Batch &batch, unsigned thread, BatchResult &result) {
				if (!parsers[thread])
					parsers[thread] = std::make_unique<RecordParser>(format);
				work(batch, *parsers[thread], !format.group.empty(), result);
			},
			[&](BatchResult &result) { add(result, counts, input.skip_errors, before, !format.group.empty()); });
		progress.end();
		counts.check_read(reader);
		counts.report(quiet);
		return count() - before;
	}

	std::uint32_t count() const { return static_cast<std::uint32_t>(rows_.size()); }
	std::uint64_t bytes() const { return bytes_.size(); }
	double priority(std::uint32_t row) const { return rows_[row].priority; }
	bool has_text(std::uint32_t row) const { return rows_[row].has_text; }
	const std::uint32_t *groups() const { return groups_.empty() ? nullptr : groups_.data(); } // of the rows; nullptr: not asked for
	Id id(std::uint32_t row) const
	{
		const Row &place = rows_[row];
		if (place.id_size == 0)
			return {std::to_string(place.number), true};
		Id id{std::string(place.id_size, '\0'), place.id_is_number};
		bytes_.read(place.begin + place.text_size, id.text.data(), place.id_size);
		return id;
	}

	std::string_view text(std::uint32_t row, unsigned worker) override
	{
		std::string &buffer = buffers_[worker];
		buffer.resize(rows_[row].text_size);
		bytes_.read(rows_[row].begin, buffer.data(), buffer.size());
		return buffer;
	}
	void compute(unsigned, void (*fn)(void *data), void *data) override { fn(data); }
	core::StopToken stop() const override { return stop_token; }

private:
	struct Row {
		std::uint64_t begin; // of the text, which the id follows
		double priority;
		std::uint32_t text_size, id_size, number;
		bool id_is_number, has_text;
	};

	// Of each record: its Row, its text, its id; if groups are asked for, the size of its group's name, and the name
	static void work(const Batch &batch, RecordParser &parser, bool grouped, BatchResult &result)
	{
		std::uint32_t number = static_cast<std::uint32_t>(batch.first_record);
		for_each_record(batch, parser, result, [&](const Record &record, bool parsed) {
			const bool has_text = parsed && record.has_text;
			Row row{};
			row.priority = parsed ? record.priority : core::no_priority;
			row.text_size = has_text ? static_cast<std::uint32_t>(record.text.size()) : 0;
			row.id_size = static_cast<std::uint32_t>(record.id.size());
			row.number = ++number;
			row.id_is_number = record.id_is_number;
			row.has_text = has_text;
			result.output.append(reinterpret_cast<const char *>(&row), sizeof row);
			result.output += record.text.substr(0, row.text_size);
			result.output += record.id;
			if (grouped) {
				const std::uint32_t size = record.group ? static_cast<std::uint32_t>(record.group->size()) : no_group;
				result.output.append(reinterpret_cast<const char *>(&size), sizeof size);
				result.output += record.group.value_or("");
			}
			return std::string();
		});
	}

	void add(const BatchResult &result, RecordCounts &counts, bool skip_errors, std::uint32_t before, bool grouped)
	{
		counts.add(result, skip_errors);
		if (std::uint64_t{before} + result.records + rows_.size() >= RowStore::max_rows)
			throw Failure("the input has too many records");
		for (std::string_view rest = result.output; !rest.empty();) {
			Row row;
			std::memcpy(&row, rest.data(), sizeof row);
			const std::size_t size = std::size_t{row.text_size} + row.id_size;
			row.begin = bytes_.append(rest.substr(sizeof row, size));
			rows_.push_back(row);
			rest.remove_prefix(sizeof row + size);
			if (grouped)
				add_group(rest);
		}
	}

	void add_group(std::string_view &rest)
	{
		std::uint32_t size;
		std::memcpy(&size, rest.data(), sizeof size);
		rest.remove_prefix(sizeof size);
		groups_.push_back(0); // NULL
		if (size == no_group)
			return;
		groups_.back() = group_numbers_.try_emplace(std::string(rest.substr(0, size)), static_cast<std::uint32_t>(group_numbers_.size() + 1)).first->second;
		rest.remove_prefix(size);
	}

	static constexpr std::uint32_t no_group = 0xFFFFFFFF;
	ByteStore bytes_;
	std::vector<Row> rows_;
	std::vector<std::uint32_t> groups_;
	std::unordered_map<std::string, std::uint32_t> group_numbers_;
	std::vector<std::string> buffers_; // by worker
};

// How records of equal priority are ordered: by ids, whole numbers by value before others by bytes.
struct IdOrder {
	bool is_whole = false;
	std::int64_t value = 0;
	std::string text;

	explicit IdOrder(const Id &id) : text(id.text)
	{
		const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
		is_whole = error == std::errc() && end == text.data() + text.size() && std::to_string(value) == text;
		if (is_whole)
			text.clear();
	}
	auto operator<=>(const IdOrder &other) const
	{
		if (const auto whole = other.is_whole <=> is_whole; whole != 0)
			return whole;
		const auto by_value = value <=> other.value;
		return is_whole && by_value != 0 ? by_value : text <=> other.text;
	}
	bool operator==(const IdOrder &other) const { return is_whole == other.is_whole && value == other.value && text == other.text; }
};

class Passages final : private core::CutSink {
public:
	explicit Passages(const PassagesCommand &command)
		: command_(command), unit_(unit_options(command)), rows_(row_format(command.common.to)),
		  memory_(parse_memory(command.memory)), temporary_(temporary_directory(command.temporary)),
		  threads_(thread_count(command.common)), progress_(command.common.quiet), format_(record_format(command.input)),
		  budget_(memory_ / 8, temporary_), workers_(threads_, temporary_, progress_), texts_(budget_, workers_.workers())
	{
		const std::vector<std::string> files = input_paths(command.input, command.common.quiet).files;
		refuse_replacing(files, "--output", command.common.output, command.common.force);
		if (command.keep.empty())
			return;
		if (command.keep == command.common.output)
			refuse("--keep and --output name the same file");
		refuse_replacing(files, "--keep", command.keep, command.common.force);
	}

	int run()
	{
		OutputFile out(command_.common.output);
		std::optional<OutputFile> keep;
		if (!command_.keep.empty())
			keep.emplace(command_.keep);
		read();
		RowWriter writer(rows_, {"id", "start", "length", "kept", "kept_start"}, !command_.common.no_header, out);
		writer_ = &writer;
		find();
		writer.flush();
		out.finish();
		if (keep)
			write_kept(*keep);
		out.commit();
		if (!command_.common.quiet)
			std::fprintf(stderr, "txtfp: %llu passages of %llu characters stand in an earlier record\n",
				static_cast<unsigned long long>(cuts_), static_cast<unsigned long long>(characters_));
		return exit_ok;
	}

private:
	void read()
	{
		const auto add = [&](const InputOptions &input) {
			return texts_.read(input, format_, threads_, memory_, command_.common.quiet, progress_);
		};
		if (!command_.before.empty()) {
			InputOptions before = command_.input;
			before.path = command_.before;
			first_part_ = add(before);
		}
		add(command_.input);
		order_part(0, first_part_);
		order_part(first_part_, texts_.count());
		ranks_.resize(numbers_.size());
		for (std::uint32_t rank = 0; rank < numbers_.size(); ++rank)
			ranks_[numbers_[rank]] = rank;
	}

	void order_part(std::uint32_t first, std::uint32_t end)
	{
		std::vector<IdOrder> ids;
		for (std::uint32_t row = first; row < end; ++row)
			ids.emplace_back(texts_.id(row));
		numbers_.resize(end);
		const auto part = std::span(numbers_).subspan(first);
		std::iota(part.begin(), part.end(), first);
		std::stable_sort(part.begin(), part.end(), [&](std::uint32_t a, std::uint32_t b) {
			const double x = texts_.priority(a), y = texts_.priority(b);
			return core::is_higher_priority(x, y) || (!core::is_higher_priority(y, x) && ids[a - first] < ids[b - first]);
		});
		if (command_.allow_duplicate_ids || format_.line_ids)
			return;
		std::vector<std::uint32_t> by_id(part.begin(), part.end());
		std::sort(by_id.begin(), by_id.end(), [&](std::uint32_t a, std::uint32_t b) { return ids[a - first] < ids[b - first]; });
		for (std::size_t i = 1; i < by_id.size(); ++i)
			if (ids[by_id[i] - first] == ids[by_id[i - 1] - first])
				throw Failure("two records have the same id " + in_quotes(texts_.id(by_id[i]).text) +
					"; --allow-duplicate-ids accepts this, --line-ids numbers the records");
	}

	void find()
	{
		core::RowOrder order{ranks_.data(), numbers_.data(), texts_.groups()};
		if (!command_.before.empty())
			order.second_part = first_part_;
		std::vector<core::RepeatScratch> scratch(workers_.workers());
		core::Repeats repeats(workers_.own_host(), workers_, texts_, scratch.data(), unit_, order, texts_.count(),
			texts_.bytes(), memory_ / 8 * 5);
		workers_.begin_progress("comparing passages", std::uint64_t{texts_.count()} * (unit_.window() > 1 ? 3 : 2), "texts");
		workers_.guard([&] { repeats.run(*this); });
		workers_.end();
	}

	void cut(const core::PassageCut &cut) override
	{
		const std::uint32_t row = numbers_[cut.rank];
		const Id id = texts_.id(row), kept = texts_.id(numbers_[cut.kept]);
		const std::string start = std::to_string(std::uint64_t{cut.start} + 1), length = std::to_string(cut.length),
						  kept_start = std::to_string(std::uint64_t{cut.kept_start} + 1);
		writer_->put({{id.text, id.is_number}, {start, true}, {length, true}, {kept.text, kept.is_number}, {kept_start, true}});
		++cuts_;
		characters_ += cut.length;
		if (!command_.keep.empty())
			ranges_.push_back({row, cut.start, cut.length});
	}

	// The texts without what stands in an earlier one, in the order of the file.
	void write_kept(OutputFile &keep)
	{
		std::stable_sort(ranges_.begin(), ranges_.end(), [](const Range &a, const Range &b) { return a.row < b.row; });
		RowWriter writer(rows_, {"id", "text"}, !command_.common.no_header, keep);
		progress_.begin("writing what is kept", texts_.count(), "texts");
		auto next = ranges_.begin();
		std::vector<core::SourceRange> ranges;
		for (std::uint32_t row = first_part_; row < texts_.count(); ++row) {
			ranges.clear();
			for (; next != ranges_.end() && next->row == row; ++next)
				ranges.push_back({0, 0, next->start, next->length});
			const std::string_view text = texts_.text(row, 0);
			if (!core::place_ranges(text, ranges))
				throw Failure("a passage ends behind the end of its text");
			const std::string rest = ranges.empty() ? std::string() : core::without_ranges(text, ranges, command_.mark);
			const Id id = texts_.id(row);
			writer.put({{id.text, id.is_number}, {ranges.empty() ? text : std::string_view(rest), false, !texts_.has_text(row)}});
			progress_.at(row);
		}
		progress_.end();
		writer.flush();
		keep.finish();
		keep.commit();
	}

	struct Range {
		std::uint32_t row, start, length;
	};

	const PassagesCommand &command_;
	core::UnitOptions unit_;
	RowFormat rows_;
	std::uint64_t memory_;
	std::string temporary_;
	unsigned threads_;
	Progress progress_;
	RecordFormat format_;
	Budget budget_;
	Workers workers_;
	TextRecords texts_;
	std::uint32_t first_part_ = 0;
	std::vector<std::uint32_t> numbers_, ranks_; // of the rows, by rank, and the other way around
	RowWriter *writer_ = nullptr;
	std::vector<Range> ranges_; // of what is cut, if the texts are written
	std::uint64_t cuts_ = 0, characters_ = 0;
};

} // namespace

int run_passages(const PassagesCommand &command) { return Passages(command).run(); }

} // namespace txtfp::cli
