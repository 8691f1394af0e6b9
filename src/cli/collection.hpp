// The fingerprints of a file, and the ids of its records.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "cli/batches.hpp"
#include "cli/fingerprints.hpp"
#include "cli/store.hpp"
#include "core/compare/corpus_words.hpp"
#include "core/join/minhash_rows.hpp"

namespace txtfp::cli {

struct Id {
	std::string text;
	bool is_number = false; // true if JSON gave the id as a number
};

struct CollectOptions {
	core::Recipe fingerprint;
	bool given = false; // true if the text field holds fingerprints in their text form
	bool skip_errors = false, allow_duplicate_ids = false;
	unsigned threads = 1;
	std::uint64_t memory = 0; // bytes for finding duplicate ids
};

using Sketches = std::variant<core::MinhashRows<std::uint64_t>, core::MinhashRows<std::uint8_t>>; // full, compact

// Stores one row per record, also for a broken record or one without a fingerprint.
class Collection {
public:
	// `sketches` stores the values of minhash*; nullptr for other kinds.
	Collection(const CollectOptions &options, Sketches *sketches, Budget &budget, bool with_priority);

	// Reads the file, or the files of a folder. Throws Failure for a broken record, unless these are to be skipped, and for an id that two
	// records have, unless that is allowed.
	void collect(BatchReader &reader, Progress &progress);
	// Before collect(): the words of the texts that have a fingerprint are counted, too.
	void count_words() { corpus_ = std::make_unique<core::CorpusWords>(); }
	const core::CorpusWords *corpus() const noexcept { return corpus_.get(); } // nullptr: they were not counted

	// The rows of broken records, ascending. They have neither value nor id.
	const std::vector<std::uint64_t> &broken() const noexcept { return broken_; }
	RecordCounts &counts() noexcept { return counts_; }

	std::uint32_t rows() const noexcept { return rows_; }
	Kind kind() const noexcept { return options_.fingerprint.kind; }
	Sketches &sketches() const noexcept { return *sketches_; }

	std::vector<char> have_values() const; // one element per row
	const std::uint8_t *value(std::uint32_t row, Value &buffer) const;
	double priority(std::uint32_t row) const;
	Id id(std::uint32_t row) const;

	// Calls fn for the ids of all rows in order; faster than reading them one by one.
	template <class Fn> void for_each_id(Fn fn) const
	{
		Id id;
		std::string block;
		for (const IdBlock &ids : ids_) {
			block.resize(ids.bytes);
			id_bytes_.read(ids.offset, block.data(), ids.bytes);
			for (std::uint32_t i = 0; i < ids.rows; ++i) {
				decode(block, ids, i, id);
				fn(ids.first_row + i, id);
			}
		}
	}

private:
	struct IdBlock {
		std::uint32_t first_row, rows;
		// A range of id_bytes_: the end of each id as u32, then the ids, each after a byte that says whether it is a
		// number.
		std::uint64_t offset, bytes;
	};
	struct Worker;

	void work(Worker &worker, const Batch &batch, BatchResult &result);
	bool make_value(Worker &worker, const Record &record, std::uint8_t *value, std::string &wrong);
	template <class Slot>
	void add_sketch(core::MinhashRows<Slot> &rows, bool present, const std::uint8_t *value,
		std::vector<std::uint64_t> &sketches) const;
	template <class Slot> void add_sketches(core::MinhashRows<Slot> &rows, const std::vector<std::uint64_t> &sketches);
	void add(BatchResult &result);
	void check_ids(const std::string &name) const;
	static void decode(const std::string &block, const IdBlock &ids, std::uint32_t i, Id &id);

	CollectOptions options_;
	std::unique_ptr<core::CorpusWords> corpus_;
	Sketches *sketches_;
	RowStore values_, present_;
	std::unique_ptr<RowStore> priorities_;
	std::unique_ptr<RowStore> id_hashes_; // 0: the record has no id of its own
	ByteStore id_bytes_;
	std::vector<IdBlock> ids_;
	std::atomic<std::uint64_t> config_ = 0; // configuration of the sketches that the file gives
	std::vector<std::uint64_t> broken_;
	RecordCounts counts_;
	std::uint32_t rows_ = 0;
};

} // namespace txtfp::cli
