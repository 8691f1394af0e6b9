// Dictionary files: written files can be read, damaged ones are rejected, and each has the checksum of its name.
#include <cstdio>
#include <fstream>

#include "../../tools/writer.hpp"
#include "reference/naive.hpp"
#include "unit/check.hpp"
#include "unit/dictionaries.hpp"

using namespace txtfp;
using namespace txtfp::cjk;
using namespace txtfp::test;

namespace {

const std::string path = "build/unit.dict";

OpenError open_bytes(
	const std::string &bytes, DictionaryKind kind = DictionaryKind::jieba, const core::Hash128 *expected = nullptr)
{
	std::ofstream(path, std::ios::binary) << bytes;
	Dictionary file;
	const OpenError error = file.open(path.c_str(), kind, expected);
	CHECK_EQ(file.is_open(), error == OpenError::none);
	std::remove(path.c_str());
	return error;
}

std::string small_file()
{
	DictionaryWriter writer(DictionaryKind::jieba);
	writer.section(std::vector<std::uint32_t>{1, 2, 3});
	writer.section(std::vector<std::uint16_t>(100, 7));
	return writer.bytes();
}

} // namespace

TEST(dictionary_any_flipped_bit_is_noticed)
{
	const std::string whole = small_file();
	CHECK_EQ(open_bytes(whole), OpenError::none);
	for (std::size_t bit = 0; bit < 8 * whole.size(); bit += bit < 8 * 300 ? 1 : 13) {
		std::string damaged = whole;
		damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ 1 << bit % 8);
		CHECK_EQ(open_bytes(damaged), OpenError::damaged, bit);
	}
	for (std::size_t size = 0; size < whole.size(); size += 1 + size / 4)
		CHECK_EQ(open_bytes(whole.substr(0, size)), OpenError::damaged, size);
	CHECK_EQ(open_bytes(whole + '\0'), OpenError::damaged);
	CHECK_EQ(open_bytes(whole, DictionaryKind::lattice), OpenError::other);
	const core::Hash128 another{1, 2};
	CHECK_EQ(open_bytes(whole, DictionaryKind::jieba, &another), OpenError::other);
	Dictionary file;
	CHECK_EQ(file.open("build/no such file", DictionaryKind::jieba, nullptr), OpenError::missing);
	CHECK_EQ(file.open("build", DictionaryKind::jieba, nullptr) != OpenError::none, true);
}

TEST(dictionary_trie_holds_its_words)
{
	std::mt19937_64 random(5);
	for (int round = 0; round < static_cast<int>(by_length(20, 12)); ++round) {
		std::map<std::u32string, std::uint32_t> words;
		const std::size_t alphabet = 1 + random() % (round < 10 ? 4 : 3000);
		for (int i = 0; i < 2000; ++i) {
			std::u32string word;
			for (std::size_t n = 1 + random() % 5; n > 0; --n)
				word += static_cast<char32_t>(0x4E00 + random() % alphabet);
			words.emplace(word, 1 + random() % 1000);
		}
		std::vector<Word> list;
		for (const auto &[text, value] : words)
			list.push_back({text, value});
		const auto codes = character_codes(list);
		const CharacterTableData table = make_character_table([&](char32_t c) -> std::uint32_t {
			const auto code = codes.find(c);
			return code == codes.end() ? 0 : code->second;
		});
		const std::vector<TrieNode> nodes = make_trie(list, codes);
		for (const TrieNode &node : nodes)
			CHECK_EQ(node.base + codes.size() < nodes.size() || node.check == TrieNode::free, true);
		CHECK_EQ(words_of({table.page.data(), table.entries.data()}, nodes) ==
				Lexicon<std::uint32_t>(words.begin(), words.end()),
			true, round);
	}
}

// The documented checksums are those of the files that were built.
TEST(dictionary_is_frozen)
{
	constexpr std::string_view checksums[dictionaries] = {
		"7dae6ada6f2d1d96c5e43885d6ffdc8c", "53dc19825fcfd12e05a72d11b10c91a3", "16ff698fb8f8c5b426117fafe8cb458a"};
	for (int i = 0; i < dictionaries; ++i) {
		const auto digits = checksum_digits(dictionary_name(i).checksum);
		CHECK_EQ(std::string_view(digits.data(), digits.size()), checksums[i], dictionary_name(i).name);
		std::ifstream file("build/dictionaries/" + std::string(dictionary_name(i).name) + ".dict");
		CHECK_EQ(has_dictionary(i), file.good(), dictionary_name(i).name);
	}
}
