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
	Place &place = find(hash, bytes);
	if (place.number != none)
		return place.number;
	const std::uint32_t number = ids_->add(bytes);
	place = {number, hash};
	if (ids_->count() == size_ / 2)
		resize(2 * size_);
	return number;
}

NumberedIds::Place &NumberedIds::find(std::uint32_t hash, std::string_view id)
{
	for (std::size_t i = hash;; ++i) {
		Place &place = places_[i & (size_ - 1)];
		if (place.number == none || (place.hash == hash && ids_->bytes(place.number) == id))
			return place;
	}
}

void NumberedIds::resize(std::size_t size)
{
	CHECK_FOR_INTERRUPTS();
	const std::span<Place> old(places_, size_);
	places_ = allocate<Place>(context_, size);
	size_ = size;
	std::fill_n(places_, size, Place{none, 0});
	for (const Place &place : old)
		if (place.number != none) {
			std::size_t i = place.hash;
			while (places_[i & (size - 1)].number != none)
				++i;
			places_[i & (size - 1)] = place;
		}
	if (!old.empty())
		pfree(old.data());
}

} // namespace txtfp::pg
