// A read-only trie as a double array, after J. Aoe (1989): the child of node n for code c is base[n] + c, if its check
// is n.
// Characters are numbered by frequency, so the children of a node are close together.
#pragma once

#include <cstdint>
#include <span>

namespace txtfp::cjk {

// Maps code points to codes: pages[code point / 256] is the number of a block of 256 entries. Code 0 occurs in no word.
struct CharacterTable {
	static constexpr std::size_t pages = 0x110000 / 256;

	const std::uint16_t *page;
	const std::uint32_t *entries; // code; a lattice stores the category set in the upper 16 bits

	std::uint32_t operator[](char32_t c) const noexcept { return entries[page[c >> 8] * 256U + (c & 0xFF)]; }
};

struct TrieNode {
	static constexpr std::uint32_t free = 0xFFFFFFFF;

	std::uint32_t base;
	std::uint32_t check; // the parent, or free
	std::uint32_t value; // 0: no word ends here
};

class Trie {
public:
	static constexpr std::uint32_t root = 0, none = TrieNode::free;

	Trie() = default;
	// The dictionary compiler makes sure that every base + code is an index of the array.
	explicit Trie(const TrieNode *nodes) noexcept : nodes_(nodes) {}

	std::uint32_t child(std::uint32_t node, std::uint32_t code) const noexcept
	{
		const std::uint32_t next = nodes_[node].base + code;
		return nodes_[next].check == node ? next : none;
	}
	std::uint32_t value(std::uint32_t node) const noexcept { return nodes_[node].value; }

private:
	const TrieNode *nodes_ = nullptr;
};

} // namespace txtfp::cjk
