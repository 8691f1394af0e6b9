// The exact comparison of two texts of columns.
#pragma once

#include "arrow.hpp"
#include "core/compare/text_measures.hpp"
#include "kinds.hpp"
#include "parallel.hpp"

namespace txtfp::python {

struct Exact {
	bool equal_text = false, has_measures = false; // has_measures: both have a token
	double jaccard = 0, containment = 0, kept_containment = 0;
};

struct TextComparison {
	core::CanonicalOptions canonical;
	core::TokenizerSpec tokenizer;

	Exact operator()(const Column &a, std::size_t i, const Column &b, std::size_t j) const
	{
		if (a.is_null(i) || b.is_null(j))
			return {};
		check_text(a[i]);
		check_text(b[j]);
		const core::SetOverlap overlap = core::token_overlap(a[i], b[j], canonical, tokenizer, stop_token);
		return {a[i] == b[j], overlap.a > 0 && overlap.b > 0, overlap.jaccard(), overlap.containment_of_a(),
			overlap.containment_of_b()};
	}
};

} // namespace txtfp::python
