// Writes dictionary files: tries, character tables, sections.
#pragma once

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/dictionary.hpp"
#include "core/trie.hpp"

namespace txtfp::cjk {

struct Word {
	std::u32string text;
	std::uint32_t value; // not 0
};

struct CharacterTableData {
	std::vector<std::uint16_t> page;
	std::vector<std::uint32_t> entries;
};

// Codes for all characters of the words, 1 for the most frequent one.
std::map<char32_t, std::uint16_t> character_codes(const std::vector<Word> &words);

// Stores entry(c) for all code points; equal blocks are stored once.
template <class Entry> CharacterTableData make_character_table(Entry entry)
{
	CharacterTableData table;
	std::map<std::vector<std::uint32_t>, std::uint16_t> known;
	std::vector<std::uint32_t> block(256);
	for (std::size_t page = 0; page < CharacterTable::pages; ++page) {
		for (std::size_t i = 0; i < 256; ++i)
			block[i] = entry(static_cast<char32_t>(page * 256 + i));
		const auto [at, is_new] = known.emplace(block, static_cast<std::uint16_t>(known.size()));
		if (is_new)
			table.entries.insert(table.entries.end(), block.begin(), block.end());
		table.page.push_back(at->second);
	}
	return table;
}

// The words must be distinct.
std::vector<TrieNode> make_trie(std::vector<Word> words, const std::map<char32_t, std::uint16_t> &codes);

std::u32string from_utf8(std::string_view text);

class DictionaryWriter {
public:
	explicit DictionaryWriter(DictionaryKind kind) { header_.kind = kind; }

	DictionaryHeader &header() { return header_; }
	template <class T> void section(const std::vector<T> &data)
	{
		add(reinterpret_cast<const char *>(data.data()), data.size() * sizeof(T));
	}

	// The finished file.
	std::string bytes();
	void write(const std::string &path); // through a temporary file, so that no half of one is ever there

private:
	void add(const char *data, std::size_t size);

	DictionaryHeader header_{};
	std::size_t sections_ = 0;
	std::string body_;
};

std::string read_file(const std::string &path);

} // namespace txtfp::cjk
