// Rows with 64-bit keys, as bulk joins sort them. Everything works in place and allocates nothing: the caller owns the memory.
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

// Sorts by key, then by row. The keys may differ only in their low `bits` bits. American flag sort (P. McIlroy, K. Bostic, M.
// McIlroy, 1993) down to short runs.
inline void sort_rows(std::span<KeyedRow> rows, int bits = 64) noexcept
{
	constexpr std::size_t short_run = 128, digits = 256;
	if (rows.size() <= short_run || bits <= 0)
		return std::sort(rows.begin(), rows.end());
	const int shift = std::max(bits - 8, 0);
	const auto digit = [shift](const KeyedRow &r) { return r.key() >> shift & (digits - 1); };
	std::size_t next[digits] = {}, end[digits];
	for (const KeyedRow &row : rows)
		++next[digit(row)];
	for (std::size_t d = 0, at = 0; d < digits; ++d) {
		const std::size_t count = next[d];
		next[d] = at;
		at += count;
		end[d] = at;
	}
	for (std::size_t d = 0; d < digits; ++d)
		while (next[d] < end[d]) {
			const std::size_t home = digit(rows[next[d]]);
			if (home == d)
				++next[d];
			else
				std::swap(rows[next[d]], rows[next[home]++]);
		}
	for (std::size_t d = 0, begin = 0; d < digits; begin = end[d++])
		if (end[d] - begin > 1)
			sort_rows(rows.subspan(begin, end[d] - begin), shift);
}

// The number of words that keep_repeated needs for n rows.
constexpr std::size_t repeated_words(std::size_t n) noexcept { return std::bit_ceil(n | 64) / 4; }

// Moves rows whose keys occur more than once to the front, in their order, and returns how many it kept: all of these and few others. Most
// keys of a join occur once, and what remains is sorted in less time. It uses the low bits of the keys, which must be hashes, and
// repeated_words(n) words.
inline std::size_t keep_repeated(std::span<KeyedRow> rows, std::uint64_t *words) noexcept
{
	const std::size_t pairs = repeated_words(rows.size()) / 2,
					  mask = 64 * pairs - 1; // a word of keys seen, and one of keys seen again
	std::fill_n(words, 2 * pairs, std::uint64_t{0});
	for (const KeyedRow &row : rows) {
		const std::size_t at = row.key_low & mask;
		std::uint64_t &once = words[at / 64 * 2], &again = words[at / 64 * 2 + 1];
		const std::uint64_t bit = std::uint64_t{1} << at % 64;
		again |= once & bit;
		once |= bit;
	}
	std::size_t kept = 0;
	for (const KeyedRow row : rows) {
		const std::size_t at = row.key_low & mask;
		rows[kept] = row; // branch-free: the next row overwrites one that is not kept
		kept += words[at / 64 * 2 + 1] >> at % 64 & 1;
	}
	return kept;
}

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
