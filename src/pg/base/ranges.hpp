// Checks of numbers that a statement gives: each raises an error (22023) with the argument's name and the value, or
// returns it.
#pragma once

namespace txtfp::pg {

double unit_interval_option(const char *name, double value); // 0 … 1

enum class Upper { open, closed };                                        // is 1 itself allowed?
double positive_unit_option(const char *name, double value, Upper upper); // greater than 0, up to 1

int at_least_one(const char *name, int value);
int within(const char *name, int value, int low, int high); // low … high

} // namespace txtfp::pg
