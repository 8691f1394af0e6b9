#include "core/compare/text_measures.hpp"

#include <vector>

#include "core/base/hash.hpp"
#include "core/base/table_hash.hpp"
#include "core/text/pipeline.hpp"

namespace txtfp::core {

namespace {

// The distinct tokens by hash, each with the set of texts that have it. Open addressing, at most half full.
class TokenSet {
public:
	enum Side : std::uint64_t { first = 1, second = 2 };

	// Expects texts of `bytes` bytes in all, with six bytes or more per token, as words and shingles usually have.
	explicit TokenSet(std::size_t bytes)
	{
		std::size_t size = 256;
		while (size < bytes / 3 && size < 65536)
			size *= 2;
		entries_.resize(size);
	}

	void add(Hash128 hash, Side side)
	{
		const std::uint64_t lo = hash.lo & ~sides;
		Entry &entry = find(lo, hash.hi);
		if ((entry.lo & side) != 0)
			return;
		const bool is_new = (entry.lo & sides) == 0;
		entry.lo = lo | (entry.lo & sides) | side;
		entry.hi = hash.hi;
		++(side == first ? overlap_.a : overlap_.b);
		overlap_.common += !is_new;
		used_ += is_new;
		if (2 * used_ > entries_.size())
			grow();
	}
	const SetOverlap &overlap() const noexcept { return overlap_; }

private:
	static constexpr std::uint64_t sides = first | second;
	struct Entry {
		std::uint64_t lo = 0, hi = 0; // the low bits of `lo` are the texts that have the token; none: free
	};

	Entry &find(std::uint64_t lo, std::uint64_t hi) noexcept
	{
		const std::size_t mask = entries_.size() - 1;
		std::size_t at = table_mix(lo, hi) >> 24 & mask;
		while ((entries_[at].lo & sides) != 0 && ((entries_[at].lo & ~sides) != lo || entries_[at].hi != hi))
			at = (at + 1) & mask;
		return entries_[at];
	}

	void grow()
	{
		std::vector<Entry> old(4 * entries_.size());
		old.swap(entries_);
		for (const Entry &entry : old)
			if ((entry.lo & sides) != 0)
				find(entry.lo & ~sides, entry.hi) = entry;
	}

	std::vector<Entry> entries_; // their number is a power of two
	std::size_t used_ = 0;
	SetOverlap overlap_;
};

void add_tokens(std::string_view utf8, const CanonicalOptions &canonical, const TokenizerSpec &tokenizer,
	StopToken stop, TokenSet &set, TokenSet::Side side)
{
	const auto sink = [&set, side](Tokens tokens) {
		std::uint64_t lo[token_batch], hi[token_batch];
		hash128(HashFamily::xxh3, tokens, table_seed, lo, hi);
		for (std::size_t i = 0; i < tokens.size(); ++i)
			set.add({lo[i], hi[i]}, side);
	};
	Pipeline<decltype(sink)>(canonical, tokenizer, sink, stop).append(utf8, true);
}

} // namespace

SetOverlap token_overlap(std::string_view a, std::string_view b, const CanonicalOptions &canonical,
	const TokenizerSpec &tokenizer, StopToken stop)
{
	TokenSet set(a.size() + b.size());
	add_tokens(a, canonical, tokenizer, stop, set, TokenSet::first);
	add_tokens(b, canonical, tokenizer, stop, set, TokenSet::second);
	return set.overlap();
}

} // namespace txtfp::core
