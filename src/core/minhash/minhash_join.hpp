// Connected components within a bucket. A bucket holds the rows whose sketches share a band. Clusters need connections,
// not every similar pair. Small buckets are compared pair by pair. A large bucket, thousands of rows that may have
// nothing but the band in common, is first cut into pieces by further keys, so that its cost does not grow with the
// square of its size.
//
// What a bucket adds to the components does not depend on what they were, so buckets may be processed in any order, and
// in several threads.
//
// The caller keeps the sketches and gives access to them through a Source:
//   const Slot *sketch(std::uint32_t row, Slot *buffer)   points to the sketch, or copies it to the buffer
//   std::span<KeyedRow> scratch(std::size_t rows)         scratch memory for at least that many rows
//   void poll()                                           called often; may leave by longjmp
// Because of that longjmp nothing here has a destructor. Slot is std::uint64_t, or std::uint8_t for the compact form.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

#include "core/base/keyed_rows.hpp"
#include "core/base/union_find.hpp"
#include "core/minhash/minhash_compact.hpp"

namespace txtfp::core {

// A bucket of up to bucket_limit rows is compared pair by pair. In a piece of a larger bucket each row is compared with
// the bucket_limit − 1 rows before it.
constexpr std::size_t bucket_limit = 256;
// The smallest number of equal slots with matches / slots ≥ threshold.
unsigned least_matches(double threshold, std::size_t slots) noexcept;

// Keys that cut a bucket into pieces. Each key hashes several slots, drawn at random from a fixed seed. Their number is
// the largest with which a pair of `matches` equal slots shares a key with probability ≥ 0.999, with at most 64 keys.
class Cuts {
public:
	static constexpr int max_cuts = 64, max_rows = 32;

	Cuts(unsigned matches, std::size_t slots) noexcept;
	int count() const noexcept { return count_; }
	int rows() const noexcept { return rows_; }
	std::uint64_t key(const std::uint64_t *sketch, int cut) const noexcept;
	std::uint64_t key(const std::uint8_t *sketch, int cut) const noexcept;

private:
	void draw_slots(std::size_t slots) noexcept;

	int count_, rows_;
	std::uint8_t slot_[max_cuts][max_rows];
};

// The type of the slots of a Source's sketches.
template <class Source>
using SlotOf = std::remove_cv_t<std::remove_pointer_t<decltype(std::declval<Source &>().sketch(0, nullptr))>>;

template <class Source> class BucketJoin {
public:
	using Slot = SlotOf<Source>;

	// `buffers` has room for bucket_limit sketches.
	BucketJoin(Source &source, std::size_t slots, unsigned matches, Slot *buffers) noexcept
		: source_(source), slots_(slots), matches_(matches), buffers_(buffers)
	{
	}

	bool similar(const Slot *a, const Slot *b) const noexcept
	{
		return matching_slots({a, slots_}, {b, slots_}) >= matches_;
	}

	// Unites the similar rows of a bucket. The rows ascend.
	void connect(std::span<const KeyedRow> bucket, UnionFind &components)
	{
		if (is_one_component(bucket, components))
			return;
		if (bucket.size() > bucket_limit) {
			connect_families(bucket, components);
			if (!is_one_component(bucket, components))
				for_each_piece(bucket, [&](std::span<const KeyedRow> piece) { connect_neighbours(piece, components); });
		} else {
			connect_neighbours(bucket, components);
		}
	}

private:
	const Slot *fetch(const KeyedRow &row, std::size_t buffer)
	{
		return source_.sketch(row.row, buffers_ + buffer * slots_);
	}

	static bool is_one_component(std::span<const KeyedRow> rows, UnionFind &components) noexcept
	{
		const std::uint32_t first = components.find(rows[0].row);
		return std::all_of(
			rows.begin() + 1, rows.end(), [&](const KeyedRow &row) { return components.find(row.row) == first; });
	}

	// Compares each row with the bucket_limit − 1 rows before it.
	void connect_neighbours(std::span<const KeyedRow> rows, UnionFind &components)
	{
		if (is_one_component(rows, components))
			return;
		const Slot *window[bucket_limit]; // null: not fetched yet
		const auto in_window = [&](std::size_t i) {
			const Slot *&sketch = window[i % bucket_limit];
			return sketch != nullptr ? sketch : sketch = fetch(rows[i], i % bucket_limit);
		};
		for (std::size_t i = 0; i < rows.size(); ++i) {
			source_.poll();
			window[i % bucket_limit] = nullptr;
			for (std::size_t j = i < bucket_limit ? 0 : i + 1 - bucket_limit; j < i; ++j)
				if (!components.connected(rows[i].row, rows[j].row) && similar(in_window(i), in_window(j)))
					components.unite(rows[i].row, rows[j].row);
		}
	}

	// Most large buckets are a few large families of similar rows, so each row is first compared with one row of each
	// family. Which rows stand for the families does not depend on the components, because other buckets change these
	// at any time.
	void connect_families(std::span<const KeyedRow> rows, UnionFind &components)
	{
		constexpr std::size_t family_limit = 4;
		const KeyedRow *heads[family_limit];
		const Slot *sketches[family_limit];
		std::size_t families = 0;
		for (const KeyedRow &row : rows) {
			source_.poll();
			const Slot *sketch = fetch(row, families);
			std::size_t f = 0;
			while (f < families && !similar(sketch, sketches[f]))
				++f;
			if (f < families) {
				components.unite(row.row, heads[f]->row);
			} else if (families < family_limit) {
				heads[families] = &row;
				sketches[families++] = sketch;
			}
		}
	}

	template <class Fn> void for_each_piece(std::span<const KeyedRow> bucket, Fn fn)
	{
		const Cuts cuts(matches_, slots_); // which takes longer than to compare a small bucket
		const std::span<KeyedRow> scratch = source_.scratch(bucket.size());
		const int at_once = static_cast<int>(std::min<std::size_t>(scratch.size() / bucket.size(), Cuts::max_cuts));
		for (int first = 0; first < cuts.count(); first += at_once) {
			const int last = std::min(first + at_once, cuts.count());
			std::size_t filled = 0;
			for (const KeyedRow &row : bucket) {
				source_.poll();
				const Slot *sketch = fetch(row, 0);
				for (int cut = first; cut < last; ++cut)
					scratch[filled++] = KeyedRow::of(cuts.key(sketch, cut), row.row);
			}
			sort_rows(scratch.first(filled));
			for_each_run(scratch.first(filled), fn);
		}
	}

	Source &source_;
	std::size_t slots_;
	unsigned matches_;
	Slot *buffers_;
};

} // namespace txtfp::core
