#include "core/text/chunk.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "core/text/segment.hpp"
#include "core/text/segment_rules.hpp"
#include "core/text/tokens.hpp"
#include "core/text/unicode_tables.hpp"
#include "core/text/utf8.hpp"

namespace txtfp::core {

namespace {

constexpr float tokens_per_word = 1.3f;

bool is_white_space(char32_t c) noexcept
{
	return (unicode::sentence_value(c) & unicode::sentence_white_space_bit) != 0;
}

// The text without White_Space at both ends.
std::string_view trimmed(std::string_view text) noexcept
{
	while (!text.empty()) {
		const Decoded c = decode(text.data(), text.data() + text.size());
		if (!is_white_space(c.code_point))
			break;
		text.remove_prefix(c.length);
	}
	while (!text.empty()) {
		const std::size_t last = character_boundary(text, text.size() - 1);
		if (!is_white_space(decode(text.data() + last, text.data() + text.size()).code_point))
			break;
		text.remove_suffix(text.size() - last);
	}
	return text;
}

// Calls fn(range) for every word.
template <class Fn> void for_each_word(std::string_view text, StopToken stop, Fn fn)
{
	WordRange words[token_batch];
	for (std::size_t from = 0;;) {
		const WordBatch batch = next_words(text, from, true, words);
		for (std::size_t i = 0; i < batch.count; ++i)
			fn(words[i]);
		if (batch.finished)
			return;
		from = batch.next;
		stop.check();
	}
}

// True if there is a word boundary at `at` in any context. May be false for a boundary that depends on the context.
bool is_plain_boundary(std::string_view text, std::size_t at) noexcept
{
	using namespace word_rules;
	using enum WordBreak;
	if (at == 0 || at == text.size())
		return true;
	const WordBreak left = word_char(text, character_boundary(text, at - 1)).type, right = word_char(text, at).type;
	const auto is_calm = [](WordBreak t) { return t == other || t == w_seg_space || is_newline(t); };
	if (left == zwj || is_ignored(right) || (left == cr && right == lf) || (left == w_seg_space && right == left))
		return false;
	return is_calm(left) || is_calm(right);
}

// Counts the words of consecutive parts of a text, each as if it were a text of its own. If a part begins and ends at a
// plain boundary, its words are the same as in the whole text, which is faster than segmenting many short texts.
class PartCounter {
public:
	PartCounter(std::string_view text, StopToken stop) : text_(text), stop_(stop) {}

	// The part must not begin before the end of the parts counted before.
	std::uint64_t count(std::size_t from, std::size_t to)
	{
		std::uint64_t count = 0;
		if (!is_plain_boundary(text_, from) || !is_plain_boundary(text_, to)) {
			for_each_word(text_.substr(from, to - from), stop_, [&count](const WordRange &) { ++count; });
			return count;
		}
		for (; has_word(); ++at_) {
			if (words_[at_].end > to)
				break;
			count += words_[at_].start >= from;
		}
		return count;
	}

private:
	bool has_word()
	{
		while (at_ == count_ && !finished_) {
			const WordBatch batch = next_words(text_, next_, true, words_);
			at_ = 0;
			count_ = batch.count;
			next_ = batch.next;
			finished_ = batch.finished;
			stop_.check();
		}
		return at_ < count_;
	}

	std::string_view text_;
	StopToken stop_;
	WordRange words_[token_batch];
	std::size_t at_ = 0, count_ = 0, next_ = 0;
	bool finished_ = false;
};

class Chunker {
public:
	Chunker(const ChunkOptions &options, const ChunkSink &sink, StopToken stop)
		: max_tokens_(options.max_tokens), overlap_words_(words_of_tokens(options.overlap)), sink_(sink), stop_(stop)
	{
	}

	void fixed(std::string_view text)
	{
		const std::uint64_t most = std::max<std::uint64_t>(1, words_of_tokens(max_tokens_));
		const std::uint64_t kept = std::min(overlap_words_, most - 1);
		words_.clear();
		for_each_word(text, stop_, [&](const WordRange &word) {
			if (words_.size() == most) { // the window does not reach the last word
				emit_words(text);
				words_.erase(words_.begin(), words_.end() - static_cast<std::ptrdiff_t>(kept));
			}
			words_.push_back(word);
		});
		if (!words_.empty())
			emit_words(text);
	}

	void sentences(std::string_view text)
	{
		begin();
		PartCounter words(text, stop_);
		for (std::size_t at = 0; at < text.size();) {
			const Sentence sentence = next_sentence(text, at, stop_);
			if (sentence.alphanumeric) {
				const std::string_view part = trimmed(text.substr(at, sentence.end - at));
				if (!add(part, count(words, text, part), " ", true))
					fixed(part);
			}
			at = sentence.end;
			if ((++parts_ & 0xFFF) == 0)
				stop_.check();
		}
		flush();
	}

