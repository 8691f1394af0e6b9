// Finds the buckets of a banding on several threads: sorts the rows by the key of each band, one band at a time. If the
// keys of a band do not fit into the memory, they are sorted in several passes, each over a range of keys.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "cli/collection.hpp"
#include "cli/parallel.hpp"
#include "core/base/keyed_rows.hpp"

namespace txtfp::cli {

class BandRounds {
public:
	static constexpr std::size_t ranges = 256; // per pass; a range is a unit of work

	BandRounds(const Collection &collection, unsigned threads, std::uint64_t memory)
		: collection_(collection), threads_(threads),
		  room_(std::max<std::uint64_t>(memory / sizeof(core::KeyedRow), 1 << 16))
	{
	}

	// Calls fn(rows, thread) from several threads, with rows sorted by key; all rows with the same key are in one call.
	// Rows r with take[r] == 0 are skipped. band −1 means the hash of the whole value.
	template <class Fn> void for_each_range(int band, const std::vector<char> &take, Fn fn)
	{
		const auto rows =
			static_cast<std::uint64_t>(std::count_if(take.begin(), take.end(), [](char t) { return t != 0; }));
		const std::uint64_t passes = rows * 11 / 10 / room_ + 1;
		for (std::uint64_t pass = 0; pass < passes; ++pass) {
			distribute(band, take, pass, passes);
			for_each_index(ranges, threads_, [&](std::size_t range, unsigned thread) {
				const std::span<core::KeyedRow> sorted(
					pass_rows_.get() + begin_[range], begin_[range + 1] - begin_[range]);
				core::sort_rows(sorted);
				fn(sorted, thread);
			});
		}
	}

private:
	static constexpr std::uint32_t block_rows = 1 << 16;

	// Where the rows of a key go: pass · ranges + range.
	static std::uint64_t place(std::uint64_t key, std::uint64_t passes) noexcept
	{
		return static_cast<std::uint64_t>(static_cast<unsigned __int128>(key) * (passes * ranges) >> 64);
	}

	template <class Fn> void for_each_key(int band, const std::vector<char> &take, std::size_t block, Fn fn) const
	{
		const auto first = static_cast<std::uint32_t>(block * block_rows);
		const std::size_t n = std::min<std::size_t>(block_rows, take.size() - first);
		std::vector<std::uint64_t> keys(n);
		collection_.keys(band, first, n, keys.data());
		for (std::size_t i = 0; i < n; ++i)
			if (take[first + i] != 0)
				fn(keys[i], static_cast<std::uint32_t>(first + i));
	}

	// Puts each row of the pass into the range of its key. Rows keep their order within a range, as with a single
	// thread.
	void distribute(int band, const std::vector<char> &take, std::uint64_t pass, std::uint64_t passes)
	{
		const std::size_t blocks = (take.size() + block_rows - 1) / block_rows;
		std::vector<std::uint32_t> counts(blocks * ranges);
		for_each_index(blocks, threads_, [&](std::size_t block, unsigned) {
			for_each_key(band, take, block, [&](std::uint64_t key, std::uint32_t) {
				if (const std::uint64_t at = place(key, passes); at / ranges == pass)
					++counts[block * ranges + at % ranges];
			});
		});
		std::vector<std::size_t> next(blocks * ranges);
		std::size_t filled = 0;
		for (std::size_t range = 0; range < ranges; ++range) {
			begin_[range] = filled;
			for (std::size_t block = 0; block < blocks; ++block) {
				next[block * ranges + range] = filled;
				filled += counts[block * ranges + range];
			}
		}
		begin_[ranges] = filled;
		if (filled > size_) {
			pass_rows_.reset();                           // before the next is allocated
			pass_rows_.reset(new core::KeyedRow[filled]); // libc++ before 16 lacks make_unique_for_overwrite
			size_ = filled;
		}
		for_each_index(blocks, threads_, [&](std::size_t block, unsigned) {
			for_each_key(band, take, block, [&](std::uint64_t key, std::uint32_t row) {
				if (const std::uint64_t at = place(key, passes); at / ranges == pass)
					pass_rows_[next[block * ranges + at % ranges]++] = core::KeyedRow::of(key, row);
			});
		});
	}

	const Collection &collection_;
	unsigned threads_;
	std::uint64_t room_;
	std::unique_ptr<core::KeyedRow[]> pass_rows_;
	std::size_t size_ = 0, begin_[ranges + 1] = {};
};

} // namespace txtfp::cli
