#include "core/join/join_options.hpp"

#include <cstdio>

namespace txtfp::core {

namespace {

using WriteNumber = void (*)(double number, char (&text)[32]);

// Returns false.
template <class... Values>
bool complain(Complaint &wrong, const char *detail, const char *hint, const char *message, Values... values)
{
	if constexpr (sizeof...(values) == 0)
		std::snprintf(wrong.message, sizeof wrong.message, "%s", message);
	else
		std::snprintf(wrong.message, sizeof wrong.message, message, values...);
	std::snprintf(wrong.detail, sizeof wrong.detail, "%s", detail);
	std::snprintf(wrong.hint, sizeof wrong.hint, "%s", hint);
	return false;
}

bool choose_banding(const Kind &kind, const JoinOptions &options, WriteNumber write, JoinPlan &plan, Complaint &wrong)
{
	const auto slots = static_cast<int>(kind.slots);
	if (options.bands.has_value() != options.rows.has_value())
		return complain(
			wrong, "", "Give neither: recall then chooses the banding.", "bands and rows must be given together");
	if (options.bands && options.recall)
		return complain(wrong, "", "recall chooses the banding.", "recall cannot be combined with bands and rows");
	if (options.bands) {
		const int bands = *options.bands, rows = *options.rows;
		if (bands < 1 || rows < 1)
			return complain(
				wrong, "", "", "%s must be at least 1, not %d", bands < 1 ? "bands" : "rows", bands < 1 ? bands : rows);
		if (bands > slots || rows > slots || bands * rows > slots)
			return complain(
				wrong, "", "", "bands * rows must be at most %d for %s, not %d * %d", slots, kind.type, bands, rows);
		plan.banding = {bands, rows};
		return true;
	}
	const double recall = options.recall.value_or(0.99);
	char number[32], of_threshold[32];
	write(recall, number);
	if (!(recall > 0 && recall < 1))
		return complain(wrong, "", "", "recall must be greater than 0 and less than 1, not %s", number);
	plan.banding = banding_for_recall(plan.threshold, recall, slots);
	write(plan.threshold, of_threshold);
	return plan.banding.bands > 0 ||
		complain(wrong, "", "Raise the threshold, lower the recall, or use a type with more slots.",
			"no banding of %d slots finds pairs of similarity %s with recall %s", slots, of_threshold, number);
}

} // namespace

bool fits_unit(const JoinOptions &options, MeasureUnit unit, const char *what, Complaint &wrong)
{
	const struct {
		MeasureUnit unit;
		bool given;
		const char *name, *meaning;
	} limits[] = {{MeasureUnit::similarity, options.threshold.has_value(), "threshold", "the least similarity"},
		{MeasureUnit::distance, options.max_distance.has_value(), "max_distance", "the greatest distance"},
		{MeasureUnit::score, options.min_score.has_value(), "min_score", "the least score"}};
	const auto &own = limits[unit == MeasureUnit::similarity ? 0 : unit == MeasureUnit::distance ? 1 : 2];
	for (const auto &other : limits)
		if (other.given && other.unit != unit) {
			char hint[sizeof wrong.hint];
			std::snprintf(hint, sizeof hint, "Give %s, %s.", own.name, own.meaning);
			return complain(wrong, "", hint, "%s does not apply to %s", other.name, what);
		}
	return true;
}

bool plan_join(const Kind &kind, const JoinOptions &options, double default_limit, WriteNumber write,
	JoinPlan &plan, Complaint &wrong)
{
	plan = {};
	if (kind.is_sketch()) {
		if (!fits_unit(options, kind.unit, kind.type, wrong))
			return false;
		const double least = options.threshold.value_or(default_limit);
		char number[32], detail[sizeof wrong.detail];
		write(least, number);
		std::snprintf(detail, sizeof detail, "For %s it is the least estimated Jaccard similarity.", kind.type);
		if (!(least > 0 && least <= 1))
			return complain(wrong, detail, "", "threshold must be greater than 0 and at most 1, not %s", number);
		plan.threshold = least;
		plan.bound = kind.bound_of(plan.threshold);
		return choose_banding(kind, options, write, plan, wrong);
	}
	if (options.bands || options.rows || options.recall)
		return complain(
			wrong, "Its pairs are found exactly.", "", "bands, rows and recall do not apply to %s", kind.type);
	if (!fits_unit(options, kind.unit, kind.type, wrong))
		return false;
	plan.bound =
		(kind.has_distance() ? options.max_distance : options.min_score).value_or(static_cast<int>(default_limit));
	return (plan.bound >= 0 && plan.bound <= kind.max_limit) ||
		complain(wrong, "", "", "%s must be between 0 and %d for %s, not %d", kind.limit,
			static_cast<int>(kind.max_limit), kind.type, plan.bound);
}

} // namespace txtfp::core
