// The rows that the searches of a near-duplicate check return, and which of them counts: the first one, or where texts
// decide, one that the new row may go for, otherwise the first one to be reviewed.
#pragma once

#include "pg/base/table_query.hpp"
#include "pg/trigger/near_duplicate_search.hpp"

namespace txtfp::pg {

// A row that is taken has the key, a similarity for each compared column, which is NULL where the column is not within
// its limit, the row's table and place if the check's action changes it, and the text if texts decide.
class Candidates final : public RowTaker {
public:
	// `caller`: the memory context of what is kept
	Candidates(const NearDuplicateCheck &check, const SearchValues &values, MemoryContext caller)
		: check_(check), values_(values), caller_(caller)
	{
	}

	bool take(TupleTableSlot *row) override;
	bool is_decided() const { return found_.found && !found_.is_review(); }
	SimilarRow found() const; // after the last search

	int search = 0; // whose rows are taken

private:
	struct Similar { // what a row says
		Evidence evidence[max_compared_columns];
		core::PairDecision pair;
		bool is_one_of_many;
	};

	bool decide_about(TupleTableSlot *row, Similar &similar);
	core::PairDecision decision_about(const NullableDatum &stored, const Similar &similar);
	void use_tokens();
	double similarity_of(const Similar &similar) const;
	bool depends_on_neighbours(core::PairDecision pair) const;
	void keep_if_first(SimilarRow &kept, TupleTableSlot *row, const Similar &similar) const;
	SimilarRow similar_row(TupleTableSlot *row, const Similar &similar) const;

	const NearDuplicateCheck &check_;
	const SearchValues &values_;
	MemoryContext caller_, scratch_ = nullptr;
	std::string_view text_; // of the new row
	int decided_ = 0;
	std::uint32_t similar_ = 0; // rows that were taken
	// held_: the first near-duplicate that is none if the rows have many neighbours
	SimilarRow found_{}, held_{};
};

static_assert(std::is_trivially_destructible_v<Candidates>);

} // namespace txtfp::pg
