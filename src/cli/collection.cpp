#include "cli/collection.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "cli/failure.hpp"
#include "cli/stop.hpp"
#include "core/minhash/lsh.hpp"

namespace txtfp::cli {

// Buffers of one thread.
struct Collection::Worker {
	explicit Worker(const RecordFormat &format) : parser(format) {}
	RecordParser parser;
	core::CorpusWords corpus;
	std::vector<std::uint8_t> values;
	std::vector<char> present;
	std::vector<double> priorities;
	std::vector<std::uint64_t> id_hashes;
	std::vector<std::uint32_t> id_ends;
	std::string ids;
};

Collection::Collection(const CollectOptions &options, Sketches *sketches, Budget &budget, bool with_priority)
	: options_(options), sketches_(sketches), values_(options.fingerprint.kind->row_bytes, budget), present_(1, budget),
	  id_bytes_(budget)
{
	if (with_priority)
		priorities_ = std::make_unique<RowStore>(sizeof(double), budget);
	if (!options_.allow_duplicate_ids)
		id_hashes_ = std::make_unique<RowStore>(sizeof(std::uint64_t), budget);
}

bool Collection::make_value(Worker &, const Record &record, std::uint8_t *value, std::string &wrong)
{
	if (!record.has_text)
		return false;
	if (!options_.given)
		return compute(options_.fingerprint, record.text, value);
	std::uint64_t config;
	if (const char *error = kind()->operations->read_text(*kind(), record.text, value, config)) {
		wrong = in_quotes(record.text) + " is not a " + kind()->type + ": " + error;
		return false;
	}
	std::uint64_t known = 0;
	if (config != 0 && !config_.compare_exchange_strong(known, config) && known != config) {
		wrong = "the sketch was made with another configuration than others of the file";
		return false;
	}
	return true;
}

void Collection::work(Worker &worker, const Batch &batch, BatchResult &result)
{
	const std::size_t item = kind()->row_bytes, rows = batch.records;
	worker.values.resize(rows * item + 8);
	worker.present.assign(rows, 0);
	worker.priorities.assign(priorities_ ? rows : 0, 0);
	result.sketches.clear();
	worker.id_hashes.clear();
	worker.id_ends.clear();
	worker.ids.clear();
	std::size_t i = 0;
	for_each_record(batch, worker.parser, result, [&](const Record &record, bool parsed) {
		std::string wrong;
		std::uint8_t *value = worker.values.data() + i * item;
		worker.present[i] = parsed && make_value(worker, record, value, wrong);
		if (corpus_ && worker.present[i] != 0)
			worker.corpus.add(record.text, stop_token);
		if (priorities_)
			worker.priorities[i] = record.priority;
		const std::string_view id = wrong.empty() ? record.id : std::string_view();
		if (id_hashes_)
			worker.id_hashes.push_back(id.empty() ? 0 : core::xxh3_64(id.data(), id.size(), 0) | 1);
		worker.ids += record.id_is_number ? '\1' : '\0';
		worker.ids += id;
		worker.id_ends.push_back(static_cast<std::uint32_t>(worker.ids.size()));
		if (sketches_ != nullptr)
			std::visit([&](auto &own) { add_sketch(own, worker.present[i] != 0, value, result.sketches); }, *sketches_);
		++i;
		return wrong;
	});
	if (sketches_ == nullptr)
		values_.write(batch.first_record, rows, worker.values.data());
	present_.write(batch.first_record, rows, worker.present.data());
	if (id_hashes_)
		id_hashes_->write(batch.first_record, rows, worker.id_hashes.data());
	if (priorities_)
		priorities_->write(batch.first_record, rows, worker.priorities.data());
	result.output.assign(
		reinterpret_cast<const char *>(worker.id_ends.data()), worker.id_ends.size() * sizeof(std::uint32_t));
	result.output += worker.ids;
}

// For add(): a word that says whether there is a sketch, the sketch, and what the join needs of it.
template <class Slot>
void Collection::add_sketch(
	core::MinhashRows<Slot> &rows, bool present, const std::uint8_t *value, std::vector<std::uint64_t> &sketches) const
{
	const std::size_t at = sketches.size(), words = kind()->row_bytes / sizeof(std::uint64_t);
	sketches.resize(at + 1 + words + rows.entry_words());
	sketches[at] = present;
	std::memcpy(&sketches[at + 1], value, kind()->row_bytes);
	if (present)
		rows.prepare({reinterpret_cast<const Slot *>(&sketches[at + 1]), kind()->slots}, &sketches[at + 1 + words]);
}

template <class Slot>
void Collection::add_sketches(core::MinhashRows<Slot> &rows, const std::vector<std::uint64_t> &sketches)
{
	const std::size_t words = kind()->row_bytes / sizeof(std::uint64_t);
	for (std::size_t at = 0; at < sketches.size(); at += 1 + words + rows.entry_words()) {
		const std::span sketch(reinterpret_cast<const Slot *>(&sketches[at + 1]), kind()->slots);
		if (sketches[at] != 0)
			rows.add(sketch, &sketches[at + 1 + words]);
		else
			rows.add_absent(sketch);
	}
}

void Collection::add(BatchResult &result)
{
	counts_.add(result, options_.skip_errors);
	if (sketches_ != nullptr)
		std::visit([&](auto &own) { add_sketches(own, result.sketches); }, *sketches_);
	broken_.insert(broken_.end(), result.broken.begin(), result.broken.end());
	const std::uint64_t offset = id_bytes_.append(result.output);
	ids_.push_back({rows_, static_cast<std::uint32_t>(result.records), offset, result.output.size()});
	rows_ += static_cast<std::uint32_t>(result.records);
}

void Collection::collect(BatchReader &reader, Progress &progress)
{
	std::vector<std::unique_ptr<Worker>> workers(std::max(1u, options_.threads));
	progress.begin("reading", reader.file().file_size(), "MB");
	for_each_batch(
		reader, options_.threads, progress,
		[&](const Batch &batch, unsigned thread, BatchResult &result) {
			if (!workers[thread])
				workers[thread] = std::make_unique<Worker>(reader.format());
			work(*workers[thread], batch, result);
		},
		[&](BatchResult &result) { add(result); });
	progress.end();
	for (const std::unique_ptr<Worker> &worker : workers)
		if (corpus_ && worker)
			corpus_->merge(worker->corpus, stop_token);
	counts_.check_read(reader);
	if (id_hashes_ && !reader.format().line_ids)
		check_ids(reader.file().whole_name());
	id_hashes_.reset();
}

// Sorts the hashes of the ids in as many passes as the memory requires; each pass handles a range of hashes.
void Collection::check_ids(const std::string &name) const
{
	using HashOfRow = std::pair<std::uint64_t, std::uint32_t>;
	constexpr std::uint32_t step = 4096;
	const std::uint64_t passes =
		std::bit_ceil(rows_ * sizeof(HashOfRow) / std::max<std::uint64_t>(1, options_.memory) + 1);
	std::vector<HashOfRow> found;
	std::uint64_t hashes[step];
	for (std::uint64_t pass = 0; pass < passes; ++pass) {
		found.clear();
		for (std::uint32_t row = 0; row < rows_; row += step) {
			const std::uint32_t n = std::min(step, rows_ - row);
			id_hashes_->read(row, n, hashes);
			for (std::uint32_t i = 0; i < n; ++i)
				if (hashes[i] != 0 && (passes == 1 || hashes[i] >> (64 - std::countr_zero(passes)) == pass))
					found.emplace_back(hashes[i], row + i);
		}
		stop_token.check();
		std::sort(found.begin(), found.end());
		for (std::size_t i = 1; i < found.size(); ++i) {
			if (found[i].first != found[i - 1].first)
				continue;
			const Id a = id(found[i - 1].second), b = id(found[i].second);
			if (a.text == b.text)
				throw Failure(name + ": records " + std::to_string(found[i - 1].second + 1) + " and " +
					std::to_string(found[i].second + 1) + " have the same id " + in_quotes(a.text) +
					"; --allow-duplicate-ids accepts this, --line-ids numbers the records");
		}
	}
}

std::vector<char> Collection::have_values() const
{
	std::vector<char> present(rows_);
	present_.read(0, rows_, present.data());
	return present;
}

const std::uint8_t *Collection::value(std::uint32_t row, Value &buffer) const
{
	const auto stored = [&]<class Slot>(core::MinhashRows<Slot> &rows) {
		return reinterpret_cast<const std::uint8_t *>(rows.stored(row, reinterpret_cast<Slot *>(buffer.bytes)));
	};
	if (sketches_ != nullptr)
		return std::visit(stored, *sketches_);
	return static_cast<const std::uint8_t *>(values_.item(row, buffer.bytes));
}

double Collection::priority(std::uint32_t row) const
{
	double priority;
	priorities_->read(row, 1, &priority);
	return priority;
}

void Collection::decode(const std::string &block, const IdBlock &ids, std::uint32_t i, Id &id)
{
	std::uint32_t begin = 0, end;
	if (i > 0)
		std::memcpy(&begin, block.data() + 4 * (i - 1), 4);
	std::memcpy(&end, block.data() + 4 * i, 4);
	const std::string_view bytes(block.data() + 4 * std::size_t{ids.rows} + begin, end - begin);
	id.is_number = bytes[0] != 0;
	if (bytes.size() > 1) {
		id.text.assign(bytes.substr(1));
	} else {
		id.text = std::to_string(std::uint64_t{ids.first_row} + i + 1);
		id.is_number = true;
	}
}

Id Collection::id(std::uint32_t row) const
{
	const auto block = std::upper_bound(ids_.begin(), ids_.end(), row, [](std::uint32_t r, const IdBlock &ids) {
		return r < ids.first_row;
	}) - 1;
	const std::uint32_t i = row - block->first_row;
	std::uint32_t ends[2] = {0, 0};
	if (i > 0)
		id_bytes_.read(block->offset + 4 * (i - 1), ends, 8);
	else
		id_bytes_.read(block->offset, ends + 1, 4);
	std::string bytes(ends[1] - ends[0], '\0');
	id_bytes_.read(block->offset + 4 * std::uint64_t{block->rows} + ends[0], bytes.data(), bytes.size());
	if (bytes.size() == 1)
		return {std::to_string(std::uint64_t{row} + 1), true};
	return {bytes.substr(1), bytes[0] != 0};
}

} // namespace txtfp::cli
