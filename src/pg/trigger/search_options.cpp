#include "pg/trigger/search_options.hpp"

#include <type_traits>

#include "core/base/numbers.hpp"
#include "pg/base/ranges.hpp"
#include "pg/simhash/simhash64.hpp"
#include "pg/text/options.hpp"

namespace txtfp::pg {

namespace {

template <typename Number> Number number(const char *function, const TriggerOption &option)
{
	Number value{};
	const char *end = option.value + strlen(option.value);
	const auto [stop, error] = core::from_chars(option.value, end, value);
	if (error != std::errc() || stop != end)
		reject_option(
			function, option, std::is_integral_v<Number> ? "It must be a whole number." : "It must be a number.");
	return value;
}

} // namespace

void reject_option(const char *function, const TriggerOption &option, const char *hint)
{
	ereport(ERROR,
		(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			errmsg("invalid value for option \"%s\" of %s: \"%s\"", option.name, function, option.value),
			errhint("%s", hint)));
	pg_unreachable();
}

double number_option(const char *function, const TriggerOption &option) { return number<double>(function, option); }

double limit_option(const char *function, const FingerprintKind &kind, const TriggerOption &option)
{
	switch (kind.unit) {
	case MeasureUnit::distance:
		return check_max_distance(number<int>(function, option));
	case MeasureUnit::passages: {
		const int least = number<int>(function, option);
		if (least < 1)
			reject_option(function, option, "It must be 1 or more.");
		return least;
	}
	default:
		return unit_interval_option(kind.limit, number<double>(function, option));
	}
}

bool locks_option(const char *function, const TriggerOption &option)
{
	const bool table = strcmp(option.value, "table") == 0;
	if (!table && strcmp(option.value, "keys") != 0)
		reject_option(function, option, "Valid values are \"keys\" and \"table\".");
	return table;
}

void choose_locks(const FingerprintKind &kind, double limit, RowLocks &locks)
{
	if (kind.operations != nullptr && kind.operations->lock_plan != nullptr)
		locks.plan = kind.operations->lock_plan(kind, limit);
	locks.table = locks.table || !locks.plan.has_keys();
}

std::size_t row_keys(
	const FingerprintKind &kind, const RowLocks &locks, Datum fingerprint, std::uint64_t space, std::uint64_t *out)
{
	if (locks.table)
		return 0;
	core::RowBuffer buffer;
	return kind.operations->lock_keys(kind, locks.plan, kind.row(fingerprint, buffer), space, out);
}

} // namespace txtfp::pg
