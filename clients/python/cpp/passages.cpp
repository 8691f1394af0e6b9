#include "passages.hpp"

#include <iterator>
#include <limits>

#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include "arrow.hpp"
#include "core/passages/repeats.hpp"
#include "join_threads.hpp"
#include "kinds.hpp"
#include "numpy.hpp"
#include "refused.hpp"

namespace txtfp::python {

using namespace nb::literals;

namespace {

using Numbers = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

core::UnitOptions unit_options(std::string_view unit, std::optional<std::int64_t> min_words, std::string_view tokenizer, std::string_view canonicalizer)
{
	core::UnitOptions options;
	const auto parsed = core::parse_passage_unit(unit);
	if (!parsed)
		throw Refused(Refusal::invalid_parameter, "unrecognized unit: " + in_quotes(unit), {},
			"Valid units are " + std::string(core::passage_unit_list) + ".");
	options.unit = *parsed;
	const std::int64_t words = min_words.value_or(core::UnitOptions::default_words(options.unit));
	if (words < 1 || words > core::UnitOptions::max_words)
		throw Refused(Refusal::invalid_parameter,
			"min_words must be between 1 and " + std::to_string(core::UnitOptions::max_words) + ", not " + std::to_string(words));
	options.min_words = static_cast<std::uint32_t>(words);
	const core::TokenizerSpec spec = tokenizer_option(tokenizer);
	if (spec.depth > 0)
		throw Refused(Refusal::invalid_parameter, "passages cannot be made of shingles, as in tokenizer " + in_quotes(tokenizer), {},
			"Use a tokenizer without shingles, such as \"word-uax29\".");
	options.segmenter = spec.segmenter;
	options.canonical = canonicalizer_option(canonicalizer);
	return options;
}

// One column, or two: the rows of the second follow those of the first.
class TextRows final : public core::PassageTexts {
public:
	TextRows(const Column &first, const Column *second, unsigned threads) : first_(first), second_(second)
	{
		if (size() >= core::RowOrder::one_part)
			throw nb::value_error("there are at most 4,294,967,294 texts");
		std::atomic<std::uint64_t> bytes = 0;
		Workers::for_each_block(size(), 64, threads, [&](std::size_t row, std::size_t last, unsigned) {
			for (; row < last; ++row) {
				const std::string_view utf8 = at(row);
				if (utf8.size() > std::numeric_limits<std::int32_t>::max())
					throw Refused(Refusal::invalid_text, "a text has more than 2 GiB");
				check_text(utf8);
				bytes += utf8.size();
			}
		});
		bytes_ = bytes;
	}
	std::size_t size() const { return first_.size() + (second_ == nullptr ? 0 : second_->size()); }
	std::uint64_t bytes() const { return bytes_; }

	std::string_view text(std::uint32_t number, unsigned) override { return at(number); }
	void compute(unsigned, void (*fn)(void *data), void *data) override { fn(data); }
	core::StopToken stop() const override { return {}; }

private:
	std::string_view at(std::size_t row) const { return row < first_.size() ? first_[row] : (*second_)[row - first_.size()]; }

