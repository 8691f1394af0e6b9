// Text → canonical text → tokens, in pieces: every text fingerprint is computed this way. Memory does not grow with the
// text.
#pragma once

#include <string_view>

#include "core/text/canonical.hpp"
#include "core/text/held_back.hpp"
#include "core/text/tokens.hpp"
#include "core/text/utf8.hpp"

namespace txtfp::core {

// Text → canonical text. Calls fn(std::string_view canonical, bool end) for each piece; the view lives until it
// returns.
class CanonicalPieces {
public:
	explicit CanonicalPieces(const CanonicalOptions &options, StopToken stop = {})
		: canonicalizer_(options, stop), stop_(stop)
	{
	}

	// `utf8`: valid UTF-8, whole code points. With `last` the final call of fn has `end` set.
	template <class Fn> void append(std::string_view utf8, bool last, Fn fn)
	{
		while (!utf8.empty() || last) {
			const std::size_t n = character_boundary(utf8, piece_bytes);
			const bool end = last && n == utf8.size();
			if (canonicalize_piece(utf8.substr(0, n), end))
				fn(std::string_view(canonical_), end);
			utf8.remove_prefix(n);
			stop_.check();
			if (end)
				return;
		}
	}

private:
	static constexpr std::size_t piece_bytes = 1 << 15; // bytes of input that pass through the stages at once

	// False: nothing was canonicalized, the piece is held back.
	bool canonicalize_piece(std::string_view piece, bool end)
	{
		canonical_.set_size(0);
		return held_back_.append(piece, end,
			[this](std::string_view text, bool last) { return canonicalizer_.append(text, last, canonical_); });
	}

	Canonicalizer canonicalizer_;
	StopToken stop_;
	HeldBack held_back_;
	TextBuffer canonical_;
};

// Text → tokens. Calls sink(std::string_view) for each token of the canonical text, or sink(Tokens) as Tokenizer does;
// the views live until the sink returns.
template <class Sink> class Pipeline {
public:
	Pipeline(const CanonicalOptions &canonical, const TokenizerSpec &tokenizer, Sink sink, StopToken stop = {})
		: pieces_(canonical, stop), tokenizer_(tokenizer, sink, stop)
	{
	}

	// `utf8`: valid UTF-8, whole code points.
	void append(std::string_view utf8, bool last)
	{
		pieces_.append(utf8, last, [this](std::string_view canonical, bool end) { tokenizer_.append(canonical, end); });
	}

private:
	CanonicalPieces pieces_;
	Tokenizer<Sink> tokenizer_;
};

} // namespace txtfp::core
