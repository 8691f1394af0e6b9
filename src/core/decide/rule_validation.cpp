#include <algorithm>
#include <cmath>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "core/decide/label_folds.hpp"
#include "core/decide/rule.hpp"

namespace txtfp::core {

namespace {

constexpr double wished[] = {0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 0.98, 0.99};

// An interval for k of n labels that tell as much as `independent` ones.
Interval interval_of(std::uint64_t k, std::uint64_t n, double independent)
{
	const double share = std::min(1.0, independent / static_cast<double>(n)), few = static_cast<double>(k) * share;
	const auto all = static_cast<std::uint64_t>(std::max(1.0, std::floor(static_cast<double>(n) * share + 1e-9)));
	const auto whole = [&](double x) { return std::min(all, static_cast<std::uint64_t>(x)); };
	return {binomial_interval(whole(few + 1e-9), all).low, binomial_interval(whole(std::ceil(few - 1e-9)), all).high};
}

std::vector<ScoredLabel> cross_validate(const Labels &all, const std::vector<unsigned> &fold_of, StopToken stop)
{
	std::vector<ScoredLabel> scored;
	for (unsigned fold = 0; fold < folds; ++fold) {
		Labels others;
		std::size_t right = 0;
		for (std::size_t i = 0; i < all.size(); ++i)
			if (fold_of[i] != fold) {
				others.push_back(all[i]);
				right += all[i]->right;
			}
		if (std::min(right, others.size() - right) < folds)
			throw Error(ErrorKind::invalid_parameter,
				"too many labels of one kind are of one group, so that nothing is known about texts of other groups");
		const Rule rule = learn(others, stop);
		for (std::size_t i = 0; i < all.size(); ++i)
			if (fold_of[i] == fold)
				scored.push_back({rule.score(all[i]->signals), all[i]->right, all[i]->group});
	}
	return scored;
}

} // namespace

Interval Observed::precision_interval() const { return interval_of(right, removed, independent); }
Interval Observed::recall_interval() const
{
	return interval_of(right, all_right, independent / static_cast<double>(removed) * static_cast<double>(all_right));
}

bool find_cut_off(std::vector<ScoredLabel> scored, double precision, CutOff &cut_off)
{
	std::sort(scored.begin(), scored.end(), [](const auto &a, const auto &b) { return a.score > b.score; });
	cut_off = {precision, 2, 0, {}, {}};
	std::size_t removed = 0;
	double right = 0, n = 0;
	bool any_right = false; // of the labels with this score
	for (std::size_t i = 0; i < scored.size(); ++i) {
		any_right = scored[i].right || (any_right && scored[i - 1].score == scored[i].score);
		right += scored[i].right;
		n += 1;
		const bool ends = i + 1 == scored.size() || scored[i + 1].score < scored[i].score;
		if (ends && any_right && right >= precision * (n + 1)) {
			removed = i + 1;
			cut_off.remove_from = (scored[i].score + scored[std::min(removed, scored.size() - 1)].score) / 2;
		}
	}
	if (removed == 0)
		return false;
	right = n = 0;
	for (std::size_t i = scored.size(); i-- > removed;) { // so i > 0
		right += scored[i].right;
		n += 1;
		const bool ends = scored[i - 1].score > scored[i].score;
		if (ends && right + 1 <= (1 - precision) * (n + 1))
			cut_off.keep_below = std::min((scored[i].score + scored[i - 1].score) / 2, cut_off.remove_from);
	}
	return true;
}

Observed observe(const std::vector<ScoredLabel> &scored, double score)
{
	Observed observed{};
	std::unordered_map<std::uint64_t, std::size_t> number;
	std::vector<std::uint64_t> sizes;
	for (const ScoredLabel &label : scored) {
		observed.all_right += label.right;
		if (label.score < score)
			continue;
		++observed.removed;
		observed.right += label.right;
		const auto [at, is_new] = number.try_emplace(label.group, sizes.size());
		if (is_new)
			sizes.push_back(0);
		++sizes[at->second];
	}
	observed.independent = independent_labels(sizes);
	return observed;
}

LearnedRule learn_and_validate(const std::vector<Label> &labels, std::uint64_t seed, bool for_new, StopToken stop)
{
	Labels all;
	LearnedRule result{};
	std::unordered_set<std::uint64_t> groups;
	for (const Label &label : labels) {
		all.push_back(&label);
		result.right += label.right;
		groups.insert(label.group);
	}
	result.labels = labels.size();
	result.groups = groups.size();
	result.for_new = for_new;
	result.rule = learn(all, stop);
	std::sort(all.begin(), all.end(), [](const Label *a, const Label *b) {
		return std::tie(a->right, a->signals) < std::tie(b->right, b->signals);
	});
	const std::size_t wrong = labels.size() - result.right;
	const std::vector<ScoredLabel> similar = cross_validate(all, random_folds(wrong, all.size(), seed), stop);
	const std::vector<ScoredLabel> fresh =
		groups.size() == labels.size() ? similar : cross_validate(all, folds_of_groups(all, folds, seed), stop);
	for (const double precision : wished) {
		CutOff cut_off;
		if (!find_cut_off(for_new ? fresh : similar, precision, cut_off))
			continue;
		cut_off.similar = observe(similar, cut_off.remove_from);
		cut_off.fresh = observe(fresh, cut_off.remove_from);
		if (cut_off.similar.removed > 0 && cut_off.fresh.removed > 0)
			result.cut_offs.push_back(cut_off);
	}
	return result;
}

} // namespace txtfp::core
