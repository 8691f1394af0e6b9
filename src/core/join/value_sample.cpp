#include "core/join/value_sample.hpp"

#include <algorithm>

#include "core/base/splitmix.hpp"

namespace txtfp::core {

void ValueSample::open(JoinHost &host, std::size_t size, std::size_t memory)
{
	*this = {};
	host_ = &host;
	size_ = size;
	memory_ = memory / 2; // one half for the buffers, the other to sort
	hashes_.open(host, 64, memory_);
}

void ValueSample::consider(const Item &item)
{
	if (drawn_ < size_) {
		items_[drawn_++] = item;
		std::push_heap(items_, items_ + drawn_);
	} else if (size_ > 0 && item < items_[0]) {
		std::pop_heap(items_, items_ + drawn_);
		items_[drawn_ - 1] = item;
		std::push_heap(items_, items_ + drawn_);
	}
}

std::size_t ValueSample::draw()
{
	const auto most = static_cast<std::size_t>(std::min<std::uint64_t>(size_, items()));
	items_ = host_->array<Item>(most);
	hashes_.for_each_sorted(memory_, [&](std::span<KeyedRow> rows) {
		std::uint64_t equal = 0;
		for (std::size_t i = 0; i < rows.size(); ++i) {
			const std::uint64_t hash = rows[i].key();
			equal = i > 0 && rows[i - 1].key() == hash ? equal + 1 : 0;
			consider({SplitMix64::mixed(hash + equal * SplitMix64::step), hash});
		}
	});
	sort_polling(
		items_, items_ + drawn_, [](const Item &a, const Item &b) { return a.hash < b.hash; },
		[this] { host_->poll(); });
	values_ = host_->array<DrawnValue>(drawn_);
	for (std::size_t i = 0; i < drawn_; ++i) {
		if (i > 0 && items_[i].hash == items_[i - 1].hash)
			++values_[count_ - 1].times;
		else
			values_[count_++] = {items_[i].hash, 1};
	}
	host_->free(items_);
	items_ = nullptr;
	return drawn_;
}

DrawnValue *ValueSample::find(std::uint64_t hash)
{
	DrawnValue *end = values_ + count_;
	DrawnValue *found =
		std::lower_bound(values_, end, hash, [](const DrawnValue &value, std::uint64_t h) { return value.hash < h; });
	return found != end && found->hash == hash ? found : nullptr;
}

} // namespace txtfp::core
