// Tokenizers, named as txtfp names them: word-uax29, grapheme-uax29, shingle-k=<k>/<inner>.
// A shingle is k consecutive inner tokens joined by one space; fewer than k tokens make one shingle of all of them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"
#include "core/segment.hpp"

namespace txtfp::core {

enum class Segmenter : std::uint8_t { word, grapheme };

struct TokenizerSpec {
	static constexpr unsigned max_depth = 4;
	static constexpr std::uint32_t max_k = 1000000;

	Segmenter segmenter = Segmenter::word;
	std::uint8_t depth = 0;          // number of shingle levels
	std::uint32_t k[max_depth] = {}; // outermost first; 0 gives no tokens

	bool operator==(const TokenizerSpec &) const = default;
};

constexpr std::string_view default_tokenizer = "shingle-k=5/word-uax29";
enum class TokenizerError { none, unknown, zero_k, huge_k, too_deep };
TokenizerError parse_tokenizer(std::string_view text, TokenizerSpec &spec) noexcept; // refuses k = 0
std::string format_tokenizer(const TokenizerSpec &spec);

// One shingle level: a sliding window of k tokens that lie side by side in one buffer, so that no shingle is copied.
class Shingler {
public:
	static constexpr std::size_t max_bytes = std::size_t{1} << 30;

	explicit Shingler(std::uint32_t k) : k_(k) {}

	// Returns the shingle that the token completes, or an empty view. It lives until the next call.
	// Throws Error(too_large) if the window exceeds max_bytes.
	std::string_view push(std::string_view token);
	std::string_view finish(); // the one shingle of a text with fewer than k tokens, or an empty view

private:
	void discard_passed();

	std::uint32_t k_;
	bool emitted_ = false;
	std::string window_;
	std::vector<std::size_t> starts_; // of the tokens in window_
	std::size_t head_ = 0;            // the first of them that is still needed
};

// Cuts a text that arrives in pieces into tokens and calls sink(std::string_view) for each; the view lives until the
// sink returns. Memory: the longest segment, and k tokens per shingle level.
template <class Sink> class Tokenizer {
public:
	Tokenizer(const TokenizerSpec &spec, Sink sink, StopToken stop = {})
		: sink_(sink), stop_(stop), segmenter_(spec.segmenter)
	{
		for (unsigned level = spec.depth; level-- > 0;)
			shinglers_.emplace_back(spec.k[level]);
	}

	// `utf8`: valid UTF-8, whole code points.
	void append(std::string_view utf8, bool last)
	{
		if (pending_.empty()) {
			pending_.assign(utf8.substr(scan(utf8, last)));
		} else {
			pending_.append(utf8);
			if (!last && pending_.size() < retry_at_)
				return; // a segment longer than a piece: scanning it again each time would be quadratic
			pending_.erase(0, scan(pending_, last));
		}
		retry_at_ = 2 * pending_.size();
		if (last)
			finish();
	}

private:
	std::size_t scan(std::string_view text, bool last)
	{
		const auto next = segmenter_ == Segmenter::word ? next_word : next_grapheme;
		for (Segment segment = next(text, 0, last);; segment = next(text, segment.end, last)) {
			if (!segment.found)
				return segment.start;
			emit(text.substr(segment.start, segment.end - segment.start), 0);
			if ((++emitted_ & 0xFFF) == 0)
				stop_.check();
		}
	}

	void emit(std::string_view token, std::size_t level)
	{
		for (; level < shinglers_.size(); ++level) {
			token = shinglers_[level].push(token);
			if (token.empty())
				return;
		}
		sink_(token);
	}

	void finish()
	{
		for (std::size_t level = 0; level < shinglers_.size(); ++level) {
			const std::string_view token = shinglers_[level].finish();
			if (!token.empty())
				emit(token, level + 1);
		}
	}

	Sink sink_;
	StopToken stop_;
	Segmenter segmenter_;
	std::vector<Shingler> shinglers_; // innermost first
	std::string pending_;
	std::size_t retry_at_ = 0;
	std::uint64_t emitted_ = 0;
};

// Calls sink(token) for every token of a text given whole.
template <class Sink>
void for_each_token(std::string_view utf8, const TokenizerSpec &spec, Sink sink, StopToken stop = {})
{
	Tokenizer<Sink>(spec, sink, stop).append(utf8, true);
}

} // namespace txtfp::core
