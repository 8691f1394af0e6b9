#include "pg/sketch/band_sort.hpp"

#include <algorithm>

#include "core/sketch/bands.hpp"
#include "pg/base/large_array.hpp"

namespace txtfp::pg {

namespace {

constexpr int min_bits = 4, max_bits = 9;
constexpr std::size_t min_capacity = 16384;
constexpr std::uint64_t everything = ~std::uint64_t{0}; // greater than every item: no row has the entry 0xFFFFFFFF

std::size_t capacity_of(std::size_t memory)
{
	return std::max<std::size_t>(memory / (2 * sizeof(std::uint64_t)), 2 * min_capacity);
}

} // namespace

BandSort *BandSort::open(MemoryContext context, std::size_t memory, std::uint64_t expected)
{
	auto *sort = static_cast<BandSort *>(MemoryContextAllocZero(context, sizeof(BandSort)));
	sort->context_ = context;
	sort->max_capacity_ = capacity_of(memory);
	sort->expected_ = expected;
	return sort;
}

BandSort *BandSort::open_shared(MemoryContext context, std::size_t memory, int bits, const SharedFiles &shared)
{
	BandSort *sort = open(context, memory, 0);
	sort->files_ = PartitionFiles::open(context, sizeof(std::uint64_t), bits, &shared);
	return sort;
}

int BandSort::bits_for(std::uint64_t items, std::size_t memory)
{
	const std::size_t capacity = capacity_of(memory);
	int bits = min_bits;
	while (bits < max_bits && (items >> bits) > capacity / 2 &&
		(std::size_t{2} << bits) * PartitionFiles::memory_of_partition <= capacity * 8)
		++bits;
	return bits;
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
	if (files_ == nullptr)
		files_ = PartitionFiles::open(
			context_, sizeof(std::uint64_t), bits_for(expected_, max_capacity_ * 2 * sizeof(std::uint64_t)));
	const int shift = 64 - files_->bits();
	for (std::size_t i = 0; i < count_; ++i)
		memcpy(files_->append(static_cast<std::uint32_t>(items_[i] >> shift)), &items_[i], sizeof *items_);
	spilled_ += count_;
	count_ = 0;
}

void BandSort::share()
{
	spill();
	files_->share();
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

// Loads the items of a partition that are at least `from` and returns their number. If they do not fit into memory,
// loads the smallest ones and sets limit_ above them.
std::size_t BandSort::load(std::uint32_t partition, std::uint64_t from)
{
	std::size_t n = 0;
	limit_ = everything;
	files_->read(partition, [&](const std::uint8_t *records, std::size_t count) {
		const auto *items = reinterpret_cast<const std::uint64_t *>(records);
		for (std::size_t i = 0; i < count; ++i)
			if (items[i] >= from && items[i] < limit_) {
				if (n == capacity_)
					n = keep_smaller_half(n);
				if (items[i] < limit_)
					items_[n++] = items[i];
			}
	});
	return n;
}

void BandSort::sort(std::size_t n)
{
	CHECK_FOR_INTERRUPTS();
	if (scratch_capacity_ < n)
		scratch_ = enlarge(context_, scratch_, scratch_capacity_ = n);
	core::sort_items(items_, n, scratch_);
}

std::span<const std::uint64_t> BandSort::next_of(std::uint32_t partition)
{
	if (limit_ == everything) {
		limit_ = 0;
		return {};
	}
	if (const auto most = std::min<std::uint64_t>(max_capacity_, files_->count(partition)); capacity_ < most)
		items_ = enlarge(context_, items_, capacity_ = static_cast<std::size_t>(most));
	const std::size_t n = load(partition, limit_);
	if (limit_ == everything)
		files_->remove(partition);
	if (n == 0) {
		limit_ = 0;
		return {};
	}
	sort(n);
	return {items_, n};
}

std::span<const std::uint64_t> BandSort::next()
{
	if (files_ == nullptr) {
		if (done_)
			return {};
		done_ = true;
		sort(count_);
		return {items_, count_};
	}
	if (count_ > 0)
		spill();
	for (; partition_ < files_->partitions(); ++partition_)
		if (const std::span<const std::uint64_t> items = next_of(partition_); !items.empty())
			return items;
	return {};
}

void BandSort::close()
{
	if (files_ != nullptr)
		files_->close();
	for (void *memory : {static_cast<void *>(items_), static_cast<void *>(scratch_)})
		if (memory != nullptr)
			pfree(memory);
	pfree(this);
}

} // namespace txtfp::pg
