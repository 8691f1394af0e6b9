// Words as numbers: equal words have equal numbers, in order of first appearance.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/base/hash.hpp"
#include "core/base/table_hash.hpp"
#include "core/text/tokens.hpp"

namespace txtfp::core {

constexpr std::uint32_t no_symbol = 0xFFFFFFFF;

// Calls fn(WordRange) for each token of the segmenter.
template <class Fn> void for_each_word(std::string_view text, Segmenter segmenter, StopToken stop, Fn fn)
{
	TokenizerSpec spec;
	spec.segmenter = segmenter;
	const auto sink = [&](Tokens tokens) {
		for (const std::string_view token : tokens) {
			const auto start = static_cast<std::size_t>(token.data() - text.data());
			fn(WordRange{start, start + token.size()});
		}
	};
	for_each_token(text, spec, sink, stop);
}

// Open addressing, at most half full.
class WordNumbers {
public:
	WordNumbers() : table_(256, no_symbol) { words_.reserve(table_.size() / 2); }

	// The bytes must outlive the object, or `keep` returns a copy that does; it is called for new words only.
	template <class Keep> std::uint32_t add(std::string_view bytes, Keep keep)
	{
		if (2 * (words_.size() + 1) > table_.size())
			grow();
		const std::uint64_t hash = hash_of(bytes);
		std::uint32_t &slot = table_[slot_of(bytes, hash)];
		if (slot == no_symbol) {
			slot = static_cast<std::uint32_t>(words_.size());
			words_.push_back({keep(bytes), hash});
		}
		return slot;
	}
	std::uint32_t add(std::string_view bytes)
	{
		return add(bytes, [](std::string_view same) { return same; });
	}

	std::uint32_t find(std::string_view bytes) const noexcept { return table_[slot_of(bytes, hash_of(bytes))]; }
	std::string_view word(std::uint32_t number) const noexcept { return words_[number].bytes; }
	std::size_t size() const noexcept { return words_.size(); }

private:
	struct Word {
		std::string_view bytes;
		std::uint64_t hash;
	};

	static std::uint64_t hash_of(std::string_view bytes) noexcept
	{
		return xxh3_64(bytes.data(), bytes.size(), table_seed);
	}

	std::size_t slot_of(std::string_view bytes, std::uint64_t hash) const noexcept
	{
		const std::size_t mask = table_.size() - 1;
		for (std::size_t at = hash & mask;; at = (at + 1) & mask)
			if (const std::uint32_t word = table_[at];
				word == no_symbol || (words_[word].hash == hash && words_[word].bytes == bytes))
				return at;
	}

	void grow()
	{
		table_.assign(4 * table_.size(), no_symbol);
		for (std::size_t word = 0; word < words_.size(); ++word)
			table_[slot_of(words_[word].bytes, words_[word].hash)] = static_cast<std::uint32_t>(word);
	}

	std::vector<Word> words_;
	std::vector<std::uint32_t> table_;
};

} // namespace txtfp::core
