// Tokenizers, named as txtfp names them: word-uax29, grapheme-uax29, cjk-… (cjk.hpp), shingle-k=<k>/<inner>.
// A shingle is k consecutive inner tokens joined by one space; fewer than k tokens make one shingle of all of them.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/base/error.hpp"
#include "core/text/cjk.hpp"
#include "core/text/held_back.hpp"
#include "core/text/segment.hpp"

namespace txtfp::core {

// `cjk` and what follows are cjk_names.
enum class Segmenter : std::uint8_t { word, grapheme, cjk };
constexpr int segmenters = static_cast<int>(Segmenter::cjk) + TXTFP_CJK_TOKENIZERS;

constexpr bool is_cjk(Segmenter segmenter) noexcept { return segmenter >= Segmenter::cjk; }
constexpr int cjk_tokenizer(Segmenter segmenter) noexcept // TXTFP_CJK_…
{
	return static_cast<int>(segmenter) - static_cast<int>(Segmenter::cjk);
}

struct TokenizerSpec {
	static constexpr unsigned max_depth = 4;
	static constexpr std::uint32_t max_k = 1000000;

	Segmenter segmenter = Segmenter::word;
	std::uint8_t depth = 0;          // number of shingle levels
	std::uint32_t k[max_depth] = {}; // outermost first; 0 gives no tokens

	bool operator==(const TokenizerSpec &) const = default;
};

constexpr std::string_view default_tokenizer = "shingle-k=5/word-uax29";
enum class TokenizerError { none, unknown, zero_k, k_too_large, too_deep };
TokenizerError parse_tokenizer(std::string_view text, TokenizerSpec &spec) noexcept; // refuses k = 0
std::string format_tokenizer(const TokenizerSpec &spec);

using Tokens = std::span<const std::string_view>;
constexpr std::size_t token_batch = 128;
constexpr std::size_t long_token = 1 << 20; // bytes: few of them keep a sink busy for long

// One shingle level. Its tokens lie side by side in one buffer, each followed by a space, so that no shingle is copied;
// shingles are handed out many at a time, because hashing bytes that were stored a moment ago waits for the stores.
class Shingler {
public:
	static constexpr std::size_t max_bytes = std::size_t{1} << 30;

	explicit Shingler(std::uint32_t k) : k_(k) {}

	// Takes a token, and before that may call emit(shingles, end) for shingles that are complete; the views live until
	// emit returns. `end`: up to where bytes may be read from the beginning of the token on, or of any of the shingles.
	// Throws Error(too_large) if a shingle would exceed max_bytes.
	template <class Emit> void push(std::string_view token, const char *end, Emit emit)
	{
		if (count_ + 1 >= starts_.size() || window_.size() - used_ < token.size() + slack) {
			if (k_ == 0)
				return;
			drain(emit);
			make_room(token.size());
		}
		char *const to = window_.data() + used_;
		if (token.size() <= block && end - token.data() >= static_cast<std::ptrdiff_t>(block))
			std::memcpy(to, token.data(), block); // of constant size: no call
		else
			std::memcpy(to, token.data(), token.size());
		to[token.size()] = ' ';
		used_ += token.size() + 1;
		starts_[++count_] = used_;
	}

	// The shingles that are left; of a text with fewer than k tokens, its one shingle.
	template <class Emit> void finish(Emit emit)
	{
		if (count_ == 0)
			return;
		drain(emit);
		if (!emitted_)
			emit(Tokens(std::array{std::string_view(window_.data(), used_ - 1)}), window_.data() + used_);
	}

private:
	static constexpr std::size_t block = 32;        // longer than most tokens
	static constexpr std::size_t slack = block + 1; // free bytes that a push wants beyond the token

	template <class Emit> void drain(Emit emit)
	{
		if (count_ < k_)
			return;
		const std::size_t shingles = count_ - k_ + 1, batch = used_ < long_token ? token_batch : 1;
		std::string_view views[token_batch];
		for (std::size_t first = 0; first < shingles; first += batch) {
			const std::size_t n = std::min(batch, shingles - first);
			for (std::size_t i = 0; i < n; ++i) {
				const std::size_t *start = &starts_[first + i];
				views[i] = {window_.data() + start[0], start[k_] - 1 - start[0]};
			}
			emit(Tokens(views, n), window_.data() + used_);
		}
		emitted_ = true;
		discard(shingles);
	}

	void discard(std::size_t tokens) noexcept;
	void make_room(std::size_t bytes);

