#include "pg/sketch/length_order.hpp"

#include <bit>

#include "pg/base/large_array.hpp"

namespace txtfp::pg {

LengthOrder *LengthOrder::open(const core::SketchLayout &layout)
{
	auto *order = static_cast<LengthOrder *>(palloc0(sizeof(LengthOrder)));
	order->layout_ = &layout;
	order->context_ = CurrentMemoryContext;
	return order;
}

LengthBucket *LengthOrder::add(const ItemPointerData &tid, bool is_null, const std::uint8_t *signature)
{
	const unsigned length = core::terms_count(signature);
	std::size_t number = length;
	if (length >= 1u << exact_bits) {
		const int width = std::bit_width(length) - 1;
		number = (std::size_t{1} << exact_bits) + (static_cast<std::size_t>(width - exact_bits) << steps_bits) +
			(length >> (width - steps_bits) & ((1u << steps_bits) - 1));
	}
	LengthBucket &bucket = bucket_[number];
	if (bucket.row == nullptr) {
		bucket.row = allocate<CollectedRow>(context_, layout_->rows);
		bucket.signatures = allocate<std::uint8_t>(context_, std::size_t{layout_->rows} * layout_->signature_size);
	}
	bucket.row[bucket.count] = {tid, is_null};
	memcpy(bucket.signatures + bucket.count * layout_->signature_size, signature, layout_->signature_size);
	return ++bucket.count == layout_->rows ? &bucket : nullptr;
}

} // namespace txtfp::pg
