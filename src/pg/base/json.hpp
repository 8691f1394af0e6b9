// Unsigned 64-bit integers out of jsonb, and the making of jsonb.
#pragma once

#include <charconv>
#include <cstdint>

#include "pg/base/pg.hpp"

extern "C" {
#include "utils/fmgrprotos.h"
#include "utils/jsonb.h"
#include "utils/numeric.h"
}

namespace txtfp::pg {

// The decimal digits of a jsonb number.
inline const char *number_text(const JsonbValue *value)
{
	return DatumGetCString(DirectFunctionCall1(numeric_out, NumericGetDatum(value->val.numeric)));
}

// Returns false unless the value is an integer from 0 to 2^64 − 1. nullptr stands for a missing value.
inline bool unsigned_integer(const JsonbValue *value, std::uint64_t &number)
{
	if (value == nullptr || value->type != jbvNumeric)
		return false;
	const char *digits = number_text(value);
	const char *end = digits + strlen(digits);
	const auto [stop, error] = std::from_chars(digits, end, number);
	return error == std::errc() && stop == end;
}

// Makes a jsonb value piece by piece. `result` is null until its last piece has come.
class JsonbBuilder {
public:
#if PG_VERSION_NUM >= 190000
	void push(JsonbIteratorToken token, JsonbValue *value = nullptr) { pushJsonbValue(&state_, token, value); }
	JsonbValue *result() const { return state_.result; }

private:
	JsonbInState state_{};
#else
	void push(JsonbIteratorToken token, JsonbValue *value = nullptr)
	{
		result_ = pushJsonbValue(&state_, token, value);
	}
	JsonbValue *result() const { return result_; }

private:
	JsonbParseState *state_ = nullptr;
	JsonbValue *result_ = nullptr;
#endif
};

} // namespace txtfp::pg
