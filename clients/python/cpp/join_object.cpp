#include "join_object.hpp"

#include <limits>

#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string_view.h>

#include "core/base/union_find.hpp"
#include "joins.hpp"
#include "numpy.hpp"
#include "parallel.hpp"
#include "refused.hpp"
#include "text_comparison.hpp"

namespace txtfp::python {

using namespace nb::literals;

namespace {

// What a join is called with: a column of fingerprints, the order of its rows, and the options.
class Join {
public:
	// `second`: a second column; the pairs are then those across both. `order`: of the rows of the first, which is then
	// the only one.
	Join(nb::handle fingerprints, std::string_view kind, nb::handle second, nb::handle order, const Limit &limit,
		const BandingOption &banding, unsigned threads)
		: column_(fingerprints, kind)
	{
		if (!second.is_none()) {
			second_.emplace(second, "");
			column_.check_comparable(*second_);
		}
		values_.kind = second_ && !column_.is_kind_known() ? second_->kind() : column_.kind();
		options_ = join_options(values_.kind, limit, banding, threads);
		if (column_.size() + (second_ ? second_->size() : 0) >= core::no_element)
			throw nb::value_error("a join has at most 4,294,967,294 rows");
		read_order(order);
		for (const std::uint32_t row : rows_)
			values_.rows.push_back(column_[row]);
		if (second_)
			add_second();
	}

	nb::object pairs(bool nearest) const
	{
		const std::vector<Pair> found = nearest ? nearest_pairs(values_, options_) : similar_pairs(values_, options_);
		std::vector<std::uint32_t> a, b;
		std::vector<double> measures;
		for (const Pair &pair : found) {
			const std::uint32_t x = rows_[pair.a], y = rows_[pair.b];
			a.push_back(second_ ? x : std::min(x, y));
			b.push_back(second_ ? y : std::max(x, y));
			measures.push_back(similarity(values_.kind, pair.measure));
		}
		return nb::make_tuple(to_numpy(std::move(a)), to_numpy(std::move(b)), to_numpy(std::move(measures)));
	}

	// For each row of the column the first row of its cluster, and the similarity to that; a row without a fingerprint
	// is alone.
	nb::object clusters(std::string_view mode) const
	{
		const std::vector<std::uint32_t> found = python::clusters(values_, options_, mode_option(mode));
		std::vector<std::uint32_t> labels(column_.size());
		std::vector<double> similarities(column_.size(), 1);
		for (std::uint32_t row = 0; row < labels.size(); ++row)
			labels[row] = row;
		Workers::for_each_block(
			found.size(), 1024, options_.threads, [&](std::size_t first, std::size_t last, unsigned) {
				for (std::size_t i = first; i < last; ++i) {
					labels[rows_[i]] = rows_[found[i]];
					if (found[i] != i)
						similarities[rows_[i]] =
							similarity(values_.kind, compare(values_.kind, values_.rows[i], values_.rows[found[i]]));
				}
			});
		return nb::make_tuple(to_numpy(std::move(labels)), to_numpy(std::move(similarities)));
	}

	nb::object removals(nb::handle texts, std::string_view verify, std::optional<double> least,
		std::string_view tokenizer, std::string_view canonicalizer) const
	{
		std::optional<Column> column;
		if (!texts.is_none()) {
			column.emplace(texts);
			if (column->size() != column_.size())
				throw nb::value_error("the numbers of texts and fingerprints differ");
		}
		const TextComparison comparison{canonicalizer_option(canonicalizer), tokenizer_option(tokenizer)};
		Verification verification;
		verification.verify = verify == "jaccard" ? Verify::jaccard
			: verify == "containment"             ? Verify::containment
												  : Verify::none;
		if (verification.verify == Verify::none && verify != "none")
			throw Refused(Refusal::invalid_parameter, "unrecognized value of verify: " + in_quotes(verify), {},
				"Valid values are \"none\", \"jaccard\" and \"containment\".");
		if (verification.verify != Verify::none && !column)
			throw Refused(Refusal::invalid_parameter, "there are no texts to be verified", {},
				"Give them as texts, or do not verify.");
		if (least && !(*least >= 0 && *least <= 1))
			throw Refused(
				Refusal::invalid_parameter, "verify_threshold must be between 0 and 1, not " + shortest(*least));
		if (verification.verify != Verify::none && !least && !is_minhash(values_.kind))
			throw Refused(Refusal::invalid_parameter, "verify_threshold must not be null for fingerprints of this type",
				"Their similarity does not estimate that of the texts.");
		verification.least = least.value_or(options_.threshold);
		if (column)
			verification.compare = [&](std::uint32_t row, std::uint32_t kept) {
				return comparison(*column, rows_[row], *column, rows_[kept]);
			};
		return to_python(deduplicate(values_, options_, verification), verification);
	}

private:
	static ClusterMode mode_option(std::string_view mode)
	{
		if (mode == "components")
			return ClusterMode::components;
		if (mode == "star")
			return ClusterMode::star;
		if (mode == "complete")
			return ClusterMode::complete;
		throw Refused(Refusal::invalid_parameter, "unrecognized mode: " + in_quotes(mode), {},
			"Valid modes are \"components\", \"star\" and \"complete\".");
	}

