// Rows with 64-bit keys, as bulk joins sort them. Everything works in place and allocates nothing: the caller owns the
// memory.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace txtfp::core {

// 12 bytes, because a join holds bands × rows of them.
struct KeyedRow {
	std::uint32_t key_high, key_low, row;

	static KeyedRow of(std::uint64_t key, std::uint32_t row) noexcept
	{
		return {static_cast<std::uint32_t>(key >> 32), static_cast<std::uint32_t>(key), row};
	}
	std::uint64_t key() const noexcept { return std::uint64_t{key_high} << 32 | key_low; }
};

inline bool operator<(const KeyedRow &a, const KeyedRow &b) noexcept
{
	return a.key() != b.key() ? a.key() < b.key() : a.row < b.row;
}

// Sorts by key, then by row. The keys may differ only in their low `bits` bits.
void sort_rows(std::span<KeyedRow> rows, int bits = 64) noexcept;

// The same for many rows. It calls poll(data), which may not return, again after at most 16384 of them.
void sort_rows(std::span<KeyedRow> rows, int bits, void (*poll)(void *data), void *data);

// std::sort of anything that may be many. It calls poll(), which may not return, now and then.
template <class Iterator, class Less, class Poll> void sort_polling(Iterator begin, Iterator end, Less less, Poll poll)
{
	std::size_t steps = 0;
	std::sort(begin, end, [&](const auto &a, const auto &b) {
		if (++steps % 4096 == 0)
			poll();
		return less(a, b);
	});
}

// The number of words that keep_repeated needs for n rows.
constexpr std::size_t repeated_words(std::size_t n) noexcept { return std::bit_ceil(n | 64) / 4; }

// Moves rows whose keys occur more than once to the front, in their order, and returns how many it kept: all of these
// and few others. Most keys of a join occur once, and what remains is sorted in less time. It uses the low bits of the
// keys, which must be hashes, and repeated_words(n) words.
std::size_t keep_repeated(std::span<KeyedRow> rows, std::uint64_t *words) noexcept;

// Calls fn(run) for every run of two or more rows of one key.
template <class Fn> void for_each_run(std::span<KeyedRow> sorted, Fn fn)
{
	for (std::size_t begin = 0, end; begin < sorted.size(); begin = end) {
		for (end = begin + 1; end < sorted.size() && sorted[end].key() == sorted[begin].key();)
			++end;
		if (end - begin > 1)
			fn(sorted.subspan(begin, end - begin));
	}
}

} // namespace txtfp::core
