#include "core/text/chunk.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "core/text/segment.hpp"
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

// Without White_Space at both ends.
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

std::uint64_t count_words(std::string_view text, StopToken stop)
{
	std::uint64_t count = 0;
	for_each_word(text, stop, [&count](const WordRange &) { ++count; });
	return count;
}

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
		for (std::size_t at = 0; at < text.size();) {
			const Sentence sentence = next_sentence(text, at, stop_);
			if (sentence.alphanumeric) {
				const std::string_view part = trimmed(text.substr(at, sentence.end - at));
				if (!add(part, " ", true))
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
		for (std::size_t at = 0, next = 0; next < text.size(); at = next + separator.size()) {
			next = std::min(text.find(separator, at), text.size());
			const std::string_view part = trimmed(text.substr(at, next - at));
			if (!part.empty() && !add(part, separator, false))
				sentences(part);
			if ((++parts_ & 0xFFF) == 0)
				stop_.check();
		}
		flush();
	}

private:
	void begin()
	{
		current_.clear();
		tokens_ = 0;
	}

	void flush()
	{
		if (!current_.empty())
			sink_(current_);
		begin();
	}

	// Packs a part into the current chunk, or begins a new one with it. False: it is too long for any chunk.
	bool add(std::string_view part, std::string_view separator, bool repeat)
	{
		const std::uint64_t tokens = tokens_of_words(count_words(part, stop_));
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
		current_ += part;
		tokens_ += tokens;
		return true;
	}

	// The next chunk begins with the last words of this one.
	void flush_and_repeat()
	{
		words_.clear();
		for_each_word(current_, stop_, [this](const WordRange &word) {
			if (words_.size() == 2 * overlap_words_)
				words_.erase(words_.begin(), words_.begin() + static_cast<std::ptrdiff_t>(overlap_words_));
			words_.push_back(word);
		});
		const std::size_t kept = std::min<std::size_t>(overlap_words_, words_.size());
		words_.erase(words_.begin(), words_.end() - static_cast<std::ptrdiff_t>(kept));
		join_words(current_);
		sink_(current_);
		std::swap(current_, joined_);
		tokens_ = tokens_of_words(kept);
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
	std::string current_; // the chunk that is being packed
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
