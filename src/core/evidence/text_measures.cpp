#include "core/evidence/text_measures.hpp"

#include <vector>

#include "core/base/hash.hpp"
#include "core/text/pipeline.hpp"

namespace txtfp::core {

namespace {

// Distinct tokens by hash, each with the texts that have it. Open addressing, at most half full.
class TokenSet {
public:
	enum Side : std::uint8_t { first = 1, second = 2 };

	void add(Hash128 hash, Side side)
	{
		if (2 * (used_ + 1) > entries_.size())
			grow();
		Entry &entry = find(hash);
		if (entry.sides == 0) {
			entry = {hash, 0};
			++used_;
		}
		if ((entry.sides & side) != 0)
			return;
		entry.sides |= side;
		++(side == first ? overlap_.a : overlap_.b);
		overlap_.common += entry.sides == (first | second);
	}
	const SetOverlap &overlap() const noexcept { return overlap_; }

private:
	struct Entry {
		Hash128 hash;
		std::uint8_t sides = 0; // 0: free
	};

	Entry &find(Hash128 hash) noexcept
	{
		const std::size_t mask = entries_.size() - 1;
		std::size_t at = hash.hi & mask;
		while (entries_[at].sides != 0 && (entries_[at].hash.lo != hash.lo || entries_[at].hash.hi != hash.hi))
			at = (at + 1) & mask;
		return entries_[at];
	}

	void grow()
	{
		std::vector<Entry> old(entries_.empty() ? 1024 : 4 * entries_.size());
		old.swap(entries_);
		for (const Entry &entry : old)
			if (entry.sides != 0)
				find(entry.hash) = entry;
	}

	std::vector<Entry> entries_; // a power of two of them
	std::size_t used_ = 0;
	SetOverlap overlap_;
};

void add_tokens(std::string_view utf8, const CanonicalOptions &canonical, const TokenizerSpec &tokenizer,
	StopToken stop, TokenSet &set, TokenSet::Side side)
{
	const auto sink = [&set, side](Tokens tokens) {
		std::uint64_t lo[token_batch], hi[token_batch];
		hash128(HashFamily::xxh3, tokens, 0, lo, hi);
		for (std::size_t i = 0; i < tokens.size(); ++i)
			set.add({lo[i], hi[i]}, side);
	};
	Pipeline<decltype(sink)>(canonical, tokenizer, sink, stop).append(utf8, true);
}

} // namespace

SetOverlap token_overlap(std::string_view a, std::string_view b, const CanonicalOptions &canonical,
	const TokenizerSpec &tokenizer, StopToken stop)
{
	TokenSet set;
	add_tokens(a, canonical, tokenizer, stop, set, TokenSet::first);
	add_tokens(b, canonical, tokenizer, stop, set, TokenSet::second);
	return set.overlap();
}

} // namespace txtfp::core
