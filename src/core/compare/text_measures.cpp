#include "core/compare/text_measures.hpp"

#include <algorithm>
#include <vector>

#include "core/base/hash.hpp"
#include "core/base/table_hash.hpp"
#include "core/text/pipeline.hpp"
#include "core/text/utf8.hpp"

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

// The distinct runs of words of both texts by hash. Open addressing, at most half full.
class RunSet {
public:
	RunSet(const TextWords &a, const TextWords &b, std::uint32_t k) : k_(k)
	{
		std::size_t size = 16;
		while (size < 2 * (std::size_t{a.count()} + b.count()))
			size *= 2;
		entries_.resize(size);
		overlap_.a = add(a, in_a);
		overlap_.b = add(b, in_b);
	}
	const SetOverlap &overlap() const noexcept { return overlap_; }

private:
	static constexpr std::uint64_t in_a = 1, in_b = 2, sides = in_a | in_b; // low bits of an entry; none: it is free

	// Returns the number of distinct runs. Their hashes are polynomials of the words' hashes.
	std::uint64_t add(const TextWords &text, std::uint64_t side) noexcept
	{
		const std::size_t n = text.count(), words = std::min<std::size_t>(n, k_);
		const auto value = [&](std::size_t i) { return table_mix(text.numbers[i], words); };
		std::uint64_t distinct = 0, hash = 0, leaves = 1;
		for (std::size_t i = 0; i < words; ++i)
			leaves *= table_factors[1];
		for (std::size_t i = 0; i < n; ++i) {
			hash = hash * table_factors[1] + value(i);
			if (i >= words)
				hash -= value(i - words) * leaves;
			if (i + 1 >= words)
				distinct += add(table_mix(hash, 0), side);
		}
		return distinct;
	}
	// True if the text did not have the run.
	bool add(std::uint64_t hash, std::uint64_t side) noexcept
	{
		std::uint64_t &entry = find(hash);
		const std::uint64_t known = entry & sides;
		entry = (hash & ~sides) | known | side;
		overlap_.common += known == (sides ^ side);
		return (known & side) == 0;
	}
	std::uint64_t &find(std::uint64_t hash) noexcept
	{
		const std::size_t mask = entries_.size() - 1;
		std::size_t at = hash >> 24 & mask;
		while ((entries_[at] & sides) != 0 && (entries_[at] & ~sides) != (hash & ~sides))
			at = (at + 1) & mask;
		return entries_[at];
	}

	std::uint32_t k_;
	std::vector<std::uint64_t> entries_; // their number is a power of two
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

SetOverlap run_overlap(const TextWords &a, const TextWords &b, std::uint32_t k)
{
	return RunSet(a, b, k).overlap();
}

bool runs_are_tokens(
	std::string_view a, std::string_view b, const CanonicalOptions &canonical, const TokenizerSpec &tokenizer) noexcept
{
	return canonical == CanonicalOptions{} && tokenizer.segmenter == Segmenter::word && tokenizer.depth <= 1 &&
		is_ascii(a) && is_ascii(b);
}

} // namespace txtfp::core
