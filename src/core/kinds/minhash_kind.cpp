// Sketches of MinHash, full and compact.
#include <bit>

#include "core/kinds/values.hpp"
#include "core/minhash/minhash.hpp"
#include "core/minhash/minhash_compact.hpp"
#include "core/sketch/signature.hpp"

namespace txtfp::core {

namespace {

using namespace kind_values;

template <class Slot> std::span<const Slot> slots_in(const Kind &kind, const std::uint8_t *row) noexcept
{
	return {reinterpret_cast<const Slot *>(row), kind.slots};
}
template <class Slot> constexpr bool is_full = sizeof(Slot) == sizeof(std::uint64_t);
template <class Slot> constexpr std::uint64_t head = is_full<Slot> ? minhash_schema : minhash_schema | 8 << 16;

// Computes with make(slots), which returns false if there is no sketch.
template <class Slot, class Make> bool make_sketch(const Recipe &recipe, std::uint8_t *row, Make make)
{
	if constexpr (is_full<Slot>) {
		return make(Slots(reinterpret_cast<std::uint64_t *>(row), recipe.kind->slots));
	} else {
		std::uint64_t buffer[minhash_max_slots];
		const Slots sketch(buffer, recipe.kind->slots);
		if (!make(sketch))
			return false;
		compact(sketch, row);
		return true;
	}
}

template <class Slot> bool compute(const Recipe &recipe, std::string_view text, std::uint8_t *row, StopToken stop)
{
	return make_sketch<Slot>(recipe, row, [&](Slots slots) { return minhash(text, recipe.text, slots, stop); });
}

template <class Slot> bool compute_tokens(const Recipe &recipe, Tokens tokens, std::uint8_t *row)
{
	return make_sketch<Slot>(recipe, row, [&](Slots slots) {
		MinhashBuilder builder(recipe.text.family, recipe.text.seed, slots);
		builder.add(tokens);
		return builder.finish();
	});
}

template <class Slot>
const char *read_text_form(const Kind &kind, std::string_view text, std::uint8_t *row, std::uint64_t &config)
{
	switch (read_text(text, config, std::span(reinterpret_cast<Slot *>(row), kind.slots))) {
	case MinhashParse::ok:
		return nullptr;
	case MinhashParse::bad_length:
		return "it does not have the length of one";
	case MinhashParse::bad_digit:
		return "it has characters that are no hexadecimal digits";
	case MinhashParse::bad_schema:
		return "it is of an unknown version";
	case MinhashParse::bad_bits:
	case MinhashParse::bad_padding:
		return "its padding is not zero";
	}
	return "it is broken";
}

template <class Slot>
std::size_t write_text_form(const Kind &kind, std::uint64_t config, const std::uint8_t *row, char *out)
{
	write_text(config, slots_in<Slot>(kind, row), out);
	return is_full<Slot> ? text_size(kind.slots) : compact_text_size(kind.slots);
}

template <class Slot> const char *check_binary(const Kind &kind, std::span<const std::uint8_t> binary) noexcept
{
	if (const char *wrong = check_size(kind, binary))
		return wrong;
	return load_le64(binary.data() + 8) == head<Slot> ? nullptr : "Its head is not that of a sketch.";
}

template <class Slot>
const std::uint8_t *row_of(const Kind &kind, std::span<const std::uint8_t> binary, std::uint8_t *buffer) noexcept
{
	const std::uint8_t *at = binary.data() + sketch_head;
	if (!is_full<Slot> ||
		(std::endian::native == std::endian::little &&
			reinterpret_cast<std::uintptr_t>(at) % alignof(std::uint64_t) == 0))
		return at;
	for (std::size_t i = 0; i < kind.slots; ++i) {
		const std::uint64_t slot = load_le64(at + 8 * i);
		std::memcpy(buffer + 8 * i, &slot, sizeof slot);
	}
	return buffer;
}

template <class Slot>
std::size_t write_binary(const Kind &kind, std::uint64_t config, const std::uint8_t *row, std::uint8_t *out)
{
	store_be64(config, out);
	write_wire(slots_in<Slot>(kind, row), out + sizeof config);
	return kind.binary_bytes;
}

template <class Slot> int measure(const Kind &kind, const std::uint8_t *a, const std::uint8_t *b) noexcept
{
	return static_cast<int>(matching_slots(slots_in<Slot>(kind, a), slots_in<Slot>(kind, b)));
}

template <class Slot> double similarity(const Kind &kind, int equal) noexcept
{
	return estimated_jaccard<Slot>(static_cast<unsigned>(equal), kind.slots);
}

template <class Slot> void sign(const Kind &kind, const std::uint8_t *row, std::uint8_t *out) noexcept
{
	if constexpr (is_full<Slot>)
		minhash_signature(slots_in<Slot>(kind, row), out);
	else
		compact_signature(slots_in<Slot>(kind, row), out);
}

LockPlan plan_bands(const Kind &kind, double threshold) noexcept
{
	return {lock_banding(threshold, static_cast<int>(kind.slots)), 0};
}

template <class Slot>
std::size_t keys_of_bands(
	const Kind &kind, const LockPlan &plan, const std::uint8_t *row, std::uint64_t space, std::uint64_t *out) noexcept
{
	return lock_keys(slots_in<Slot>(kind, row), plan.banding, space, out);
}

template <class Slot> int bound(const Kind &kind, double threshold) noexcept
{
	return static_cast<int>(least_matches_of<Slot>(threshold, kind.slots));
}

template <class Slot>
constexpr KindOperations operations = {compute<Slot>, compute_tokens<Slot>, read_text_form<Slot>, write_text_form<Slot>,
	check_binary<Slot>, row_of<Slot>, write_binary<Slot>, measure<Slot>, similarity<Slot>, nullptr, sign<Slot>,
	plan_bands, keys_of_bands<Slot>, bound<Slot>};

} // namespace

const KindOperations minhash_operations = operations<std::uint64_t>, compact_operations = operations<std::uint8_t>;

} // namespace txtfp::core