	const Column &first_, *second_;
	std::uint64_t bytes_ = 0;
};

// Places are characters, from 0.
struct CutRows final : core::CutSink {
	void cut(const core::PassageCut &cut) override
	{
		row.push_back(cut.rank);
		start.push_back(cut.start);
		length.push_back(cut.length);
		kept.push_back(cut.kept);
		kept_start.push_back(cut.kept_start);
	}
	std::vector<std::uint32_t> row, start, length, kept, kept_start;
};

// (row, start, length, kept, kept_start). `second`: only it is cut, by what the first column has. `groups`: of the rows of both.
nb::object repeats(nb::handle texts, nb::handle second, nb::handle order, nb::handle second_order, nb::handle groups, std::string_view unit,
	std::optional<std::int64_t> min_words, std::string_view tokenizer, std::string_view canonicalizer, std::size_t memory, const std::string &directory,
	unsigned threads)
{
	const core::UnitOptions options = unit_options(unit, min_words, tokenizer, canonicalizer);
	const Column first(texts);
	std::optional<Column> other;
	if (!second.is_none())
		other.emplace(second);
	TextRows rows(first, other ? &*other : nullptr, threads);
	const auto parted = static_cast<std::uint32_t>(first.size());
	std::vector<std::uint32_t> numbers = ordered_rows(order, first.size()); // by rank
	if (other)
		for (const std::uint32_t row : ordered_rows(second_order, other->size()))
			numbers.push_back(parted + row);
	if (numbers.size() != rows.size())
		throw nb::value_error("the order of rows does not have each row once");
	std::vector<std::uint32_t> ranks(numbers.size()), group;
	for (std::uint32_t rank = 0; rank < numbers.size(); ++rank)
		ranks[numbers[rank]] = rank;
	core::RowOrder row_order{ranks.data(), numbers.data()};
	if (!groups.is_none()) {
		const auto given = nb::cast<Numbers>(groups);
		if (given.shape(0) != rows.size())
			throw nb::value_error("the numbers of texts and groups differ");
		group.assign(given.data(), given.data() + given.shape(0));
		row_order.groups = group.data();
	}
	if (other)
		row_order.second_part = parted;
	CutRows cuts;
	JoinThreads::run(
		threads,
		[&](JoinThreads &executor) {
			std::vector<core::RepeatScratch> scratch(executor.workers());
			core::Repeats(executor.host(0), executor, rows, scratch.data(), options, row_order, static_cast<std::uint32_t>(rows.size()),
				rows.bytes(), memory).run(cuts);
		},
		directory);
	for (std::uint32_t &row : cuts.row)
		row = numbers[row] - (other ? parted : 0);
	for (std::uint32_t &row : cuts.kept)
		row = numbers[row];
	return nb::make_tuple(to_numpy(std::move(cuts.row)), to_numpy(std::move(cuts.start)), to_numpy(std::move(cuts.length)),
		to_numpy(std::move(cuts.kept)), to_numpy(std::move(cuts.kept_start)));
}

// (row, key, start, length): keys are of 16 bytes, one after the other.
nb::object passage_keys(nb::handle texts, std::string_view unit, std::optional<std::int64_t> min_words, std::string_view tokenizer,
	std::string_view canonicalizer, unsigned threads)
{
	constexpr std::size_t block = 64;
	struct Keys {
		std::vector<std::uint32_t> row, start, length;
		std::vector<std::uint8_t> key;
	};
	const core::UnitOptions options = unit_options(unit, min_words, tokenizer, canonicalizer);
	const Column column(texts);
	std::vector<Keys> blocks((column.size() + block - 1) / block);
	Workers::for_each_block(column.size(), block, threads, [&](std::size_t row, std::size_t last, unsigned) {
		Keys &keys = blocks[row / block];
		for (; row < last; ++row) {
			check_text(column[row]);
			core::PassageKeys found(column[row], options, stop_token);
			for (core::PassageKey key; found.next(key);) {
				keys.row.push_back(static_cast<std::uint32_t>(row));
				keys.start.push_back(static_cast<std::uint32_t>(key.range.character));
				keys.length.push_back(static_cast<std::uint32_t>(key.range.characters));
				keys.key.insert(keys.key.end(), std::begin(key.bytes), std::end(key.bytes));
			}
		}
	});
	Keys all;
	for (const Keys &keys : blocks) {
		all.row.insert(all.row.end(), keys.row.begin(), keys.row.end());
		all.start.insert(all.start.end(), keys.start.begin(), keys.start.end());
		all.length.insert(all.length.end(), keys.length.begin(), keys.length.end());
		all.key.insert(all.key.end(), keys.key.begin(), keys.key.end());
	}
	return nb::make_tuple(to_numpy(std::move(all.row)), to_numpy(std::move(all.key)), to_numpy(std::move(all.start)), to_numpy(std::move(all.length)));
}

// Ranges are characters, from 0. They may overlap and come in any order.
nb::str without_ranges(std::string_view text, const Numbers &starts, const Numbers &lengths, std::string_view mark)
{
	check_text(text);
	if (starts.shape(0) != lengths.shape(0))
		throw nb::value_error("the numbers of starts and lengths differ");
	std::vector<core::SourceRange> ranges;
	for (std::size_t i = 0; i < starts.shape(0); ++i) {
		const std::int64_t start = starts.data()[i], length = lengths.data()[i];
		constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
		if (start < 0 || length < 0 || start > most || length > most)
			throw nb::value_error("a start or length is negative, or too great");
		if (length > 0)
			ranges.push_back({0, 0, static_cast<std::uint32_t>(start), static_cast<std::uint32_t>(length)});
	}
	if (!core::place_ranges(text, ranges))
		throw Refused(Refusal::invalid_parameter, "a range ends behind the end of the text", {}, "Ranges are those of the text that they were found in.");
	const std::string rest = core::without_ranges(text, ranges, mark);
	return nb::str(rest.data(), rest.size());
}

} // namespace

void define_passages(nb::module_ &module)
{
	module.def("repeats", &repeats, "texts"_a, "second"_a.none(), "order"_a.none(), "second_order"_a.none(), "groups"_a.none(), "unit"_a,
		"min_words"_a.none(), "tokenizer"_a, "canonicalizer"_a, "memory"_a, "directory"_a, "threads"_a);
	module.def("passage_keys", &passage_keys, "texts"_a, "unit"_a, "min_words"_a.none(), "tokenizer"_a, "canonicalizer"_a, "threads"_a);
	module.def("without_ranges", &without_ranges, "text"_a, "starts"_a, "lengths"_a, "mark"_a);
}

} // namespace txtfp::python
