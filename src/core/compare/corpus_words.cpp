#include "core/compare/corpus_words.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/base/bytes.hpp"
#include "core/base/hash.hpp"
#include "core/base/table_hash.hpp"
#include "core/compare/aligned_words.hpp"
#include "core/compare/text_codes.hpp"

namespace txtfp::core {

namespace {

constexpr std::uint64_t word_seed = 0x776F726473;
constexpr std::uint32_t form_version = 1, exact_form = 0, sketch_form = 1;
constexpr std::size_t head_bytes = 24, word_bytes = 12;
constexpr std::uint32_t most = 0xFFFFFFFF;

std::uint32_t raised(std::uint32_t counter, std::uint64_t by) noexcept
{
	return by >= most - counter ? most : counter + static_cast<std::uint32_t>(by);
}

// The counter of a row: different bits of one hash for each.
std::size_t column_of(WordHash word, std::size_t row) noexcept
{
	static_assert(CorpusWords::columns == std::size_t{1} << 18);
	constexpr std::uint64_t factors[CorpusWords::rows] = {
		0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0xD6E8FEB86659FD93};
	return static_cast<std::size_t>(((word ^ word >> 29) * factors[row]) >> (64 - 18));
}

} // namespace

WordHash word_hash(std::string_view canonical) noexcept
{
	return std::max<WordHash>(1, xxh3_64(canonical.data(), canonical.size(), word_seed));
}

void CorpusWords::add(std::string_view text, StopToken stop)
{
	const ComparedTexts texts(text, {}, CanonicalOptions{}, Segmenter::word, stop);
	std::vector<WordHash> words;
	words.reserve(texts.distinct());
	for (std::uint32_t number = 0; number < texts.distinct(); ++number)
		words.push_back(word_hash(texts.canonical(number)));
	const WordClasses classes(texts);
	for_each_code(texts, texts.a(), classes, [&](std::uint32_t first, std::uint32_t last, std::string_view code) {
		if (last - first > 1 || code.size() != texts.canonical(texts.a().numbers[first]).size())
			words.push_back(word_hash(code));
	});
	std::sort(words.begin(), words.end());
	words.erase(std::unique(words.begin(), words.end()), words.end());
	++documents_;
	for (const WordHash word : words)
		raise(word, 1);
}

void CorpusWords::merge(const CorpusWords &other, StopToken stop)
{
	if (!other.is_exact() && is_exact())
		become_sketch();
	documents_ += other.documents_;
	if (!other.is_exact()) {
		for (std::size_t i = 0; i < counters_.size(); ++i)
			counters_[i] = raised(counters_[i], other.counters_[i]);
		occurrences_ += other.occurrences_;
		return;
	}
	std::size_t steps = 0;
	for (const Entry &entry : other.entries_) {
		if ((++steps & 0xFFF) == 0)
			stop.check();
		if (entry.word != 0)
			raise(entry.word, entry.count);
	}
}

std::uint64_t CorpusWords::count(WordHash word) const noexcept
{
	if (is_exact())
		return entries_.empty() ? 0 : entries_[slot_of(word)].count;
	std::uint32_t least = most;
	for (std::size_t row = 0; row < rows; ++row)
		least = std::min(least, counters_[row * columns + column_of(word, row)]);
	return least;
}

double CorpusWords::scale() const noexcept { return 1 / std::log(2 * (static_cast<double>(documents_) + 1)); }

// ln((n + 1) / (count + 1/2)) / ln(2 n + 2) for n documents
double CorpusWords::rarity(WordHash word, double scale) const noexcept
{
	const std::uint64_t has = std::min(count(word), documents_);
	return has == 0 ? 1 : 1 - std::log(2 * static_cast<double>(has) + 1) * scale;
}

// Where the word is, or the free place where it would be.
std::size_t CorpusWords::slot_of(WordHash word) const noexcept
{
	const std::size_t mask = entries_.size() - 1;
	std::size_t at = static_cast<std::size_t>(table_mix(word, 0) >> 32) & mask;
	while (entries_[at].word != 0 && entries_[at].word != word)
		at = (at + 1) & mask;
	return at;
}

void CorpusWords::grow()
{
	std::vector<Entry> old(std::max<std::size_t>(256, 2 * entries_.size()));
	old.swap(entries_);
	for (const Entry &entry : old)
		if (entry.word != 0)
			entries_[slot_of(entry.word)] = entry;
}

void CorpusWords::raise(WordHash word, std::uint64_t by)
{
	occurrences_ += by;
	if (!is_exact())
		return raise_counters(word, by);
	if (2 * (used_ + 1) > entries_.size())
		grow();
	Entry &entry = entries_[slot_of(word)];
	if (entry.word == 0 && used_ == most_exact) {
		become_sketch();
		return raise_counters(word, by);
	}
	used_ += entry.word == 0;
	entry = {word, raised(entry.count, by)};
}

void CorpusWords::raise_counters(WordHash word, std::uint64_t by) noexcept
{
	for (std::size_t row = 0; row < rows; ++row) {
		std::uint32_t &counter = counters_[row * columns + column_of(word, row)];
		counter = raised(counter, by);
	}
}

void CorpusWords::become_sketch()
{
	counters_.assign(rows * columns, 0);
	for (const Entry &entry : entries_)
		if (entry.word != 0)
			raise_counters(entry.word, entry.count);
	entries_ = {};
	used_ = 0;
}

std::vector<CorpusWords::Entry> CorpusWords::sorted() const
{
	std::vector<Entry> all;
	all.reserve(used_);
	std::copy_if(entries_.begin(), entries_.end(), std::back_inserter(all), [](const Entry &e) { return e.word != 0; });
	std::sort(all.begin(), all.end(), [](const Entry &x, const Entry &y) { return x.word < y.word; });
	return all;
}

std::size_t CorpusWords::stored_bytes() const noexcept
{
	return head_bytes + (is_exact() ? word_bytes * used_ : sizeof(std::uint32_t) * counters_.size());
}

void CorpusWords::store(std::uint8_t *bytes) const
{
	store_le32(bytes, form_version);
	store_le32(bytes + 4, is_exact() ? exact_form : sketch_form);
	store_le64(bytes + 8, documents_);
	store_le64(bytes + 16, occurrences_);
	bytes += head_bytes;
	const std::vector<Entry> all = sorted();
	for (const Entry &entry : all) {
		store_le64(bytes, entry.word);
		bytes += 8;
	}
	for (const Entry &entry : all) {
		store_le32(bytes, entry.count);
		bytes += 4;
	}
	for (const std::uint32_t counter : counters_) {
		store_le32(bytes, counter);
		bytes += 4;
	}
}

bool CorpusWords::read(std::span<const std::uint8_t> bytes)
{
	*this = {};
	if (bytes.size() < head_bytes || load_le32(bytes.data()) != form_version)
		return false;
	const std::uint32_t kind = load_le32(bytes.data() + 4);
	documents_ = load_le64(bytes.data() + 8);
	occurrences_ = load_le64(bytes.data() + 16);
	if (documents_ > std::uint64_t{1} << 53 || occurrences_ > std::uint64_t{1} << 53)
		return false;
	const std::span<const std::uint8_t> rest = bytes.subspan(head_bytes);
	return kind == exact_form ? read_exact(rest) : kind == sketch_form && read_counters(rest);
}

bool CorpusWords::read_hex(std::string_view digits)
{
	std::vector<std::uint8_t> bytes(digits.size() / 2);
	return digits.size() % 2 == 0 && hex_decode(digits.data(), bytes.size(), bytes.data()) && read(bytes);
}

bool CorpusWords::read_exact(std::span<const std::uint8_t> bytes)
{
	const std::size_t words = bytes.size() / word_bytes;
	if (words * word_bytes != bytes.size() || words > most_exact)
		return false;
	entries_.resize(std::bit_ceil(std::max<std::size_t>(256, 2 * words)));
	std::uint64_t sum = 0;
	bool saturated = false;
	WordHash last = 0;
	for (std::size_t i = 0; i < words; ++i) {
		const WordHash word = load_le64(bytes.data() + 8 * i);
		const std::uint32_t count = load_le32(bytes.data() + 8 * words + 4 * i);
		if (word <= last || count == 0 || count > documents_)
			return false;
		last = word;
		sum += count;
		saturated |= count == most;
		entries_[slot_of(word)] = {word, count};
	}
	used_ = words;
	return saturated ? sum <= occurrences_ : sum == occurrences_;
}

bool CorpusWords::read_counters(std::span<const std::uint8_t> bytes)
{
	if (bytes.size() != sizeof(std::uint32_t) * rows * columns)
		return false;
	counters_.resize(rows * columns);
	for (std::size_t row = 0; row < rows; ++row) {
		std::uint64_t sum = 0;
		bool saturated = false;
		for (std::size_t i = row * columns; i < (row + 1) * columns; ++i) {
			counters_[i] = load_le32(bytes.data() + 4 * i);
			sum += counters_[i];
			saturated |= counters_[i] == most;
		}
		if (saturated ? sum > occurrences_ : sum != occurrences_)
			return false;
	}
	return occurrences_ > most_exact; // otherwise counts would be exact
}

} // namespace txtfp::core
