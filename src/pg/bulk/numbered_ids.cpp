#include "pg/bulk/numbered_ids.hpp"

#include <algorithm>
#include <span>

#include "core/base/table_hash.hpp"
#include "pg/base/large_array.hpp"

namespace txtfp::pg {

namespace {

constexpr std::uint32_t none = 0xFFFFFFFF;

} // namespace

void NumberedIds::open(MemoryContext context, RowIds &ids)
{
	*this = {};
	context_ = context;
	ids_ = &ids;
	resize(1024);
}

std::uint32_t NumberedIds::number_of(std::string_view bytes)
{
	const auto hash = static_cast<std::uint32_t>(core::table_hash(bytes));
	Slot &slot = slot_of(hash, bytes);
	if (slot.number != none)
		return slot.number;
	const std::uint32_t number = ids_->add(bytes);
	slot = {number, hash};
	if (ids_->count() == size_ / 2)
		resize(2 * size_);
	return number;
}

std::uint32_t NumberedIds::find(std::string_view bytes) const
{
	return slot_of(static_cast<std::uint32_t>(core::table_hash(bytes)), bytes).number;
}

NumberedIds::Slot &NumberedIds::slot_of(std::uint32_t hash, std::string_view id) const
{
	for (std::size_t i = hash;; ++i) {
		Slot &slot = slots_[i & (size_ - 1)];
		if (slot.number == none || (slot.hash == hash && ids_->bytes(slot.number) == id))
			return slot;
	}
}

void NumberedIds::resize(std::size_t size)
{
	CHECK_FOR_INTERRUPTS();
	const std::span<Slot> old(slots_, size_);
	slots_ = allocate<Slot>(context_, size);
	size_ = size;
	std::fill_n(slots_, size, Slot{none, 0});
	for (const Slot &slot : old)
		if (slot.number != none) {
			std::size_t i = slot.hash;
			while (slots_[i & (size - 1)].number != none)
				++i;
			slots_[i & (size - 1)] = slot;
		}
	if (!old.empty())
		pfree(old.data());
}

} // namespace txtfp::pg
