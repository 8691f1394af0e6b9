// Compiles the dictionary of the tokenizers cjk-jieba and cjk-jieba-hmm from the files of the Python package jieba.
//
//   compile_jieba dict.txt prob_emit.py OUTPUT
//
// dict.txt: each line has a word, its frequency and its tag. If a word occurs again, the first line counts; the file of
// jieba-rs 0.9.0 is the same without the one repeated line.
// prob_emit.py: for each state, named by the letters B, E, M, S, the logarithm of a character's probability.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <set>
#include <sstream>

#include "core/jieba.hpp"
#include "writer.hpp"

using namespace txtfp::cjk;

namespace {

// The logarithm in doubles is not the same on every processor. Computed in long double and rounded, it is the nearest
// double.
double natural_logarithm(std::uint64_t n) { return static_cast<double>(std::log(static_cast<long double>(n))); }

void read_words(const std::string &path, std::vector<Word> &words, std::vector<double> &weights)
{
	std::istringstream lines(read_file(path));
	std::vector<std::pair<std::u32string, std::uint64_t>> entries;
	std::set<std::string> seen;
	std::uint64_t total = 0;
	for (std::string word, tag; lines >> word;) {
		std::uint64_t frequency = 0;
		if (!(lines >> frequency >> tag) || frequency == 0)
			throw std::runtime_error(path + ": not WORD FREQUENCY TAG at \"" + word + "\"");
		if (!seen.insert(word).second) // "B超" occurs twice, in jieba-rs once
			continue;
		total += frequency;
		entries.emplace_back(from_utf8(word), frequency);
		if (entries.back().first.size() > jieba_longest_word)
			throw std::runtime_error(path + ": \"" + word + "\" is too long");
	}
	const double whole = natural_logarithm(total);
	std::map<std::uint64_t, std::uint32_t> index;
	weights.push_back(0 - whole); // weight of frequency 1, used where no word begins
	for (auto &[word, frequency] : entries) {
		const auto [at, is_new] = index.emplace(frequency, static_cast<std::uint32_t>(weights.size()));
		if (is_new)
			weights.push_back(natural_logarithm(frequency) - whole);
		words.push_back({std::move(word), at->second});
	}
}

// The file is a Python program; only   'B': {   and   '\u4e00': -3.65   matter.
std::vector<double> read_emissions(const std::string &path)
{
	const std::string text = read_file(path);
	std::vector<double> table((last_emission - first_emission + 1) * jieba_states, impossible);
	int state = -1;
	std::size_t found = 0;
	for (const char *p = text.c_str(); (p = std::strchr(p, '\'')) != nullptr;) {
		if (p[1] != '\\') {
			const char *const letter =
				p[1] != '\0' && std::strncmp(p + 2, "': {", 4) == 0 ? std::strchr("BEMS", p[1]) : nullptr;
			if (letter == nullptr)
				throw std::runtime_error(path + ": a state is expected");
			state = static_cast<int>(letter - "BEMS");
			p = std::strchr(p + 1, '\'') + 1;
			continue;
		}
		char *end = nullptr;
		const unsigned long c = std::strtoul(p + 3, &end, 16);
		if (p[2] != 'u' || std::strncmp(end, "': ", 3) != 0 || state < 0)
			throw std::runtime_error(path + ": a character is expected");
		char rounded[64]; // rounded to six decimals, as in jieba-rs
		std::snprintf(rounded, sizeof rounded, "%.6f", std::strtod(end + 3, &end));
		if (has_emissions(static_cast<char32_t>(c))) // the model is never asked about other characters
			table[(c - first_emission) * jieba_states + static_cast<unsigned>(state)] = std::strtod(rounded, nullptr);
		++found;
		p = end;
	}
	if (found == 0)
		throw std::runtime_error(path + ": there is nothing in it");
	return table;
}

void compile(const std::string &words_path, const std::string &emissions_path, const std::string &output)
{
	std::vector<Word> words;
	std::vector<double> weights;
	read_words(words_path, words, weights);
	const auto codes = character_codes(words);
	const CharacterTableData characters = make_character_table([&](char32_t c) -> std::uint32_t {
		const auto code = codes.find(c);
		return code == codes.end() ? 0 : code->second;
	});
	DictionaryWriter writer(DictionaryKind::jieba);
	writer.header().words = words.size();
	writer.header().rows = words.size();
	writer.section(characters.page);
	writer.section(characters.entries);
	writer.section(make_trie(std::move(words), codes));
	writer.section(weights);
	writer.section(read_emissions(emissions_path));
	writer.write(output);
}

} // namespace

int main(int argc, char **argv)
{
	if (argc != 4) {
		std::fprintf(stderr, "usage: compile_jieba dict.txt prob_emit.py OUTPUT\n");
		return 2;
	}
	try {
		compile(argv[1], argv[2], argv[3]);
	} catch (const std::exception &error) {
		std::fprintf(stderr, "compile_jieba: %s\n", error.what());
		return 1;
	}
	return 0;
}
