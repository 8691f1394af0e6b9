// Finds all similar pairs of a bucket. A bucket holds the rows whose sketches share a band. In a small bucket every
// pair of sketches is compared. A large bucket is usually boilerplate: thousands of rows share a part of their text,
// and with it the slots whose minimum comes from that part, while the rest of each row is its own. A large bucket is
// searched like this:
//
//   The template of the bucket has, in each slot, the most frequent value of a sample. The deviations of a row are the slots
//   in which it differs from the template, kept as a bit mask.
//   Two rows that have the same deviating value in a slot are compared in the group of all rows with that value in that slot.
//   Let D be the number of slots in which a similar pair may differ. A row enters the groups of its first D + 1 deviations
//   only: if it has more, a similar row shares all but D of them, so one of the first D + 1 is shared (prefix filter:
//   S. Chaudhuri, V. Ganti, R. Kaushik, 2006). A group that is large itself is searched as a bucket with its own template.
//   Two rows that share no deviating value are equal only in slots where neither deviates. If they are similar, the union of
//   their deviations has at most D slots. Rows with more deviations are skipped, the others are compared by their masks: 16
//   bytes for 128 slots, where a sketch has 1024.
//   If most pairs of a sample would meet in some group, grouping does not pay, and all pairs are compared by their masks.
//
// Every similar pair is found and reported once: in the first band that it shares and, within that bucket, in the first
// slot in which it shares a deviating value.
//
// Rows may come in two parts, all of the first before all of the second: then only pairs across the parts are compared.
//
// The caller keeps the sketches. Source has the members that BucketJoin asks for (minhash_join.hpp), and
//   void *allocate(std::size_t bytes), void release(void *)
// which allocate and free memory. If poll() leaves by longjmp, the caller frees what was not given back.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>

#include "core/base/keyed_rows.hpp"
#include "core/minhash/minhash_join.hpp"

