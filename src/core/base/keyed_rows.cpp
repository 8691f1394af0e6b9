#include "core/base/keyed_rows.hpp"

#include <algorithm>
#include <functional>

namespace txtfp::core {

namespace {

// American flag sort (P. McIlroy, K. Bostic, M. McIlroy, 1993) down to short runs. `poll` is called between pieces of the work.
template <class Poll> void sort_by_digits(std::span<KeyedRow> rows, int bits, Poll poll)
{
	constexpr std::size_t short_run = 128, digits = 256, piece = 16384;
	constexpr std::size_t ahead = 12; // beyond this number of places to write to, the next line is not in the cache
	if (rows.size() <= short_run)
		return std::sort(rows.begin(), rows.end());
	if (bits <= 0) // many rows of one key
		return sort_polling(rows.begin(), rows.end(), std::less<KeyedRow>(), poll);
	const int shift = std::max(bits - 8, 0);
	const auto digit = [shift](const KeyedRow &r) { return r.key() >> shift & (digits - 1); };
	std::size_t next[digits] = {}, end[digits];
	for (std::size_t begin = 0; begin < rows.size(); begin += piece) {
		poll();
		for (const KeyedRow &row : rows.subspan(begin, std::min(piece, rows.size() - begin)))
			++next[digit(row)];
	}
	for (std::size_t d = 0, at = 0; d < digits; ++d) {
		const std::size_t count = next[d];
		next[d] = at;
		at += count;
		end[d] = at;
	}
	for (std::size_t d = 0, steps = 0; d < digits; ++d)
		while (next[d] < end[d]) {
			if (++steps % piece == 0)
				poll();
			const std::size_t home = digit(rows[next[d]]);
			if (home == d)
				++next[d];
			else {
				__builtin_prefetch(rows.data() + next[home] + ahead, 1);
				std::swap(rows[next[d]], rows[next[home]++]);
			}
		}
	for (std::size_t d = 0, begin = 0; d < digits; begin = end[d++])
		if (end[d] - begin > 1)
			sort_by_digits(rows.subspan(begin, end[d] - begin), shift, poll);
}

} // namespace

void sort_rows(std::span<KeyedRow> rows, int bits) noexcept
{
	sort_by_digits(rows, bits, [] {});
}

void sort_rows(std::span<KeyedRow> rows, int bits, void (*poll)(void *data), void *data)
{
	sort_by_digits(rows, bits, [=] { poll(data); });
}

std::size_t keep_repeated(std::span<KeyedRow> rows, std::uint64_t *words) noexcept
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

} // namespace txtfp::core