	void paragraphs(std::string_view text)
	{
		constexpr std::string_view separator = "\n\n";
		begin();
		PartCounter words(text, stop_);
		for (std::size_t at = 0, next = 0; next < text.size(); at = next + separator.size()) {
			next = std::min(text.find(separator, at), text.size());
			const std::string_view part = trimmed(text.substr(at, next - at));
			if (!part.empty() && !add(part, count(words, text, part), separator, false))
				sentences(part);
			if ((++parts_ & 0xFFF) == 0)
				stop_.check();
		}
		flush();
	}

private:
	static std::uint64_t count(PartCounter &words, std::string_view text, std::string_view part)
	{
		const auto from = static_cast<std::size_t>(part.data() - text.data());
		return words.count(from, from + part.size());
	}

	void begin()
	{
		current_.clear();
		starts_.clear();
		tokens_ = 0;
	}

	void flush()
	{
		if (!current_.empty())
			sink_(current_);
		begin();
	}

	// Adds a part to the current chunk, or begins a new chunk with it. Returns false if the part is too long for any
	// chunk.
	bool add(std::string_view part, std::uint64_t words, std::string_view separator, bool repeat)
	{
		const std::uint64_t tokens = tokens_of_words(words);
		if (tokens > max_tokens_) {
			flush();
			return false;
		}
		if (tokens_ + tokens > max_tokens_ && !current_.empty()) {
			if (repeat && overlap_words_ > 0)
				flush_and_repeat();
			else
				flush();
		}
		if (!current_.empty())
			current_ += separator;
		if (repeat)
			starts_.push_back(current_.size());
		current_ += part;
		tokens_ += tokens;
		return true;
	}

	// The next chunk begins with the last words of this one.
	void flush_and_repeat()
	{
		find_last_words();
		join_words(current_);
		const std::uint64_t tokens = tokens_of_words(words_.size());
		flush();
		std::swap(current_, joined_);
		tokens_ = tokens;
	}

	// Puts the last overlap_words_ of the current chunk into words_. From a plain boundary on, words do not depend on
	// the text before, so most of the chunk need not be segmented.
	void find_last_words()
	{
		std::size_t bytes = 16 * overlap_words_, from;
		do {
			from = tail_start(bytes);
			bytes *= 4;
			words_.clear();
			for_each_word(std::string_view(current_).substr(from), stop_, [&](const WordRange &word) {
				if (words_.size() == 2 * overlap_words_)
					words_.erase(words_.begin(), words_.begin() + static_cast<std::ptrdiff_t>(overlap_words_));
				words_.push_back({from + word.start, from + word.end});
			});
		} while (words_.size() < overlap_words_ && from > 0);
		const std::size_t kept = std::min<std::size_t>(overlap_words_, words_.size());
		words_.erase(words_.begin(), words_.end() - static_cast<std::ptrdiff_t>(kept));
	}

	// The begin of the last sentence that is at least `bytes` from the end and begins at a plain boundary; 0 if there
	// is none.
	std::size_t tail_start(std::size_t bytes) const noexcept
	{
		for (std::size_t i = starts_.size(); i-- > 0;)
			if (current_.size() - starts_[i] >= bytes && is_plain_boundary(current_, starts_[i]))
				return starts_[i];
		return 0;
	}

	void join_words(std::string_view text)
	{
		joined_.clear();
		for (const WordRange &word : words_) {
			if (!joined_.empty())
				joined_ += ' ';
			joined_ += text.substr(word.start, word.end - word.start);
		}
	}

	void emit_words(std::string_view text)
	{
		join_words(text);
		sink_(joined_);
		stop_.check();
	}

	std::uint64_t max_tokens_, overlap_words_;
	const ChunkSink &sink_;
	StopToken stop_;
	std::string current_;             // the chunk that is being packed
	std::vector<std::size_t> starts_; // starts of its sentences
	std::uint64_t tokens_ = 0, parts_ = 0;
	std::vector<WordRange> words_;
	std::string joined_;
};

} // namespace

bool parse_chunk_mode(std::string_view text, ChunkMode &mode) noexcept
{
	constexpr std::pair<std::string_view, ChunkMode> modes[] = {
		{"fixed", ChunkMode::fixed}, {"sentence", ChunkMode::sentence}, {"recursive", ChunkMode::recursive}};
	for (const auto &[name, value] : modes)
		if (text == name) {
			mode = value;
			return true;
		}
	return false;
}

std::uint64_t tokens_of_words(std::uint64_t words) noexcept
{
	return static_cast<std::uint64_t>(std::ceil(static_cast<float>(words) * tokens_per_word));
}

std::uint64_t words_of_tokens(std::uint64_t tokens) noexcept
{
	return static_cast<std::uint64_t>(std::floor(static_cast<float>(tokens) / tokens_per_word));
}

void for_each_chunk(std::string_view utf8, const ChunkOptions &options, const ChunkSink &sink, StopToken stop)
{
	if (utf8.empty() || options.max_tokens == 0)
		return;
	Chunker chunker(options, sink, stop);
	switch (options.mode) {
	case ChunkMode::fixed:
		return chunker.fixed(utf8);
	case ChunkMode::sentence:
		return chunker.sentences(utf8);
	case ChunkMode::recursive:
		return chunker.paragraphs(utf8);
	}
}

} // namespace txtfp::core