	std::uint32_t k_;
	bool emitted_ = false;
	std::size_t count_ = 0, used_ = 0; // tokens in window_, and their bytes
	std::string window_;               // all of it may be written
	std::vector<std::size_t> starts_;  // of the tokens in window_, and of the next one
};

// Cuts a text that arrives in pieces into tokens and calls sink(std::string_view) for each, or sink(Tokens) for up to
// token_batch at once where the sink takes that; the views live until the sink returns. Memory: the longest segment,
// and k tokens per shingle level.
template <class Sink> class Tokenizer {
public:
	Tokenizer(const TokenizerSpec &spec, Sink sink, StopToken stop = {})
		: sink_(sink), stop_(stop), segmenter_(spec.segmenter)
	{
		for (unsigned level = spec.depth; level-- > 0;)
			shinglers_.emplace_back(spec.k[level]);
		if (is_cjk(segmenter_))
			cjk_ = CjkSegmenter(cjk_tokenizer(segmenter_));
	}

	// `utf8`: valid UTF-8, whole code points.
	void append(std::string_view utf8, bool last)
	{
		held_back_.append(utf8, last, [this](std::string_view text, bool end) { return scan(text, end); });
		if (last)
			finish();
	}

private:
	// Both return where to go on once more text is there.
	std::size_t scan_words(std::string_view text, bool last)
	{
		WordRange words[token_batch];
		std::string_view tokens[token_batch];
		for (std::size_t from = 0;;) {
			const WordBatch batch = next_words(text, from, last, words);
			for (std::size_t i = 0; i < batch.count; ++i)
				tokens[i] = {text.data() + words[i].start, words[i].end - words[i].start};
			emit(Tokens(tokens, batch.count), text.data() + text.size(), 0);
			if (batch.finished)
				return batch.next;
			from = batch.next;
			stop_.check();
		}
	}

	std::size_t scan_graphemes(std::string_view text, bool last)
	{
		for (std::size_t from = 0;;) {
			const Segment cluster = next_grapheme(text, from, last);
			if (!cluster.found)
				return cluster.start;
			const std::string_view token(text.data() + cluster.start, cluster.end - cluster.start);
			emit(Tokens(&token, 1), text.data() + text.size(), 0);
			from = cluster.end;
			if ((++clusters_ & 0xFFF) == 0)
				stop_.check();
		}
	}

	std::size_t scan_cjk(std::string_view text, bool last)
	{
		TxtfpCjkRange ranges[token_batch];
		std::string_view tokens[token_batch];
		for (std::size_t from = 0;;) {
			const TxtfpCjkBatch batch = cjk_.next(text, from, last, ranges, stop_);
			for (std::size_t i = 0; i < batch.count; ++i)
				tokens[i] = text.substr(ranges[i].start, ranges[i].end - ranges[i].start);
			emit_by_size(Tokens(tokens, batch.count), text.data() + text.size());
			if (batch.finished)
				return batch.next;
			from = batch.next;
			stop_.check();
		}
	}

	std::size_t scan(std::string_view text, bool last)
	{
		if (segmenter_ == Segmenter::word)
			return scan_words(text, last);
		return segmenter_ == Segmenter::grapheme ? scan_graphemes(text, last) : scan_cjk(text, last);
	}

	// A long token must be the last of its batch, see emit.
	void emit_by_size(Tokens tokens, const char *end)
	{
		for (std::size_t first = 0; first < tokens.size();) {
			std::size_t n = 0;
			while (first + n < tokens.size() && tokens[first + n++].size() < long_token)
				;
			emit(tokens.subspan(first, n), end, 0);
			first += n;
		}
	}

	// `end`: see Shingler::push. A long token comes alone, or as the last.
	void emit(Tokens tokens, const char *end, std::size_t level)
	{
		if (level < shinglers_.size()) {
			for (const std::string_view token : tokens) {
				check_after(token.size());
				shinglers_[level].push(token, end, to_level(level + 1));
			}
			return;
		}
		if (!tokens.empty() && tokens.back().size() >= long_token)
			stop_.check();
		if constexpr (std::is_invocable_v<Sink, Tokens>)
			sink_(tokens);
		else
			for (const std::string_view token : tokens)
				sink_(token);
	}

	// Shingles of shingles are copied from level to level, megabytes at a time, before the last one has any.
	void check_after(std::size_t bytes)
	{
		copied_ += bytes;
		if (copied_ >= check_interval) {
			copied_ = 0;
			stop_.check();
		}
	}

	auto to_level(std::size_t level)
	{
		return [this, level](Tokens tokens, const char *end) { emit(tokens, end, level); };
	}

	void finish()
	{
		for (std::size_t level = 0; level < shinglers_.size(); ++level)
			shinglers_[level].finish(to_level(level + 1));
	}

	Sink sink_;
	StopToken stop_;
	Segmenter segmenter_;
	CjkSegmenter cjk_;                // empty unless is_cjk(segmenter_)
	std::vector<Shingler> shinglers_; // innermost first
	HeldBack held_back_;
	std::uint64_t clusters_ = 0;
	static constexpr std::size_t check_interval = 1 << 22;
	std::size_t copied_ = 0; // bytes, since the last check
};

// Calls sink(token) for every token of a text given whole.
template <class Sink>
void for_each_token(std::string_view utf8, const TokenizerSpec &spec, Sink sink, StopToken stop = {})
{
	Tokenizer<Sink>(spec, sink, stop).append(utf8, true);
}

} // namespace txtfp::core
