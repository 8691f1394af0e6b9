// The SQL types lavinhash (a varlena that holds the serialized form) and lavinhash_probe (a value and the smallest
// score, the operand of an index condition).
#pragma once

#include <cstdint>

#include "core/lavinhash/lavinhash.hpp"
#include "pg/base/given_value.hpp"

namespace txtfp::pg {

// Raises an error (XX001) if a stored form contradicts itself: its size is stored twice.
inline core::LavinhashBytes checked_form(core::LavinhashBytes form, const char *type)
{
	if (core::lavinhash_check(form) != core::LavinhashError::none)
		report_damaged_value(type);
	return form;
}

struct LavinhashProbe {
	std::int32_t header;
	std::int32_t min_score; // 0 … 100
	std::uint8_t form[FLEXIBLE_ARRAY_MEMBER];

	core::LavinhashBytes view() const
	{
		return checked_form({form, VARSIZE(this) - offsetof(LavinhashProbe, form)}, "lavinhash_probe");
	}
};

inline std::span<const std::uint8_t> varlena_bytes(const struct varlena *value)
{
	return {reinterpret_cast<const std::uint8_t *>(VARDATA_ANY(value)), VARSIZE_ANY_EXHDR(value)};
}

inline core::LavinhashBytes lavinhash_view(const struct varlena *value)
{
	return checked_form(varlena_bytes(value), "lavinhash");
}

inline core::LavinhashBytes lavinhash_arg(FunctionCallInfo fcinfo, int i)
{
	return lavinhash_view(PG_GETARG_VARLENA_PP(i));
}

inline const LavinhashProbe *lavinhash_probe_arg(FunctionCallInfo fcinfo, int i)
{
	return reinterpret_cast<const LavinhashProbe *>(PG_GETARG_VARLENA_P(i));
}

// Decodes hexadecimal digits into at most lavinhash_max_size bytes. False if there is another character, or too many
// digits.
bool lavinhash_from_hex(const char *text, std::size_t digits, std::uint8_t *out, std::size_t &size);

int check_min_score(int value); // raises 22023 outside 0 … 100

struct SearchKind;
extern const SearchKind lavinhash_search;

} // namespace txtfp::pg
