// Text → canonical text → tokens, in pieces: the way of every text fingerprint. Memory does not grow with the text.
#pragma once

#include <string>
#include <string_view>

#include "core/canonical.hpp"
#include "core/tokens.hpp"
#include "core/utf8.hpp"

namespace txtfp::core {

// Calls sink(std::string_view) for each token of the canonical text, or sink(Tokens) as Tokenizer does; the views live
// until the sink returns.
template <class Sink> class Pipeline {
public:
	Pipeline(const CanonicalOptions &canonical, const TokenizerSpec &tokenizer, Sink sink, StopToken stop = {})
		: canonicalizer_(canonical, stop), tokenizer_(tokenizer, sink, stop), stop_(stop)
	{
	}

	// `utf8`: valid UTF-8, whole code points.
	void append(std::string_view utf8, bool last)
	{
		while (!utf8.empty() || last) {
			const std::size_t n = character_boundary(utf8, piece_bytes);
			const bool end = last && n == utf8.size();
			canonicalize_piece(utf8.substr(0, n), end);
			utf8.remove_prefix(n);
			stop_.check();
			if (end)
				return;
		}
	}

private:
	static constexpr std::size_t piece_bytes = 1 << 15; // of input that is in flight between the stages

	// Text that the canonicalizer cannot finish yet waits in pending_. It is tried again only when it has doubled:
	// one letter with a million marks must not be normalized a million times.
	void canonicalize_piece(std::string_view piece, bool end)
	{
		canonical_.clear();
		if (pending_.empty()) {
			pending_.assign(piece.substr(canonicalizer_.append(piece, end, canonical_)));
		} else {
			pending_.append(piece);
			if (!end && pending_.size() < retry_at_)
				return;
			pending_.erase(0, canonicalizer_.append(pending_, end, canonical_));
		}
		retry_at_ = 2 * pending_.size();
		tokenizer_.append(canonical_, end);
	}

	Canonicalizer canonicalizer_;
	Tokenizer<Sink> tokenizer_;
	StopToken stop_;
	std::string pending_, canonical_;
	std::size_t retry_at_ = 0;
};

} // namespace txtfp::core
