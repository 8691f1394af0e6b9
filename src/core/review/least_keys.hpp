// A sample of rows in bounded memory: those with the least keys, which are hashes and so random.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace txtfp::core {

// Row has the members `key` and `bytes()`.
template <class Row> class LeastKeys {
public:
	LeastKeys(std::size_t most_rows, std::size_t most_bytes) : most_rows_(most_rows), most_bytes_(most_bytes) {}

	// False: a row with this key would be dropped at once.
	bool wants(std::uint64_t key) const noexcept
	{
		return key < bound_ && (rows_.size() < most_rows_ || key < rows_.front().key);
	}

	void add(Row row)
	{
		bytes_ += row.bytes();
		rows_.push_back(std::move(row));
		std::push_heap(rows_.begin(), rows_.end(), less);
		while (rows_.size() > most_rows_ || (bytes_ > most_bytes_ && rows_.size() > 1)) {
			std::pop_heap(rows_.begin(), rows_.end(), less);
			bytes_ -= rows_.back().bytes();
			bound_ = std::min(bound_, rows_.back().key);
			rows_.pop_back();
		}
	}

	// The rows by ascending key; the sample is empty afterwards.
	std::vector<Row> extract()
	{
		std::sort(rows_.begin(), rows_.end(), less);
		return std::move(rows_);
	}

private:
	static bool less(const Row &a, const Row &b) noexcept { return a.key < b.key; }

	std::size_t most_rows_, most_bytes_, bytes_ = 0;
	std::uint64_t bound_ = ~std::uint64_t{0}; // no row from this key on
	std::vector<Row> rows_;                   // a heap, the greatest key first
};

} // namespace txtfp::core