	void add_second()
	{
		values_.second = static_cast<std::uint32_t>(rows_.size());
		for (std::uint32_t row = 0; row < second_->size(); ++row) {
			if (second_->is_null(row))
				continue;
			rows_.push_back(row);
			values_.rows.push_back((*second_)[row]);
		}
	}

	void read_order(nb::handle order)
	{
		if (order.is_none()) {
			for (std::uint32_t row = 0; row < column_.size(); ++row)
				if (!column_.is_null(row))
					rows_.push_back(row);
			return;
		}
		const auto given = nb::cast<nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>>(order);
		std::vector<bool> seen(column_.size());
		for (std::size_t i = 0; i < given.shape(0); ++i) {
			const std::int64_t row = given.data()[i];
			if (row < 0 || static_cast<std::size_t>(row) >= column_.size() || seen[static_cast<std::size_t>(row)])
				throw nb::value_error("the order of rows does not have each row once");
			seen[static_cast<std::size_t>(row)] = true;
			if (!column_.is_null(static_cast<std::size_t>(row)))
				rows_.push_back(static_cast<std::uint32_t>(row));
		}
	}

	// (row, kept, similarity, jaccard, containment, kept_containment, reason)
	nb::object to_python(const std::vector<Removal> &removals, const Verification &verification) const
	{
		std::vector<std::uint32_t> row, kept;
		std::vector<double> similarity, jaccard, containment, kept_containment;
		std::vector<std::uint8_t> reasons;
		const auto or_nan = [](bool has, double value) {
			return has ? value : std::numeric_limits<double>::quiet_NaN();
		};
		for (const Removal &removal : removals) {
			row.push_back(rows_[removal.row]);
			kept.push_back(rows_[removal.kept]);
			similarity.push_back(removal.similarity);
			jaccard.push_back(or_nan(removal.exact.has_measures, removal.exact.jaccard));
			containment.push_back(or_nan(removal.exact.has_measures, removal.exact.containment));
			kept_containment.push_back(or_nan(removal.exact.has_measures, removal.exact.kept_containment));
			const auto a = column_[row.back()], b = column_[kept.back()];
			reasons.push_back(removal.exact.equal_text                   ? 0
					: verification.verify == Verify::jaccard             ? 3
					: verification.verify == Verify::containment         ? 4
					: std::equal(a.begin(), a.end(), b.begin(), b.end()) ? 1
																		 : 2);
		}
		return nb::make_tuple(to_numpy(std::move(row)), to_numpy(std::move(kept)), to_numpy(std::move(similarity)),
			to_numpy(std::move(jaccard)), to_numpy(std::move(containment)), to_numpy(std::move(kept_containment)),
			to_numpy(std::move(reasons)));
	}

	Fingerprints column_;
	std::optional<Fingerprints> second_;
	JoinOptions options_;
	Values values_;
	std::vector<std::uint32_t> rows_; // of the column, in the order in which they win, then those of the second one
};

} // namespace

void define_join(nb::module_ &module)
{
	nb::class_<Join>(module, "Join")
		.def(
			"__init__",
			[](Join *self, nb::handle fingerprints, std::string_view kind, nb::handle second, nb::handle order,
				std::optional<double> threshold, std::optional<int> max_distance, std::optional<int> min_score,
				std::optional<double> recall, std::optional<int> bands, std::optional<int> rows, unsigned threads) {
				new (self) Join(fingerprints, kind, second, order, {threshold, max_distance, min_score},
					{recall, bands, rows}, threads);
			},
			"fingerprints"_a, "kind"_a, "second"_a.none(), "order"_a.none(), "threshold"_a.none(),
			"max_distance"_a.none(), "min_score"_a.none(), "recall"_a.none(), "bands"_a.none(), "rows"_a.none(),
			"threads"_a)
		.def("pairs", &Join::pairs, "nearest"_a)
		.def("clusters", &Join::clusters, "mode"_a)
		.def("removals", &Join::removals, "texts"_a.none(), "verify"_a, "least"_a.none(), "tokenizer"_a,
			"canonicalizer"_a);
}

} // namespace txtfp::python
