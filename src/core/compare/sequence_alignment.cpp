#include "core/compare/sequence_alignment.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include "core/base/table_hash.hpp"

namespace txtfp::core {

namespace {

using Symbols = std::span<const std::uint32_t>;
constexpr std::uint32_t none = 0xFFFFFFFF;

// A part of both sequences: a[a0, a1) and b[b0, b1).
struct Part {
	std::uint32_t a0, a1, b0, b1;
	std::uint64_t product() const noexcept { return std::uint64_t{a1 - a0} * (b1 - b0); }
	bool has_both() const noexcept { return a0 < a1 && b0 < b1; }
};

class Aligner {
public:
	Aligner(Symbols a, Symbols b, StopToken stop, std::vector<MatchedRun> &runs)
		: a_(a), b_(b), stop_(stop), runs_(runs)
	{
	}

	void minimal(Part part) { divide(part, none); }
	void large(Part part, unsigned level);

	// Removes what both ends have in common; the run at the end is returned, because what lies before it comes first.
	MatchedRun trim(Part &part)
	{
		const std::uint32_t a = part.a0, b = part.b0;
		while (part.has_both() && a_[part.a0] == b_[part.b0])
			++part.a0, ++part.b0;
		add({a, b, part.a0 - a});
		const std::uint32_t end = part.a1;
		while (part.has_both() && a_[part.a1 - 1] == b_[part.b1 - 1])
			--part.a1, --part.b1;
		return {part.a1, part.b1, end - part.a1};
	}

	void add(MatchedRun run)
	{
		if (run.length == 0)
			return;
		if (!runs_.empty()) {
			MatchedRun &last = runs_.back();
			if (last.a + last.length == run.a && last.b + last.length == run.b) {
				last.length += run.length;
				return;
			}
		}
		runs_.push_back(run);
	}

private:
	struct Snake {
		std::uint32_t a, b, length; // a diagonal run on a shortest path, at about its middle
	};

	void divide(Part part, std::uint32_t most);
	std::optional<Snake> middle(Part part, std::uint32_t most);
	std::vector<MatchedRun> anchors(Part part, std::uint32_t length) const;

