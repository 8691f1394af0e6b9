// The ids of the rows of a bulk operation. A row is identified by its number in the order of arrival, and after rank()
// also by its rank in the order of ids (integers by value, uuid and text by bytes). The rows may come in two parts,
// from two queries. Then an id may occur in both parts, and the ranks of the first part are less than the ranks of the
// second.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "core/join/spool.hpp"
#include "pg/base/given_value.hpp"
#include "pg/base/guard.hpp"

namespace txtfp::pg {

// Raises an error (42804) unless a column can be read as ids of type id_type, the type that the function returns.
bool is_id_type(Oid type); // of a result
GivenColumn id_column(TupleDesc columns, int number, Oid id_type);

class RowIds {
public:
	static constexpr std::uint32_t max_rows = 0xFFFFFFFE;

	void open(MemoryContext context, Oid type, std::size_t memory);
	void close(); // temporary files

	// The bytes of an id, by which ids are compared. Valid until the next call. Raises an error (22004) for NULL.
	// `type`: the type of the value, not a domain over it.
	std::string_view bytes_of(const NullableDatum &id, Oid type);
	std::uint32_t add(std::string_view bytes); // returns its number
	std::string_view bytes(std::uint32_t number);
	std::uint32_t count() const { return count_; }
	void begin_second_part() { second_begins_ = count_; }
	// The following functions take ranks. is_pair is true unless there are two parts and both rows come from the same
	// one.
	bool has_parts() const { return second_begins_ != no_part; }
	std::uint32_t second_part() const { return second_begins_; } // its first rank, 0xFFFFFFFF if there is none
	bool is_second(std::uint32_t rank) const { return rank >= second_begins_; }
	bool is_pair(std::uint32_t a, std::uint32_t b) const { return !has_parts() || is_second(a) != is_second(b); }

	// After the last row: sorts the ids. Raises an error (21000) if an id occurs twice in one part. From now on those in
	// a file are read without system calls.
	void rank(std::size_t memory);
	// Changes the ranks, which must be in one part, to the order of descending priorities (core/base/priority.hpp),
	// then ids. `priorities` is indexed by number.
	void order_by(const double *priorities);
	const std::uint32_t *ranks() const { return rank_of_; } // nullptr: the numbers are the ranks
	const std::uint32_t *numbers() const { return number_of_; }
	std::uint32_t number_of(std::uint32_t rank) const { return number_of_ == nullptr ? rank : number_of_[rank]; }
	std::uint32_t rank_of(std::uint32_t number) const { return rank_of_ == nullptr ? number : rank_of_[number]; }
	void request(std::uint32_t rank) const // from memory into the cache of the processor
	{
		const std::uint64_t number = number_of(rank);
		size_ == 0 ? offsets_.request(number * sizeof number, sizeof number) : ids_.request(number * size_, size_);
	}
	Datum id(std::uint32_t rank); // of the output type; palloc'd if that is by reference

private:
	static constexpr std::uint32_t no_part = 0xFFFFFFFF;

	void make_ranks();
	void rank_by_sorting(std::uint32_t first, std::uint32_t end, std::size_t memory);
	void remember(std::string_view bytes);
	std::string_view last() const { return {last_, last_size_}; }
	const char *text_of(std::uint32_t number);

	MemoryContext context_;
	Oid type_;
	std::size_t size_; // of an id; 0: it varies
	core::Spool ids_, offsets_;
	std::uint32_t count_, second_begins_;
	bool ascending_; // all ids so far, in their part
	char *last_;     // the bytes of the previous id
	std::size_t last_size_, last_capacity_;
	char *buffer_; // for ids read from a file
	std::size_t buffer_capacity_;
	char given_[8], fixed_[16];
	std::uint32_t *number_of_, *rank_of_; // nullptr: the ids ascended as they arrived, numbers are ranks
};

} // namespace txtfp::pg
