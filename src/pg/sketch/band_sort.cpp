#include "pg/sketch/band_sort.hpp"

#include <algorithm>

#include "core/sketch/bands.hpp"
#include "pg/base/large_array.hpp"

extern "C" {
#include "miscadmin.h"
}

namespace txtfp::pg {

namespace {

constexpr std::size_t file_buffer = 512;                                          // items
constexpr std::size_t file_memory = file_buffer * sizeof(std::uint64_t) + BLCKSZ; // bytes, with PostgreSQL's buffer
constexpr int min_bits = 4, max_bits = 9;
constexpr std::size_t min_capacity = 16384;

std::size_t count_of(int bits) { return std::size_t{1} << bits; }

} // namespace

BandSort *BandSort::open(MemoryContext context, std::size_t memory, std::uint64_t expected)
{
	auto *sort = static_cast<BandSort *>(MemoryContextAllocZero(context, sizeof(BandSort)));
	sort->context_ = context;
	sort->max_capacity_ = std::max<std::size_t>(memory / (2 * sizeof(std::uint64_t)), 2 * min_capacity);
	sort->expected_ = expected;
	return sort;
}

// Enlarges the array up to its share of the memory. When it is full after that, moves its items to files.
void BandSort::grow_or_spill()
{
	CHECK_FOR_INTERRUPTS();
	if (capacity_ < max_capacity_) {
		capacity_ = std::min(std::max(min_capacity, 2 * capacity_), max_capacity_);
		items_ = enlarge(context_, items_, capacity_);
		return;
	}
	spill();
}

void BandSort::spill()
{
	if (files_ == nullptr) {
		bits_ = min_bits;
		while (bits_ < max_bits && (expected_ >> bits_) > max_capacity_ / 2 &&
			count_of(bits_ + 1) * file_memory <= max_capacity_ * 8)
			++bits_;
		files_ = allocate<File>(context_, count_of(bits_));
		std::fill_n(files_, count_of(bits_), File{});
	}
	for (std::size_t i = 0; i < count_; ++i) {
		File &file = files_[items_[i] >> (64 - bits_)];
		if (file.buffer == nullptr)
			file.buffer = allocate<std::uint64_t>(context_, file_buffer);
		file.buffer[file.buffered++] = items_[i];
		if (file.buffered == file_buffer)
			flush(file);
	}
	spilled_ += count_;
	count_ = 0;
}

void BandSort::flush(File &file)
{
	CHECK_FOR_INTERRUPTS();
	if (file.file == nullptr) {
		const MemoryContext caller = MemoryContextSwitchTo(context_);
		file.file = BufFileCreateTemp(false);
		MemoryContextSwitchTo(caller);
	}
	BufFileWrite(file.file, file.buffer, file.buffered * sizeof(std::uint64_t));
	file.written += file.buffered;
	file.buffered = 0;
}

// Keeps the items below the median and returns their number. The median becomes the limit.
std::size_t BandSort::keep_smaller_half(std::size_t n)
{
	std::uint64_t *middle = items_ + n / 2;
	std::nth_element(items_, middle, items_ + n);
	limit_ = *middle;
	return static_cast<std::size_t>(
		std::partition(items_, items_ + n, [&](std::uint64_t i) { return i < limit_; }) - items_);
}

// Loads the items of a file that are at least `from` and returns their number. If they do not fit into memory, loads the smallest ones and sets
// limit_ above them.
std::size_t BandSort::load(File &file, std::uint64_t from)
{
	std::size_t n = 0;
	limit_ = ~std::uint64_t{0}; // greater than every item: no row has the entry 0xFFFFFFFF
	const auto take = [&](const std::uint64_t *items, std::size_t count) {
		for (std::size_t i = 0; i < count; ++i)
			if (items[i] >= from && items[i] < limit_) {
				if (n == max_capacity_)
					n = keep_smaller_half(n);
				if (items[i] < limit_)
					items_[n++] = items[i];
			}
	};
	take(file.buffer, file.buffered);
	if (file.file == nullptr)
		return n;
	if (BufFileSeek(file.file, 0, 0, SEEK_SET) != 0)
		elog(ERROR, "could not rewind a temporary file");
	std::uint64_t piece[file_buffer];
	for (std::uint64_t left = file.written; left > 0;) {
		CHECK_FOR_INTERRUPTS();
		const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(left, file_buffer));
		if (BufFileRead(file.file, piece, count * sizeof *piece) != count * sizeof *piece)
			ereport(ERROR, (errcode_for_file_access(), errmsg("could not read from a temporary file: %m")));
		take(piece, count);
		left -= count;
	}
	return n;
}

bool BandSort::next(const std::uint64_t **items, std::size_t *n)
{
	if (done_)
		return false;
	if (files_ != nullptr && count_ > 0)
		spill();
	if (scratch_ == nullptr)
		scratch_ = allocate<std::uint64_t>(context_, files_ != nullptr ? max_capacity_ : count_);
	if (files_ == nullptr) {
		done_ = true;
		*n = count_;
	} else {
		for (*n = 0; *n == 0; ++file_, limit_ = 0) {
			if (file_ == count_of(bits_)) {
				done_ = true;
				return false;
			}
			File &file = files_[file_];
			*n = file.written + file.buffered == 0 ? 0 : load(file, limit_);
			if (limit_ != ~std::uint64_t{0} && *n > 0)
				break; // the next call continues with the same file
		}
	}
	CHECK_FOR_INTERRUPTS();
	core::sort_items(items_, *n, scratch_);
	*items = items_;
	return *n > 0;
}

void BandSort::close()
{
	for (std::size_t i = 0; files_ != nullptr && i < count_of(bits_); ++i) {
		if (files_[i].file != nullptr)
			BufFileClose(files_[i].file);
		if (files_[i].buffer != nullptr)
			pfree(files_[i].buffer);
	}
	for (void *memory : {static_cast<void *>(items_), static_cast<void *>(scratch_), static_cast<void *>(files_)})
		if (memory != nullptr)
			pfree(memory);
	pfree(this);
}

} // namespace txtfp::pg
