#include "cli/collection.hpp"

#include <cstring>

#include "cli/failure.hpp"
#include "core/minhash/lsh.hpp"

namespace txtfp::cli {

// Buffers of one thread.
struct Collection::Worker {
	explicit Worker(const RecordFormat &format) : parser(format) {}
	RecordParser parser;
	std::vector<std::uint8_t> values;
	std::vector<char> present;
	std::vector<double> priorities;
	std::vector<std::uint64_t> keys; // keys of all bands, first row by row, then band by band
	std::vector<std::uint64_t> column;
	std::vector<std::uint32_t> id_ends;
	std::string ids;
};

Collection::Collection(const CollectOptions &options, core::Banding banding, Budget &budget, bool with_priority)
	: options_(options), banding_(banding),
	  slots_(is_minhash(options.fingerprint.kind) ? slots_of(options.fingerprint.kind) : 0),
	  values_(value_bytes(options.fingerprint.kind), budget), present_(1, budget), id_bytes_(budget)
{
	if (with_priority)
		priorities_ = std::make_unique<RowStore>(sizeof(double), budget);
	if (banding_.bands > 0)
		whole_keys_ = std::make_unique<RowStore>(sizeof(std::uint64_t), budget);
	for (int band = 0; band < banding_.bands; ++band)
		band_keys_.push_back(std::make_unique<RowStore>(sizeof(std::uint64_t), budget));
}

bool Collection::make_value(Worker &, const Record &record, std::uint8_t *value, std::string &wrong)
{
	if (!record.has_text)
		return false;
	if (!options_.given)
		return compute(options_.fingerprint, record.text, value);
	std::uint64_t config;
	if (const char *error = parse_value(kind(), record.text, value, config)) {
		wrong = in_quotes(record.text) + " is not a " + std::string(kind_name(kind())) + ": " + error;
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
	const std::size_t item = value_bytes(kind()), rows = batch.records, bands = band_keys_.size();
	worker.values.resize(rows * item + 8);
	worker.present.assign(rows, 0);
	worker.priorities.assign(priorities_ ? rows : 0, 0);
	worker.keys.resize(rows * (bands + 1));
	worker.id_ends.clear();
	worker.ids.clear();
	std::string_view rest = batch.bytes();
	std::uint64_t line = batch.first_line;
	Record record;
	std::string wrong;
	for (std::size_t i = 0; i < rows; ++i) {
		const RecordParser::Outcome outcome = worker.parser.next(rest, line, record);
		if (outcome == RecordParser::Outcome::end)
			throw Failure("a batch has fewer records than were counted");
		wrong.clear();
		std::uint8_t *value = worker.values.data() + i * item;
		if (outcome == RecordParser::Outcome::broken)
			wrong = worker.parser.error();
		else
			worker.present[i] = make_value(worker, record, value, wrong);
		if (!wrong.empty()) {
			if (result.broken++ == 0)
				result.error = "line " + std::to_string(record.line) + ": " + wrong;
			record.id = {};
		}
		if (priorities_)
			worker.priorities[i] = record.priority;
		worker.ids += record.id_is_number ? '\1' : '\0';
		worker.ids += record.id;
		worker.id_ends.push_back(static_cast<std::uint32_t>(worker.ids.size()));
		if (worker.present[i] != 0 && bands > 0) {
			const core::ConstSlots slots = slots_in(kind(), value);
			std::uint64_t *keys = &worker.keys[i * (bands + 1)];
			core::band_keys(slots, banding_, keys);
			keys[bands] = core::xxh3_64(slots.data(), slots.size_bytes(), 0);
		}
	}
	values_.write(batch.first_record, rows, worker.values.data());
	present_.write(batch.first_record, rows, worker.present.data());
	if (priorities_)
		priorities_->write(batch.first_record, rows, worker.priorities.data());
	for (std::size_t band = 0; bands > 0 && band <= bands; ++band) {
		worker.column.resize(rows);
		for (std::size_t i = 0; i < rows; ++i)
			worker.column[i] = worker.keys[i * (bands + 1) + band];
		(band < bands ? *band_keys_[band] : *whole_keys_).write(batch.first_record, rows, worker.column.data());
	}
	result.records = rows;
	result.output.assign(
		reinterpret_cast<const char *>(worker.id_ends.data()), worker.id_ends.size() * sizeof(std::uint32_t));
	result.output += worker.ids;
}

void Collection::take(BatchResult &result, std::uint64_t &skipped, const std::string &name)
{
	if (result.broken > 0 && !options_.skip_errors)
		throw Failure(name + ": " + result.error);
	skipped += result.broken;
	const std::uint64_t offset = id_bytes_.append(result.output);
	ids_.push_back({rows_, static_cast<std::uint32_t>(result.records), offset, result.output.size()});
	rows_ += static_cast<std::uint32_t>(result.records);
}

std::uint64_t Collection::collect(BatchReader &reader, Progress &progress)
{
	std::uint64_t skipped = 0;
	std::vector<std::unique_ptr<Worker>> workers(std::max(1u, options_.threads));
	progress.begin("reading", reader.file().file_size(), "MB");
	for_each_batch(
		reader, options_.threads, progress,
		[&](const Batch &batch, unsigned thread, BatchResult &result) {
			if (!workers[thread])
				workers[thread] = std::make_unique<Worker>(reader.format());
			work(*workers[thread], batch, result);
		},
		[&](BatchResult &result) { take(result, skipped, reader.file().name()); });
	progress.end();
	return skipped;
}

std::vector<char> Collection::have_values() const
{
	std::vector<char> present(rows_);
	present_.read(0, rows_, present.data());
	return present;
}

void Collection::keys(int band, std::uint32_t row, std::size_t rows, std::uint64_t *keys) const
{
	(band < 0 ? *whole_keys_ : *band_keys_[static_cast<std::size_t>(band)]).read(row, rows, keys);
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
