// In how many documents of a corpus each word occurs, in bounded memory: what the words of two texts weigh.
//
//   exact   up to 2^18 different words, each with its number of documents
//   sketch  beyond them, four rows of 2^18 counters (count-min: G. Cormode, S. Muthukrishnan, 2005). A word's count is
//           the least of its four counters. It is never too small, and too large by more than e · N / 2^18 with a
//           probability of at most e^-4, where N is the number of words of all documents, each counted once a document.
//
// The result depends on the documents alone, not on their order or on how they were divided and merged: a sketch has the
// counters that it would have if it had been one from the first word on. Counters stay at 2^32 − 1.
// Memory: 16 bytes per word up to 8 MiB for exact counts; then 4 MiB.
//
// A word is what the comparison of two texts takes for one (aligned_words.hpp), by its hash; a code (text_codes.hpp) of
// several words counts as a word, too.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/error.hpp"

namespace txtfp::core {

class ComparedTexts;

using WordHash = std::uint64_t; // of the canonical form; never 0; the same in all processes
WordHash word_hash(std::string_view canonical) noexcept;

class CorpusWords {
public:
	static constexpr std::size_t most_exact = std::size_t{1} << 18; // words
	static constexpr std::size_t rows = 4, columns = std::size_t{1} << 18;

	void add(std::string_view text, StopToken stop = {}); // valid UTF-8
	void merge(const CorpusWords &other, StopToken stop = {});

	std::uint64_t documents() const noexcept { return documents_; }
	std::uint64_t occurrences() const noexcept { return occurrences_; } // N
	bool is_exact() const noexcept { return counters_.empty(); }
	std::size_t words() const noexcept { return used_; } // if exact
	std::uint64_t count(WordHash word) const noexcept;   // documents with the word

	// About 0: all documents have the word. 1: none has it.
	double rarity(WordHash word) const noexcept { return rarity(word, scale()); }
	double rarity(WordHash word, double scale) const noexcept;
	double scale() const noexcept; // for many words

	// The stored form, little-endian: version and kind (4 bytes each), documents and occurrences (8 each); then the
	// hashes, ascending, and their counts, or the counters. Equal corpora have equal forms.
	std::size_t stored_bytes() const noexcept;
	void store(std::uint8_t *bytes) const;
	// Replaces this object. False if the bytes are not a stored form.
	bool read(std::span<const std::uint8_t> bytes);
	bool read_hex(std::string_view digits); // of the stored form

private:
	struct Entry {
		WordHash word = 0;
		std::uint32_t count = 0;
	};

	std::size_t slot_of(WordHash word) const noexcept;
	void grow();
	void raise(WordHash word, std::uint64_t by);
	void raise_counters(WordHash word, std::uint64_t by) noexcept;
	void become_sketch();
	std::vector<Entry> sorted() const;
	bool read_exact(std::span<const std::uint8_t> bytes);
	bool read_counters(std::span<const std::uint8_t> bytes);

	std::uint64_t documents_ = 0, occurrences_ = 0;
	std::vector<Entry> entries_; // open addressing, at most half full
	std::size_t used_ = 0;
	std::vector<std::uint32_t> counters_; // row by row; empty: counts are exact
};

} // namespace txtfp::core
