// The passages of a collection that stand in an earlier text: what a collection loses if only the first of them is kept.
//
// A text is a sequence of units (text_units.hpp), and a window is n units in a row: n words, one line, or one paragraph. Texts are in the
// order of their ranks. The first occurrence of a window is the one with the least rank, then place. Windows that occur once do not matter.
//   * Protected are the units of the first occurrence of each window that occurs again.
//   * Covered are the units of all its other occurrences.
//   * A cut is a run of at least n units that are covered and not protected, as long as possible.
// So the first occurrence of everything that is cut is in what remains, whole, also in a text that repeats itself, and the cuts depend on
// the texts and their ranks alone. A cut is returned in pieces, each with a place where the same units stand: the last covering window that
// begins at or before the first unit of the piece tells where, and the piece goes on as long as windows with the same distance to their first
// occurrence do. The units of that place are protected.
// With two parts only the texts of the second are cut, by windows that the first part has; nothing else is protected.
//
// Two different windows are taken for equal if their 128-bit hashes are. Of n > 1 words that is a hash of the 128-bit hashes of the words.
//
// Work is done in four steps, each by the executor's workers, over blocks of texts or partitions of a sort that spills:
//   1. n > 1: the grams that winnowing chooses are counted, in two bits each, in a table of half of the memory or, if that is less, half of the texts' bytes. Equal windows have
//      equal chosen grams, so of most windows that occur once nothing more is stored.
//   2. the hashes of the other windows are sorted; each that occurs again leaves an occurrence
//   3. sorted by text, occurrences become pieces, and a piece asks for two places, in its own text and in the text of the first occurrence
//   4. the texts that are asked are read again; the places, sorted by piece, are the result
// Memory: the given bytes, two texts of each worker, and 12 bytes for each occurrence in one text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/join/host.hpp"
#include "core/join/partitions.hpp"
#include "core/join/row_order.hpp"
#include "core/join/spool.hpp"
#include "core/passages/text_units.hpp"
#include "core/passages/winnow.hpp"

namespace txtfp::core {

// Where the texts are. All functions are called in several threads at once.
class PassageTexts {
public:
	virtual std::string_view text(std::uint32_t number, unsigned worker) = 0; // valid until the worker's next call; empty: none
	// Runs fn(data), which may throw and calls no host.
	virtual void compute(unsigned worker, void (*fn)(void *data), void *data) = 0;
	virtual StopToken stop() const = 0;

	template <class Fn> void compute(unsigned worker, Fn fn)
	{
		compute(worker, [](void *fn) { (*static_cast<Fn *>(fn))(); }, &fn);
	}

protected:
	~PassageTexts() = default;
};

struct PassageCut {
	std::uint32_t rank, kept;                // of the text, and of that which has the same
	std::uint32_t start, length, kept_start; // characters, from 0
};
class CutSink {
public:
	virtual void cut(const PassageCut &cut) = 0; // ascending by rank and start

protected:
	~CutSink() = default;
};

// What a worker computes; the host owns one for each.
struct RepeatScratch {
	std::vector<Hash128> units;
	std::vector<std::uint64_t> grams;
	std::vector<WinnowChoice> choices;
	std::vector<SourceRange> ranges;
};

class Repeats {
public:
	// `scratch` has one element for each worker; `bytes` is the size of all texts.
	Repeats(JoinHost &host, JoinExecutor &executor, PassageTexts &texts, RepeatScratch *scratch, const UnitOptions &options,
		const RowOrder &order, std::uint32_t rows, std::uint64_t bytes, std::size_t memory);

	void run(CutSink &sink);

	struct Occurrence { // of a window in a text; its first one has kept = rank and kept_place = place
		std::uint32_t place, kept, kept_place;
	};

private:
	struct Room { // an array that a worker keeps
		char *bytes;
		std::size_t size;
	};
	struct Parts { // of one sort, by worker
		Partitions *parts;
		void open(Repeats &repeats, int bits, std::size_t memory, std::size_t payload);
	};

	template <class Fn> void for_each_block(Fn fn);
	void hash_units(unsigned worker, std::uint32_t number);
	void count_grams();
	void choose_grams(RepeatScratch &own) const;
	void add_windows();
	void add_text(unsigned worker, std::uint32_t number);
	void add_window(unsigned worker, std::uint32_t number, std::uint32_t place, Hash128 hash);
	void find_occurrences();
	void find_occurrences(unsigned worker, const SortedRows &sorted);
	void find_pieces();
	void add_pieces(std::uint32_t number, std::span<Occurrence> occurrences);
	void add_piece(std::uint32_t number, std::uint32_t first, std::uint32_t end, const Occurrence &by);
	void find_places();
	void find_places(unsigned worker, std::uint32_t first_number, std::uint32_t end_number);
	void deliver(CutSink &sink);
	std::uint64_t slot_of(std::uint64_t gram) const noexcept;
	bool is_repeated(std::uint64_t gram) const noexcept;
	template <class T> T *ready(unsigned worker, Room &room, std::size_t n);

	JoinHost &host_;
	JoinExecutor &executor_;
	PassageTexts &texts_;
	RepeatScratch *scratch_;
	UnitOptions options_;
	RowOrder order_;
	std::uint32_t rows_, window_, gram_;
	std::uint64_t bytes_;
	std::size_t memory_;
	int row_bits_;
	std::uint8_t *counts_ = nullptr; // two bits for each slot
	std::uint64_t slots_ = 0;
	Parts windows_{}, occurrences_{}, requests_{}, places_{};
	Spool sorted_requests_{};
	std::uint64_t request_count_ = 0;
	Room *rooms_ = nullptr;
};

} // namespace txtfp::core