namespace txtfp::core {

// Up to pair_bucket_limit rows of a bucket are compared pair by pair; of a group, up to pair_group_limit rows by masks.
constexpr std::size_t pair_bucket_limit = 256;
constexpr std::size_t pair_group_limit = 1024;

constexpr std::size_t mask_words_limit = minhash_max_slots / 64;

// Returns the most frequent of n > 0 values, the smallest of several. Reorders the values.
std::uint64_t most_frequent(std::uint64_t *values, std::size_t n) noexcept;

// Sets bit i of the mask if slot i of the sketch differs from `common`, the template. `slots` is a multiple of 64.
void deviations_of(
	const std::uint64_t *sketch, const std::uint64_t *common, std::size_t slots, std::uint64_t *mask) noexcept;
void deviations_of(
	const std::uint8_t *sketch, const std::uint8_t *common, std::size_t slots, std::uint64_t *mask) noexcept;

// Write the indexes of the masks, among n, whose union with `mask` (close_unions) or whose difference from it
// (close_masks) has at most `most` bits; return how many they wrote.
std::size_t close_unions(const std::uint64_t *mask, const std::uint64_t *masks, std::size_t n, std::size_t words,
	unsigned most, std::uint32_t *found) noexcept;
std::size_t close_masks(const std::uint64_t *mask, const std::uint64_t *masks, std::size_t n, std::size_t words,
	unsigned most, std::uint32_t *found) noexcept;

template <class Source> class BucketPairs {
public:
	using Slot = SlotOf<Source>;
	static constexpr std::uint32_t one_part = 0xFFFFFFFF;

	// `buffers` has room for pair_bucket_limit sketches. A pair is similar if it has at least `matches` equal slots,
	// 0 < matches ≤ slots. `second` is the first row of the second part.
	BucketPairs(Source &source, std::size_t slots, unsigned matches, Banding banding, Slot *buffers,
		std::uint32_t second = one_part) noexcept
		: source_(source), slots_(slots), words_(slots / 64), matches_(matches),
		  spare_(static_cast<unsigned>(slots) - matches), banding_(banding), buffers_(buffers), second_(second)
	{
	}

	// Calls emit(a, b, number of equal slots) for each pair a < b of similar rows whose first common band has the
	// bucket's key. Equal rows stand together in the bucket, and rows ascend.
	template <class Emit> void find(std::span<const KeyedRow> bucket, Emit emit)
	{
		key_ = bucket[0].key();
		Rows rows{bucket.size(), static_cast<std::uint32_t *>(source_.allocate(sizeof(std::uint32_t) * bucket.size()))};
		std::size_t n = 0;
		for (const KeyedRow &row : bucket)
			if (n == 0 || rows.row[n - 1] != row.row)
				rows.row[n++] = row.row;
		rows.n = n;
		if (n <= pair_bucket_limit)
			compare_sketches(rows, emit);
		else
			compare_large(rows, nullptr, 0, emit);
		source_.release(rows.row);
	}

	// The number of pairs compared, by sketches or by masks. The run time depends on it.
	std::uint64_t compared() const noexcept { return compared_; }

private:
	static constexpr int max_depth = 3;
	static constexpr std::size_t sample_size = 63, compared_sample = 32, tile = 1024;

	struct Rows {
		std::size_t n;
		std::uint32_t *row;
	};

	// A bucket within a bucket: its rows have the same value in `slot`, and it differs from the value in `common`.
	struct Level {
		const Level *up;
		const Slot *common;
		std::size_t slot;
	};

	// A large bucket. Row i has count[i] deviations in masks[i]; its deviations from slot end[i] on enter no group.
	struct Deviants {
		std::size_t n;
		const std::uint32_t *row;
		std::uint64_t *masks;
		std::uint16_t *count, *end;
		Slot common[minhash_max_slots];
	};

	const Slot *fetch(std::uint32_t row, std::size_t buffer) { return source_.sketch(row, buffers_ + buffer * slots_); }
	template <class T> T *allocate(std::size_t n) { return static_cast<T *>(source_.allocate(sizeof(T) * n)); }
	const std::uint64_t *mask(const Deviants &deviants, std::size_t i) const { return deviants.masks + i * words_; }
	static bool has(const std::uint64_t *mask, std::size_t slot) { return (mask[slot / 64] >> slot % 64 & 1) != 0; }

	// Calls fn(slot) for each deviation in the slots first to last − 1, in ascending order.
	template <class Fn> static void for_each_slot(const std::uint64_t *mask, std::size_t first, std::size_t last, Fn fn)
	{
		for (std::size_t word = first / 64; word * 64 < last; ++word) {
			std::uint64_t bits = mask[word];
			if (word == first / 64)
				bits &= ~std::uint64_t{0} << first % 64;
			if (last - word * 64 < 64)
				bits &= ~(~std::uint64_t{0} << last % 64);
			for (; bits != 0; bits &= bits - 1)
				fn(word * 64 + static_cast<std::size_t>(std::countr_zero(bits)));
		}
	}

	// True if the two share no deviating value before `slot`.
	static bool is_first(const Slot *a, const Slot *b, const Slot *common, std::size_t slot)
	{
		for (std::size_t s = 0; s < slot; ++s)
			if (a[s] == b[s] && a[s] != common[s])
				return false;
		return true;
	}

	template <class Emit>
	void compare(std::uint32_t row_a, const Slot *a, std::uint32_t row_b, const Slot *b, const Level *level, Emit &emit)
	{
		const unsigned equal = matching_slots({a, slots_}, {b, slots_});
		if (equal < matches_)
			return;
		for (; level != nullptr; level = level->up)
			if (!is_first(a, b, level->common, level->slot) ||
				(level->slot < slots_ && a[level->slot] != b[level->slot]))
				return;
		const int band = first_common_band({a, slots_}, {b, slots_}, banding_);
		if (band >= 0 && band_key(std::span(a, slots_), banding_.rows, band) == key_)
			emit(std::min(row_a, row_b), std::max(row_a, row_b), equal);
	}

	// Among n rows, row_at(i) ascending: where the second part begins. Row j is compared with rows 0 … partners(j, begin)
	// − 1.
	template <class RowAt> std::size_t second_part(std::size_t n, RowAt row_at) const
	{
		if (second_ == one_part)
			return n;
		std::size_t begin = 0;
		for (std::size_t size = n; size > 0;) {
			const std::size_t half = size / 2;
			if (row_at(begin + half) < second_) {
				begin += half + 1;
				size -= half + 1;
			} else {
				size = half;
			}
		}
		return begin;
	}
	std::size_t partners(std::size_t j, std::size_t begin) const
	{
		return second_ == one_part ? j : j < begin ? 0 : begin;
	}
	bool is_one_sided(std::size_t n, std::size_t begin) const
	{
		return second_ != one_part && (begin == 0 || begin == n);
	}

	template <class Emit> void compare_sketches(const Rows &rows, Emit &emit)
	{
		const Slot *sketches[pair_bucket_limit];
		const std::size_t second = second_part(rows.n, [&](std::size_t i) { return rows.row[i]; });
		if (is_one_sided(rows.n, second))
			return;
		for (std::size_t j = 0; j < rows.n; ++j) {
			source_.poll();
			sketches[j] = fetch(rows.row[j], j);
			const std::size_t n = partners(j, second);
			for (std::size_t i = 0; i < n; ++i)
				compare(rows.row[i], sketches[i], rows.row[j], sketches[j], nullptr, emit);
			compared_ += n;
		}
	}

	template <class Emit> void compare_large(const Rows &rows, const Level *up, int depth, Emit &emit)
	{
		if (is_one_sided(rows.n, second_part(rows.n, [&](std::size_t i) { return rows.row[i]; })))
			return;
		Deviants deviants;
		deviate(rows, deviants);
		if (mostly_meets(deviants)) {
			compare_masks(deviants, up, emit);
		} else {
			compare_groups(deviants, up, depth, emit);
			compare_unions(deviants, up, emit);
		}
		source_.release(deviants.masks);
		source_.release(deviants.count);
		source_.release(deviants.end);
	}

	void deviate(const Rows &rows, Deviants &deviants)
	{
		deviants.n = rows.n;
		deviants.row = rows.row;
		deviants.masks = allocate<std::uint64_t>(rows.n * words_);
		deviants.count = allocate<std::uint16_t>(rows.n);
		deviants.end = allocate<std::uint16_t>(rows.n);
		choose_template(rows, deviants.common);
		for (std::size_t i = 0; i < rows.n; ++i) {
			source_.poll();
			std::uint64_t *mask = deviants.masks + i * words_;
			deviations_of(fetch(rows.row[i], 0), deviants.common, slots_, mask);
			unsigned count = 0;
			std::size_t end = 0;
			for_each_slot(mask, 0, slots_, [&](std::size_t slot) {
				if (++count <= spare_ + 1)
					end = slot + 1;
			});
			deviants.count[i] = static_cast<std::uint16_t>(count);
			deviants.end[i] = static_cast<std::uint16_t>(end);
		}
	}

	void choose_template(const Rows &rows, Slot *common)
	{
		const std::size_t n = std::min(sample_size, rows.n);
		const Slot *sample[sample_size];
		for (std::size_t i = 0; i < n; ++i)
			sample[i] = fetch(rows.row[i * rows.n / n], i);
		std::uint64_t values[sample_size];
		for (std::size_t slot = 0; slot < slots_; ++slot) {
			for (std::size_t i = 0; i < n; ++i)
				values[i] = sample[i][slot];
			common[slot] = static_cast<Slot>(most_frequent(values, n));
		}
	}

	// True if most pairs of a sample would meet in some group.
	bool mostly_meets(const Deviants &deviants)
	{
		const std::size_t n = std::min(compared_sample, deviants.n);
		std::size_t at[compared_sample], meeting = 0;
		const Slot *sample[compared_sample];
		for (std::size_t j = 0; j < n; ++j) {
			at[j] = j * deviants.n / n;
			sample[j] = fetch(deviants.row[at[j]], j);
			for (std::size_t i = 0; i < j; ++i) {
				const std::size_t end = std::min(deviants.end[at[i]], deviants.end[at[j]]);
				meeting += !is_first(sample[i], sample[j], deviants.common, end);
			}
		}
		return meeting > n * (n - 1) / 4;
	}

	// Fetches and compares two rows. A pair that shares several groups gets here several times; compare() reports it
	// once.
	template <class Emit>
	void compare_rows(const Deviants &deviants, std::size_t i, std::size_t j, const Level *level, Emit &emit)
	{
		source_.poll();
		compare(deviants.row[i], fetch(deviants.row[i], 0), deviants.row[j], fetch(deviants.row[j], 1), level, emit);
	}

	// Compares all pairs. Their masks bound the number of equal slots: slots are equal where both rows deviate or
	// neither does.
	template <class Emit> void compare_masks(const Deviants &deviants, const Level *up, Emit &emit)
	{
		std::uint32_t found[tile];
		const std::size_t second = second_part(deviants.n, [&](std::size_t i) { return deviants.row[i]; });
		for (std::size_t i = 1; i < deviants.n; ++i) {
			const std::size_t last = partners(i, second);
			for (std::size_t first = 0; first < last; first += tile) {
				source_.poll();
				const std::size_t n = std::min(tile, last - first);
				const std::size_t hits =
					close_masks(mask(deviants, i), mask(deviants, first), n, words_, spare_, found);
				for (std::size_t h = 0; h < hits; ++h)
					compare_rows(deviants, first + found[h], i, up, emit);
			}
			compared_ += last;
		}
	}

	// ---- pairs that share a deviating value

	// The slot is in the upper byte, so equal keys are rows with the same value in the same slot (rarely with two
	// values).
	static std::uint64_t group_key(std::size_t slot, std::uint64_t value)
	{
		return std::uint64_t{slot} << 56 | (value * 0x9E3779B97F4A7C15) >> 8;
	}

	template <class Emit> void compare_groups(const Deviants &deviants, const Level *up, int depth, Emit &emit)
	{
		std::uint64_t sizes[minhash_max_slots] = {};
		for (std::size_t i = 0; i < deviants.n; ++i)
			for_each_slot(mask(deviants, i), 0, deviants.end[i], [&](std::size_t slot) { ++sizes[slot]; });
		const std::uint64_t most = *std::max_element(sizes, sizes + slots_);
		const std::uint64_t room = std::max<std::uint64_t>({most, 4 * deviants.n, 1 << 18});
		auto *scratch = allocate<KeyedRow>(room);
		auto *masks = allocate<std::uint64_t>(most * words_);
		for (std::size_t slot = 0, last; slot < slots_; slot = last) {
			std::uint64_t entries = 0;
			for (last = slot; last < slots_ && entries + sizes[last] <= room; ++last)
				entries += sizes[last];
			const std::span<KeyedRow> filled(scratch, enter(deviants, slot, last, scratch));
			sort_rows(filled);
			for_each_run(filled, [&](std::span<KeyedRow> group) {
				const Level level{up, deviants.common, static_cast<std::size_t>(group[0].key() >> 56)};
				if (group.size() > pair_group_limit && depth < max_depth)
					compare_large_group(deviants, group, level, depth, emit);
				else
					compare_group(deviants, group, level, masks, emit);
			});
		}
		source_.release(scratch);
		source_.release(masks);
	}

	// Writes an entry for each deviation in the slots first to last − 1; returns the number of entries.
	std::size_t enter(const Deviants &deviants, std::size_t first, std::size_t last, KeyedRow *scratch)
	{
		std::size_t n = 0;
		for (std::uint32_t i = 0; i < deviants.n; ++i) {
			const std::size_t end = std::min<std::size_t>(last, deviants.end[i]);
			if (first >= end)
				continue;
			source_.poll();
			const Slot *sketch = fetch(deviants.row[i], 0);
			for_each_slot(mask(deviants, i), first, end,
				[&](std::size_t slot) { scratch[n++] = KeyedRow::of(group_key(slot, sketch[slot]), i); });
		}
		return n;
	}

	template <class Emit>
	void compare_large_group(
		const Deviants &deviants, std::span<const KeyedRow> group, const Level &level, int depth, Emit &emit)
	{
		const Rows rows{group.size(), allocate<std::uint32_t>(group.size())};
		for (std::size_t i = 0; i < group.size(); ++i)
			rows.row[i] = deviants.row[group[i].row];
		compare_large(rows, &level, depth + 1, emit);
		source_.release(rows.row);
	}

	// `masks` has room for the masks of the group.
	template <class Emit>
	void compare_group(
		const Deviants &deviants, std::span<const KeyedRow> group, const Level &level, std::uint64_t *masks, Emit &emit)
	{
		std::uint32_t found[tile];
		const std::size_t second = second_part(group.size(), [&](std::size_t i) { return deviants.row[group[i].row]; });
		if (is_one_sided(group.size(), second))
			return;
		for (std::size_t j = 0; j < group.size(); ++j) {
			source_.poll();
			std::copy_n(mask(deviants, group[j].row), words_, masks + j * words_);
			const std::size_t last = partners(j, second);
			for (std::size_t first = 0; first < last; first += tile) {
				const std::size_t n = std::min(tile, last - first);
				const std::size_t hits =
					close_masks(masks + j * words_, masks + first * words_, n, words_, spare_, found);
				for (std::size_t h = 0; h < hits; ++h)
					compare_rows(deviants, group[first + found[h]].row, group[j].row, &level, emit);
			}
			compared_ += last;
		}
	}

	// ---- pairs that share no deviating value

	// The class of a row says which of the first bands equal the template. A pair with a common band before the
	// bucket's own was found in that band's bucket, so only rows of classes without a common band are compared.
	static constexpr int class_bands = 8;
	static constexpr std::size_t classes = 1 << class_bands;

	struct Classes {
		std::uint32_t *row;   // indexes of the bucket's rows, class by class
		std::uint64_t *masks; // the masks of these rows
		std::size_t begin[classes + 1];
	};

	int bands_before(const Slot *sketch) const
	{
		int band = 0;
		while (band < std::min(class_bands, banding_.bands) &&
			band_key(std::span(sketch, slots_), banding_.rows, band) != key_)
			++band;
		return band;
	}

	std::size_t class_of(const std::uint64_t *mask, int bands) const
	{
		std::size_t result = 0;
		for (int band = 0; band < bands; ++band) {
			bool deviates = false;
			for (int slot = band * banding_.rows; slot < (band + 1) * banding_.rows; ++slot)
				deviates |= has(mask, static_cast<std::size_t>(slot));
			result |= std::size_t{!deviates} << band;
		}
		return result;
	}

	void sort_by_class(const Deviants &deviants, int bands, Classes &sorted)
	{
		auto *own = allocate<std::uint8_t>(deviants.n);
		std::size_t next[classes] = {};
		for (std::size_t i = 0; i < deviants.n; ++i)
			if (deviants.count[i] <= spare_)
				++next[own[i] = static_cast<std::uint8_t>(class_of(mask(deviants, i), bands))];
		for (std::size_t c = 0, at = 0; c < classes; ++c) {
			const std::size_t n = next[c];
			sorted.begin[c] = next[c] = at;
			sorted.begin[c + 1] = at += n;
		}
		for (std::uint32_t i = 0; i < deviants.n; ++i)
			if (deviants.count[i] <= spare_) {
				const std::size_t at = next[own[i]]++;
				sorted.row[at] = i;
				std::copy_n(mask(deviants, i), words_, sorted.masks + at * words_);
			}
		source_.release(own);
	}

	template <class Emit> void compare_unions(const Deviants &deviants, const Level *up, Emit &emit)
	{
		Classes sorted;
		sorted.row = allocate<std::uint32_t>(deviants.n);
		sorted.masks = allocate<std::uint64_t>(deviants.n * words_);
		sort_by_class(deviants, up == nullptr ? bands_before(fetch(deviants.row[0], 0)) : 0, sorted);
		const Level level{up, deviants.common, slots_};
		for (std::size_t x = 0; x < classes; ++x)
			for (std::size_t y = 0; y <= x; ++y)
				if ((x & y) == 0 && sorted.begin[y] < sorted.begin[y + 1])
					compare_classes(deviants, sorted, x, y, level, emit);
		source_.release(sorted.row);
		source_.release(sorted.masks);
	}

	template <class Emit>
	void compare_classes(
		const Deviants &deviants, const Classes &sorted, std::size_t x, std::size_t y, const Level &level, Emit &emit)
	{
		const std::size_t begin = sorted.begin[y], end = sorted.begin[y + 1];
		const std::size_t second =
			begin + second_part(end - begin, [&](std::size_t i) { return deviants.row[sorted.row[begin + i]]; });
		for (std::size_t i = sorted.begin[x]; i < sorted.begin[x + 1]; ++i) {
			const bool from_first = second_ != one_part && deviants.row[sorted.row[i]] < second_;
			const std::size_t last = from_first || second_ == one_part ? end : second;
			compare_union(deviants, sorted, i, from_first ? second : begin, std::min(i, last), level, emit);
		}
	}

	template <class Emit>
	void compare_union(const Deviants &deviants, const Classes &sorted, std::size_t i, std::size_t first,
		std::size_t last, const Level &level, Emit &emit)
	{
		std::uint32_t found[tile];
		for (std::size_t begin = first; begin < last; begin += tile) {
			source_.poll();
			const std::size_t n = std::min(tile, last - begin);
			const std::size_t hits =
				close_unions(sorted.masks + i * words_, sorted.masks + begin * words_, n, words_, spare_, found);
			for (std::size_t h = 0; h < hits; ++h)
				compare_rows(deviants, sorted.row[begin + found[h]], sorted.row[i], &level, emit);
			compared_ += n;
		}
	}

	Source &source_;
	std::size_t slots_, words_;
	unsigned matches_, spare_; // spare_: the number of slots in which a similar pair may differ
	Banding banding_;
	Slot *buffers_;
	std::uint32_t second_;
	std::uint64_t key_ = 0, compared_ = 0;
};

} // namespace txtfp::core
