#include "pg/base/ranges.hpp"

#include "pg/base/text_arg.hpp"

namespace txtfp::pg {

double unit_interval_option(const char *name, double value)
{
	if (!(value >= 0 && value <= 1))
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				errmsg("%s must be between 0 and 1, not %s", name, shortest(value))));
	return value;
}

double positive_unit_option(const char *name, double value, Upper upper)
{
	const bool closed = upper == Upper::closed;
	if (!(value > 0 && (value < 1 || (closed && value == 1))))
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				errmsg("%s must be greater than 0 and %s 1, not %s", name, closed ? "at most" : "less than",
					shortest(value))));
	return value;
}

int at_least_one(const char *name, int value)
{
	if (value < 1)
		ereport(
			ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("%s must be at least 1, not %d", name, value)));
	return value;
}

} // namespace txtfp::pg
