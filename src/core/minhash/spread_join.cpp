#include "core/minhash/spread_join.hpp"

#include <algorithm>
#include <cstring>
#include <functional>

#include "core/base/keyed_rows.hpp"

namespace txtfp::core {

namespace {

struct HalfHeader {
	std::uint64_t config;
	std::uint32_t id_bytes, partners;
};

[[noreturn]] void refuse_bytes(const char *what) { throw Error(ErrorKind::invalid_parameter, what); }

void append(ByteList &to, const void *bytes, std::size_t size)
{
	const auto *first = static_cast<const char *>(bytes);
	to.insert(to.end(), first, first + size);
}

// Adds a group to the places of its rows. A place gets the rows from the first one that is there: all others with a
// greater hash are its partners. The last row has none.
void put_group(std::span<const std::uint64_t> rows, std::vector<HashList> &places)
{
	std::size_t last = places.size();
	for (std::size_t i = 0; i + 1 < rows.size(); ++i) {
		const std::size_t place = place_of(rows[i], places.size());
		if (place == last)
			continue;
		last = place;
		places[place].push_back(rows.size() - i);
		places[place].insert(places[place].end(), rows.begin() + static_cast<std::ptrdiff_t>(i), rows.end());
	}
}

} // namespace

void spread_keys(std::uint64_t row, std::span<const std::uint64_t> keys, std::span<HashList> places)
{
	for (const std::uint64_t key : keys) {
		HashList &place = places[place_of(key, places.size())];
		place.push_back(key);
		place.push_back(row);
	}
}

KeyGroups group_keys(std::span<const std::uint64_t> entries, std::size_t places, std::uint64_t max_rows, StopToken stop)
{
	if (entries.size() % 2 != 0)
		refuse_bytes("band keys are damaged");
	if (entries.size() / 2 > 0xFFFFFFFF)
		throw Error(ErrorKind::too_large, "too many band keys in one place");
	KeyGroups groups;
	groups.places.resize(places);
	std::vector<KeyedRow> keyed(entries.size() / 2);
	for (std::size_t i = 0; i < keyed.size(); ++i)
		keyed[i] = KeyedRow::of(entries[2 * i], static_cast<std::uint32_t>(i));
	HashList scratch(repeated_words(keyed.size()));
	keyed.resize(keep_repeated(keyed, scratch.data()));
	sort_rows(keyed, 64, [](void *polled) { static_cast<StopToken *>(polled)->check(); }, &stop);
	HashList rows;
	std::size_t runs = 0;
	for_each_run(std::span(keyed), [&](std::span<KeyedRow> run) {
		if ((++runs & 0xFFF) == 0)
			stop.check();
		if (run.size() > max_rows) {
			++groups.crowded;
			groups.largest = std::max<std::uint64_t>(groups.largest, run.size());
			return;
		}
		rows.clear();
		for (const KeyedRow &entry : run)
			rows.push_back(entries[2 * std::size_t{entry.row} + 1]);
		sort_polling(rows.begin(), rows.end(), std::less(), [&] { stop.check(); });
		put_group(rows, groups.places);
	});
	return groups;
}

Partners::Partners(std::span<const std::uint64_t> groups, std::size_t place, std::size_t places, StopToken stop)
	: stop_(stop)
{
	for (std::size_t at = 0; at < groups.size();) {
		const std::uint64_t size = groups[at++];
		if (size > groups.size() - at)
			refuse_bytes("groups of rows are damaged");
		const std::uint64_t *rows = groups.data() + at;
		for (std::uint64_t i = 0; i + 1 < size && place_of(rows[i], places) == place; ++i)
			occurrences_.push_back({rows[i], rows + i + 1, size - i - 1});
		at += size;
	}
	sort_polling(
		occurrences_.begin(), occurrences_.end(), [](const Occurrence &a, const Occurrence &b) { return a.row < b.row; },
		[this] { stop_.check(); });
}

bool Partners::next()
{
	if (next_ == occurrences_.size())
		return false;
	if ((next_ & 0xFFF) == 0)
		stop_.check();
	row_ = occurrences_[next_].row;
	partners_.clear();
	for (; next_ < occurrences_.size() && occurrences_[next_].row == row_; ++next_)
		partners_.insert(
			partners_.end(), occurrences_[next_].after, occurrences_[next_].after + occurrences_[next_].count);
	sort_polling(partners_.begin(), partners_.end(), std::less(), [this] { stop_.check(); });
	partners_.erase(std::unique(partners_.begin(), partners_.end()), partners_.end());
	return true;
}

void put_half(const Half &half, std::span<const std::uint64_t> partners, std::span<ByteList> places)
{
	for (std::size_t first = 0, end; first < partners.size(); first = end) {
		const std::size_t place = place_of(partners[first], places.size());
		for (end = first + 1; end < partners.size() && place_of(partners[end], places.size()) == place;)
			++end;
		const HalfHeader header{
			half.config, static_cast<std::uint32_t>(half.id.size()), static_cast<std::uint32_t>(end - first)};
		append(places[place], &header, sizeof header);
		append(places[place], half.id.data(), half.id.size());
		append(places[place], half.slots.data(), half.slots.size());
		append(places[place], partners.data() + first, (end - first) * sizeof(std::uint64_t));
	}
}

bool HalfReader::next() noexcept
{
	HalfHeader header;
	if (rest_.empty())
		return false;
	is_damaged_ = true;
	if (rest_.size() < sizeof header)
		return false;
	std::memcpy(&header, rest_.data(), sizeof header);
	rest_.remove_prefix(sizeof header);
	const std::size_t partner_bytes = header.partners * sizeof(std::uint64_t);
	if (rest_.size() < header.id_bytes + slot_bytes_ + partner_bytes)
		return false;
	half_ = {header.config, rest_.substr(0, header.id_bytes), rest_.substr(header.id_bytes, slot_bytes_)};
	partners_ = rest_.substr(header.id_bytes + slot_bytes_, partner_bytes);
	rest_.remove_prefix(header.id_bytes + slot_bytes_ + partner_bytes);
	is_damaged_ = false;
	return true;
}

std::uint64_t HalfReader::partner(std::size_t i) const noexcept
{
	std::uint64_t row;
	std::memcpy(&row, partners_.data() + i * sizeof row, sizeof row);
	return row;
}

} // namespace txtfp::core
