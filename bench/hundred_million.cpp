// Documents for bench/hundred_million.sh: lines "id<tab>text" of ROWS documents, of which FIRST is the number of the
// first one, as of a collection of TOTAL.
//     hundred_million ROWS TOTAL [FIRST]
// A document has 64 words, about 400 characters (-DWORDS=800: 5,200), and depends on its number and on TOTAL alone. Of 64 words each:
//   * The first 20 words are the boilerplate of its site; a site has a thousand documents.
//   * One in ten is filled into a template: 42 words are those of all hundred documents of its template, which are similar, but not near-duplicates.
//   * One in five is a near-duplicate of an original: a copy, or with another word at its end, or with another one inside (0.85 of the shingles are common). The
//     originals' numbers follow Zipf's law with exponent 1/2: with a hundred million documents the largest cluster has some six thousand, most have two or three.
//   * 0.8 % are copies of one and the same text: 800,000 of a hundred million.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "core/base/splitmix.hpp"

namespace {

struct Random : txtfp::core::SplitMix64 {
	using SplitMix64::SplitMix64;
	double unit() { return static_cast<double>((*this)() >> 11) * 0x1p-53; }
};

#ifndef WORDS
#define WORDS 64
#endif
constexpr std::size_t vocabulary = 65536, words = WORDS, site_words = words * 20 / 64, template_words = words * 42 / 64;
constexpr std::uint64_t near_duplicate_every = 5, template_every = 10, site_rows = 1000, template_rows = 100;
constexpr double same_text = 0.008;

// A word of three to eight letters, with the space after it.
struct Word {
	char letters[9];
	std::uint8_t size;
};
Word dictionary[vocabulary];

void make_dictionary()
{
	Random random(7);
	for (Word &word : dictionary) {
		const std::size_t letters = 3 + random.below(6);
		for (std::size_t i = 0; i < letters; ++i)
			word.letters[i] = static_cast<char>('a' + random.below(26));
		word.letters[letters] = ' ';
		word.size = static_cast<std::uint8_t>(letters + 1);
	}
}

void put_words(std::uint64_t seed, std::size_t first, std::size_t end, std::uint16_t *text)
{
	Random random(seed);
	for (std::size_t i = first; i < end; ++i)
		text[i] = static_cast<std::uint16_t>(random());
}

enum Seed : std::uint64_t { own = 1, site = 2, of_template = 3, kind = 4, of_everywhere = 5 };
std::uint64_t seed(Seed part, std::uint64_t number) { return number * 8 + part; }

void original_text(std::uint64_t number, std::uint64_t total, std::uint16_t *text)
{
	put_words(seed(own, number), site_words, words, text);
	put_words(seed(site, number % (total / site_rows + 1)), 0, site_words, text);
	if (number % template_every == 0)
		put_words(seed(of_template, number / template_every % (total / template_every / template_rows + 1)), 0,
			template_words, text);
}

void text_of(std::uint64_t number, std::uint64_t total, std::uint16_t *text)
{
	Random random(seed(kind, number));
	if (random.unit() < same_text)
		return put_words(of_everywhere, 0, words, text);
	if (number % near_duplicate_every != near_duplicate_every - 1)
		return original_text(number, total, text);
	const double u = random.unit();
	const auto rank = static_cast<std::uint64_t>(static_cast<double>(total / 10) * u * u);
	original_text(rank * 10 + 1 + rank % 3, total, text); // no template and no near-duplicate
	const double change = random.unit();
	if (change < 0.3)
		return;
	for (std::size_t n = 0; n < words / 64; ++n) {
		const std::size_t place = change < 0.7 ? words - 1 - n : site_words + random.below(words - site_words - 5);
		text[place] = static_cast<std::uint16_t>(random());
	}
}

class Writer {
public:
	void put(std::uint64_t number, const std::uint16_t *text)
	{
		if (used_ + 32 + words * sizeof(Word) > sizeof buffer_)
			flush();
		used_ += static_cast<std::size_t>(
			std::snprintf(buffer_ + used_, 32, "%llu\t", static_cast<unsigned long long>(number)));
		for (std::size_t i = 0; i < words; ++i) {
			const Word &word = dictionary[text[i]];
			std::memcpy(buffer_ + used_, word.letters, sizeof word.letters);
			used_ += word.size;
		}
		buffer_[used_ - 1] = '\n';
	}
	void flush()
	{
		if (std::fwrite(buffer_, 1, used_, stdout) != used_)
			std::exit(1);
		used_ = 0;
	}

private:
	char buffer_[1 << 18];
	std::size_t used_ = 0;
};

Writer out;

} // namespace

int main(int argc, char **argv)
{
	const std::uint64_t rows = argc > 2 ? std::strtoull(argv[1], nullptr, 10) : 0;
	const std::uint64_t total = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 0;
	const std::uint64_t first = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 0;
	if (rows == 0 || total == 0) {
		std::fprintf(stderr, "usage: hundred_million ROWS TOTAL [FIRST]\n");
		return 2;
	}
	make_dictionary();
	for (std::uint64_t number = first; number < first + rows; ++number) {
		std::uint16_t text[words];
		text_of(number, total, text);
		out.put(number, text);
	}
	out.flush();
	return std::fflush(stdout) == 0 ? 0 : 1;
}
