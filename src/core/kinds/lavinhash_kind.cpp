#include "core/kinds/values.hpp"
#include "core/sketch/signature.hpp"

namespace txtfp::core {

namespace {

using namespace kind_values;

LavinhashBytes form_in(const std::uint8_t *row) noexcept
{
	std::uint16_t size;
	std::memcpy(&size, row, sizeof size);
	return {row + sizeof size, size};
}

struct LavinhashRows {
	static bool is_close(const std::uint8_t *a, const std::uint8_t *b, int score) noexcept
	{
		return lavinhash_similar(form_in(a), form_in(b), score);
	}
};

// Stores the size before the form, and zeros behind it, so that rows can be compared byte for byte.
void finish_row(std::uint8_t *row, std::size_t size) noexcept
{
	const auto stored = static_cast<std::uint16_t>(size);
	std::memcpy(row, &stored, sizeof stored);
	std::memset(row + sizeof stored + size, 0, lavinhash_max_size - size);
}

bool lavinhash_of(const Recipe &, std::string_view text, std::uint8_t *row, StopToken stop)
{
	const std::size_t size = lavinhash(bytes_of(text), {}, row + sizeof(std::uint16_t), stop);
	finish_row(row, size);
	return size > 0;
}

const char *read_lavinhash(const Kind &, std::string_view text, std::uint8_t *row, std::uint64_t &config)
{
	config = 0;
	const std::size_t size = text.size() / 2;
	std::uint8_t *form = row + sizeof(std::uint16_t);
	if (text.size() % 2 != 0 || size > lavinhash_max_size)
		return "it does not have the length of one";
	if (!hex_decode(text.data(), size, form))
		return "it has characters that are no hexadecimal digits";
	if (lavinhash_check({form, size}) != LavinhashError::none)
		return "it is no serialized LavinHash";
	finish_row(row, size);
	return nullptr;
}

std::size_t write_lavinhash(const Kind &, std::uint64_t, const std::uint8_t *row, char *out)
{
	const LavinhashBytes form = form_in(row);
	hex_encode(form.data(), form.size(), out);
	return 2 * form.size();
}

const char *check_lavinhash(const Kind &, std::span<const std::uint8_t> binary) noexcept
{
	return lavinhash_check(binary) == LavinhashError::none ? nullptr : "It is no serialized LavinHash.";
}

const std::uint8_t *lavinhash_row(const Kind &, std::span<const std::uint8_t> binary, std::uint8_t *buffer) noexcept
{
	std::memcpy(buffer + sizeof(std::uint16_t), binary.data(), binary.size());
	finish_row(buffer, binary.size());
	return buffer;
}

std::size_t write_lavinhash_binary(const Kind &, std::uint64_t, const std::uint8_t *row, std::uint8_t *out)
{
	const LavinhashBytes form = form_in(row);
	std::memcpy(out, form.data(), form.size());
	return form.size();
}

int lavinhash_measure(const Kind &, const std::uint8_t *a, const std::uint8_t *b) noexcept
{
	return lavinhash_similarity(form_in(a), form_in(b));
}

double score_share(const Kind &, int score) noexcept { return score / 100.0; }

void sign_lavinhash(const Kind &, const std::uint8_t *row, std::uint8_t *out) noexcept
{
	lavinhash_signature(form_in(row), out);
}

} // namespace

const KindOperations lavinhash_operations = {lavinhash_of, nullptr, read_lavinhash, write_lavinhash, check_lavinhash,
	lavinhash_row, write_lavinhash_binary, lavinhash_measure, score_share, find_close_values<LavinhashRows>,
	sign_lavinhash, nullptr, nullptr, whole_bound};

} // namespace txtfp::core
