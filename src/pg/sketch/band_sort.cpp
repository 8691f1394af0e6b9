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
constexpr std::size_t file_memory = file_buffer * sizeof(std::uint64_t) + BLCKSZ; // with PostgreSQL's own buffer
constexpr int least_bits = 4, most_bits = 9;
constexpr std::size_t least_room = 16384;

std::size_t count_of(int bits) { return std::size_t{1} << bits; }

} // namespace

BandSort *BandSort::open(MemoryContext context, std::size_t memory, std::uint64_t expected)
{
	auto *sort = static_cast<BandSort *>(MemoryContextAllocZero(context, sizeof(BandSort)));
	sort->context_ = context;
	sort->most_ = std::max<std::size_t>(memory / (2 * sizeof(std::uint64_t)), 2 * least_room);
	sort->expected_ = expected;
	return sort;
}

// The array grows up to its share of the memory; then what it has goes to files, and it is filled again.
void BandSort::make_room()
{
	CHECK_FOR_INTERRUPTS();
	if (room_ < most_) {
		room_ = std::min(std::max(least_room, 2 * room_), most_);
		items_ = enlarge(context_, items_, room_);
		return;
	}
	distribute();
}

void BandSort::distribute()
{
	if (files_ == nullptr) {
		bits_ = least_bits;
		while (bits_ < most_bits && (expected_ >> bits_) > most_ / 2 && count_of(bits_ + 1) * file_memory <= most_ * 8)
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
	filed_ += count_;
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
	file.filed += file.buffered;
	file.buffered = 0;
}

// Of n items of which the larger ones have no place: those below the median, which becomes the limit.
std::size_t BandSort::keep_smaller_half(std::size_t n)
{
	std::uint64_t *middle = items_ + n / 2;
	std::nth_element(items_, middle, items_ + n);
	limit_ = *middle;
	return static_cast<std::size_t>(
		std::partition(items_, items_ + n, [&](std::uint64_t i) { return i < limit_; }) - items_);
}

// The items of a file that are at least `from`: all, or the smallest ones, below limit_.
std::size_t BandSort::load(File &file, std::uint64_t from)
{
	std::size_t n = 0;
	limit_ = ~std::uint64_t{0}; // no item is that large: its entry would be no row
	const auto take = [&](const std::uint64_t *items, std::size_t count) {
		for (std::size_t i = 0; i < count; ++i)
			if (items[i] >= from && items[i] < limit_) {
				if (n == most_)
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
	for (std::uint64_t left = file.filed; left > 0;) {
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
		distribute();
	if (scratch_ == nullptr)
		scratch_ = allocate<std::uint64_t>(context_, files_ != nullptr ? most_ : count_);
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
			*n = file.filed + file.buffered == 0 ? 0 : load(file, limit_);
			if (limit_ != ~std::uint64_t{0} && *n > 0)
				break; // the same file once more
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
