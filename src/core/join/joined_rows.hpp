// The rows of a join, as clusters and removals (core/dedup) see them, whatever their fingerprints are. Rows are given by
// rank.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/union_find.hpp"
#include "core/join/host.hpp"

namespace txtfp::core {

class JoinedRows {
public:
	virtual void connect(UnionFind &components) = 0;
	// Gives each similar pair once. Only the first one of rows with equal fingerprints, the head, takes part;
	// heads[rank] becomes the head of each row.
	virtual void pairs_of_heads(PairSink &sink) = 0;
	virtual void read_heads(std::span<std::uint32_t> heads) = 0;
	// Both are fast if a is the same as in the worker's last call.
	virtual bool similar(std::uint32_t a, std::uint32_t b, unsigned worker = 0) = 0;
	virtual double similarity(std::uint32_t a, std::uint32_t b, unsigned worker = 0) = 0;
	// True if all workers of the executor may call them at once; otherwise only the caller.
	virtual bool compares_in_workers() const { return false; }
	// Makes ready for a worker's comparisons of some rows, by ascending rank and at most rows_at_once() of them; 0: they
	// are always ready.
	virtual std::size_t rows_at_once(unsigned) { return 0; }
	virtual void hold(std::span<const std::uint32_t>, unsigned) {}
	// True if the rows are known to be equal. Then similarity() compares nothing.
	virtual bool are_copies(std::uint32_t, std::uint32_t) { return false; }
	// Writes the keys of a row, at most max_keys, and returns their number, which is the same for all rows. Similar rows
	// that were connected have a key in common. 0: this kind has no such keys.
	static constexpr std::size_t max_keys = 256;
	virtual std::size_t keys(std::uint32_t row, std::uint64_t *keys) = 0;

protected:
	~JoinedRows() = default;
};

} // namespace txtfp::core