	Symbols a_, b_;
	StopToken stop_;
	std::vector<MatchedRun> &runs_;
	std::vector<std::int32_t> forward_, backward_; // the farthest position in a on each diagonal
};

// Appends the runs of the part. If a shortest path has more than twice `most` edits, the part has none.
void Aligner::divide(Part part, std::uint32_t most)
{
	const MatchedRun end = trim(part);
	if (part.has_both())
		if (const std::optional<Snake> snake = middle(part, most)) {
			divide({part.a0, snake->a, part.b0, snake->b}, most);
			add({snake->a, snake->b, snake->length});
			divide({snake->a + snake->length, part.a1, snake->b + snake->length, part.b1}, most);
		}
	add(end);
}

// Follows shortest paths from both ends until they meet (Myers, section 4b). The part has no common first and no common
// last symbol, so both parts that remain are smaller.
std::optional<Aligner::Snake> Aligner::middle(Part part, std::uint32_t most)
{
	constexpr std::int32_t low = std::numeric_limits<std::int32_t>::min() / 2, high = -low; // no position
	const auto n = static_cast<std::int32_t>(part.a1 - part.a0), m = static_cast<std::int32_t>(part.b1 - part.b0);
	const std::uint32_t *a = a_.data() + part.a0, *b = b_.data() + part.b0;
	const std::int32_t delta = n - m;
	const bool odd = (delta & 1) != 0;
	const auto size = static_cast<std::size_t>(n) + static_cast<std::size_t>(m) + 3;
	forward_.assign(size, low);
	backward_.assign(size, high);
	std::int32_t *forward = forward_.data() + m + 1, *backward = backward_.data() + m + 1; // diagonals −m − 1 … n + 1
	const auto snake = [&](std::int32_t k, std::int32_t begin, std::int32_t end) {
		return Snake{part.a0 + static_cast<std::uint32_t>(begin), part.b0 + static_cast<std::uint32_t>(begin - k),
			static_cast<std::uint32_t>(end - begin)};
	};
	std::uint64_t steps = 0;
	for (std::int32_t d = 0; static_cast<std::uint32_t>(d) <= most; ++d) {
		const auto first = [&](std::int32_t centre) { // the least diagonal centre − d + 2i that is not below −m
			return centre - d >= -m ? centre - d : -m + ((m + centre - d) & 1);
		};
		for (std::int32_t k = first(0); k <= std::min(d, n); k += 2) {
			const std::int32_t right = forward[k - 1] < n ? forward[k - 1] + 1 : low;
			const std::int32_t down = forward[k + 1] - k <= m ? forward[k + 1] : low;
			std::int32_t x = d == 0 ? 0 : std::max(right, down);
			const std::int32_t begin = x;
			if (x >= 0)
				while (x < n && x - k < m && a[x] == b[x - k])
					++x;
			forward[k] = x;
			if (odd && x >= backward[k])
				return snake(k, begin, x);
		}
		for (std::int32_t k = first(delta); k <= std::min(delta + d, n); k += 2) {
			const std::int32_t left = backward[k + 1] > 0 ? backward[k + 1] - 1 : high;
			const std::int32_t up = backward[k - 1] - k >= 0 ? backward[k - 1] : high;
			std::int32_t x = d == 0 ? n : std::min(left, up);
			const std::int32_t end = x;
			if (x <= n)
				while (x > 0 && x - k > 0 && a[x - 1] == b[x - k - 1])
					--x;
			backward[k] = x;
			if (!odd && forward[k] >= x)
				return snake(k, x, end);
		}
		steps += static_cast<std::uint64_t>(d) + 1;
		if (steps > 0x10000) {
			steps = 0;
			stop_.check();
		}
	}
	return std::nullopt;
}

// Runs of `length` symbols that occur once in either part, as many as ascend in both.
std::vector<MatchedRun> Aligner::anchors(Part part, std::uint32_t length) const
{
	std::vector<MatchedRun> found;
	if (part.a1 - part.a0 < length || part.b1 - part.b0 < length)
		return found;
	struct Entry {
		std::uint64_t hash;
		std::uint32_t a = none, b = none; // the position; `many` if there are several
	};
	constexpr std::uint32_t many = none - 1;
	const std::size_t grams = std::size_t{part.a1 - part.a0} + (part.b1 - part.b0) - 2 * (length - 1);
	std::size_t size = 64;
	while (size < 2 * grams)
		size *= 2;
	std::vector<Entry> table(size);
	const auto note = [&](Symbols s, std::uint32_t at, std::uint32_t Entry::*side) {
		std::uint64_t hash = length;
		for (std::uint32_t i = 0; i < length; ++i)
			hash = table_mix(hash, s[at + i]);
		std::size_t slot = hash >> 24 & (size - 1);
		while ((table[slot].a != none || table[slot].b != none) && table[slot].hash != hash)
			slot = (slot + 1) & (size - 1);
		table[slot].hash = hash;
		std::uint32_t &place = table[slot].*side;
		place = place == none ? at : many;
	};
	for (std::uint32_t i = part.a0; i + length <= part.a1; ++i)
		note(a_, i, &Entry::a);
	for (std::uint32_t i = part.b0; i + length <= part.b1; ++i)
		note(b_, i, &Entry::b);
	stop_.check();
	for (const Entry &entry : table)
		if (entry.a < many && entry.b < many &&
			std::equal(a_.begin() + entry.a, a_.begin() + entry.a + length, b_.begin() + entry.b))
			found.push_back({entry.a, entry.b, length});
	std::sort(found.begin(), found.end(), [](const MatchedRun &x, const MatchedRun &y) { return x.a < y.a; });
	stop_.check();
	// The longest ascending subsequence of the positions in b.
	std::vector<std::uint32_t> ends, before(found.size(), none);
	for (std::uint32_t i = 0; i < found.size(); ++i) {
		const auto at = std::lower_bound(ends.begin(), ends.end(), found[i].b,
			[&](std::uint32_t end, std::uint32_t value) { return found[end].b < value; });
		before[i] = at == ends.begin() ? none : at[-1];
		if (at == ends.end())
			ends.push_back(i);
		else
			*at = i;
	}
	std::vector<MatchedRun> chain;
	for (std::uint32_t i = ends.empty() ? none : ends.back(); i != none; i = before[i])
		chain.push_back(found[i]);
	std::reverse(chain.begin(), chain.end());
	return chain;
}

void Aligner::large(Part part, unsigned level)
{
	static constexpr std::uint32_t lengths[] = {4, 1};
	stop_.check();
	const MatchedRun end = trim(part);
	if (part.has_both()) {
		if (level == std::size(lengths)) {
			divide(part, most_edits);
		} else {
			for (const MatchedRun &anchor : anchors(part, lengths[level])) {
				if (anchor.a < part.a0 || anchor.b < part.b0)
					continue;
				large({part.a0, anchor.a, part.b0, anchor.b}, level + 1);
				MatchedRun run = anchor;
				while (run.a + run.length < part.a1 && run.b + run.length < part.b1 &&
					a_[run.a + run.length] == b_[run.b + run.length])
					++run.length;
				add(run);
				part.a0 = run.a + run.length;
				part.b0 = run.b + run.length;
			}
			large(part, level + 1);
		}
	}
	add(end);
}

// The symbols of a part that the other sequence has in it, too. The others can be in no run.
struct Reduced {
	std::vector<std::uint32_t> symbols, places;
};

Reduced reduce(Symbols s, std::uint32_t begin, std::uint32_t end, const std::vector<bool> &in_other)
{
	Reduced out;
	for (std::uint32_t i = begin; i < end; ++i)
		if (in_other[s[i]]) {
			out.symbols.push_back(s[i]);
			out.places.push_back(i);
		}
	return out;
}

} // namespace

std::vector<MatchedRun> align(Symbols a, Symbols b, StopToken stop, std::uint64_t product)
{
	std::vector<MatchedRun> runs;
	Aligner whole(a, b, stop, runs);
	Part part{0, static_cast<std::uint32_t>(a.size()), 0, static_cast<std::uint32_t>(b.size())};
	const MatchedRun end = whole.trim(part);
	if (part.product() > product) {
		whole.large(part, 0);
	} else if (part.has_both()) {
		std::uint32_t symbols = 0;
		for (std::uint32_t i = part.a0; i < part.a1; ++i)
			symbols = std::max(symbols, a[i] + 1);
		for (std::uint32_t i = part.b0; i < part.b1; ++i)
			symbols = std::max(symbols, b[i] + 1);
		std::vector<bool> in_a(symbols), in_b(symbols);
		for (std::uint32_t i = part.a0; i < part.a1; ++i)
			in_a[a[i]] = true;
		for (std::uint32_t i = part.b0; i < part.b1; ++i)
			in_b[b[i]] = true;
		const Reduced ra = reduce(a, part.a0, part.a1, in_b), rb = reduce(b, part.b0, part.b1, in_a);
		std::vector<MatchedRun> reduced;
		Aligner(ra.symbols, rb.symbols, stop, reduced)
			.minimal(
				{0, static_cast<std::uint32_t>(ra.symbols.size()), 0, static_cast<std::uint32_t>(rb.symbols.size())});
		for (const MatchedRun &run : reduced)
			for (std::uint32_t i = 0; i < run.length; ++i)
				whole.add({ra.places[run.a + i], rb.places[run.b + i], 1});
	}
	whole.add(end);
	return runs;
}

} // namespace txtfp::core
