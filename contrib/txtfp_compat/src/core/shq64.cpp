#include "core/shq64.hpp"

#include <algorithm>
#include <array>

#include "core/base/siphash.hpp"
#include "core/simhash/bit_counter.hpp"

namespace txtfp::core {

namespace {

constexpr std::string_view alphabets[4] = {
	"ABCDEFGHIJKLMNOP", "QRSTUVWXYZabcdef", "ghijklmnopqrstuv", "wxyz0123456789-_"};
constexpr std::uint8_t unknown = 0xFF;

// For each character: the number of its alphabet in the high nibble, its value in the low nibble.
constexpr std::array<std::uint8_t, 256> codes = [] {
	std::array<std::uint8_t, 256> table{};
	table.fill(unknown);
	for (unsigned alphabet = 0; alphabet < 4; ++alphabet)
		for (unsigned value = 0; value < 16; ++value)
			table[static_cast<unsigned char>(alphabets[alphabet][value])] =
				static_cast<std::uint8_t>(alphabet << 4 | value);
	return table;
}();

constexpr unsigned code_of(char c) noexcept { return codes[static_cast<unsigned char>(c)]; }
constexpr unsigned alphabet_of(unsigned code) noexcept { return code >> 4; }

// The character at `position` of a text, the one with number `digit` if dots are not counted.
Q64Status check_digit(char c, std::size_t position, std::size_t digit) noexcept
{
	const unsigned code = code_of(c);
	if (alphabet_of(code) == digit % 4)
		return {};
	return {code == unknown ? Q64Error::character : Q64Error::phase, position, q64_alphabet(digit)};
}

// A form of a code: bit i is set if a dot stands at position i.
struct Form {
	std::uint32_t dots;
	std::size_t size;
};
constexpr Form plain{0, shq64_plain_size}, halves{1u << 8, 17},
	quarters{1u << 4 | 1u << 9 | 1u << 14, shq64_dotted_size};

constexpr Form form_of(std::string_view text) noexcept
{
	const auto dot_at = [text](std::size_t i) { return text.size() > i && text[i] == '.'; };
	return dot_at(4) ? quarters : dot_at(8) ? halves : plain;
}

// A code, or the beginning of one.
struct Digits {
	std::uint64_t value = 0;
	unsigned count = 0;
};

// A wrong character is reported rather than a wrong length.
Q64Status read_digits(std::string_view text, Form form, std::size_t min_size, Digits &digits) noexcept
{
	const std::string_view read = text.substr(0, form.size);
	for (std::size_t i = 0; i < read.size(); ++i) {
		if ((form.dots >> i & 1) != 0) {
			if (read[i] != '.')
				return {Q64Error::no_dot, i, "."};
			continue;
		}
		const Q64Status status = check_digit(read[i], i, digits.count);
		if (status.error != Q64Error::none)
			return status;
		digits.value = digits.value << 4 | (code_of(read[i]) & 15);
		++digits.count;
	}
	if (text.size() < min_size || text.size() > form.size)
		return {Q64Error::length, text.size(), {}};
	return {};
}

// SimHash of `count` features that all weigh the same.
template <class HashOf>
std::uint64_t simhash_of(std::size_t count, HashOf hash_of, std::size_t count_between_checks, StopToken stop)
{
	BitCounter counter;
	for (std::size_t i = 0; i < count;) {
		for (const std::size_t end = std::min(count, i + count_between_checks); i < end; ++i)
			counter.add(hash_of(i));
		stop.check();
	}
	return counter.majority();
}

} // namespace

std::string_view q64_alphabet(std::size_t position) noexcept { return alphabets[position % 4]; }

void q64_encode(std::span<const std::uint8_t> bytes, char *out) noexcept
{
	for (std::size_t i = 0; i < bytes.size(); ++i) {
		const std::string_view *pair = alphabets + 2 * (i % 2);
		*out++ = pair[0][bytes[i] >> 4];
		*out++ = pair[1][bytes[i] & 15];
	}
}

Q64Status q64_decode(std::string_view text, std::uint8_t *out) noexcept
{
	unsigned wrong = 0;
	for (std::size_t i = 0; i + 2 <= text.size(); i += 2) {
		const unsigned high = code_of(text[i]), low = code_of(text[i + 1]);
		wrong |= alphabet_of(high) ^ i % 4;
		wrong |= alphabet_of(low) ^ (i + 1) % 4;
		*out++ = static_cast<std::uint8_t>(high << 4 | (low & 15));
	}
	if (wrong == 0 && text.size() % 2 == 0)
		return {};
	for (std::size_t i = 0; i < text.size(); ++i)
		if (const Q64Status status = check_digit(text[i], i, i); status.error != Q64Error::none)
			return status;
	return {Q64Error::length, text.size(), {}};
}

void eq64_encode(std::span<const std::uint8_t> bytes, char *out) noexcept
{
	constexpr std::size_t group = 4; // bytes between dots
	for (; bytes.size() > group; bytes = bytes.subspan(group)) {
		q64_encode(bytes.first(group), out);
		out[2 * group] = '.';
		out += 2 * group + 1;
	}
	q64_encode(bytes, out);
}

Q64Status eq64_decode(std::string_view text, std::uint8_t *out, std::size_t &size) noexcept
{
	std::size_t digits = 0;
	for (std::size_t i = 0; i < text.size(); ++i) {
		if (text[i] == '.')
			continue;
		if (const Q64Status status = check_digit(text[i], i, digits); status.error != Q64Error::none)
			return status;
		const unsigned value = code_of(text[i]) & 15;
		if (digits % 2 == 0)
			*out = static_cast<std::uint8_t>(value << 4);
		else
			*out++ |= static_cast<std::uint8_t>(value);
		++digits;
	}
	size = digits / 2;
	if (digits % 2 != 0)
		return {Q64Error::length, text.size(), {}};
	return {};
}

std::size_t shq64_encode(std::uint64_t bits, bool dotted, char *out) noexcept
{
	const Form form = dotted ? quarters : plain;
	for (std::size_t i = 0, digit = 0; i < form.size; ++i) {
		if ((form.dots >> i & 1) != 0) {
			out[i] = '.';
			continue;
		}
		out[i] = alphabets[digit % 4][bits >> (60 - 4 * digit) & 15];
		++digit;
	}
	return form.size;
}

Q64Status shq64_decode(std::string_view text, std::uint64_t &bits) noexcept
{
	const Form form = form_of(text);
	Digits digits;
	const Q64Status status = read_digits(text, form, form.size, digits);
	bits = digits.value;
	return status;
}

Q64Status shq64_prefix_range(std::string_view prefix, Shq64Range &range) noexcept
{
	Digits digits;
	const Q64Status status = read_digits(prefix, form_of(prefix), 1, digits);
	if (status.error == Q64Error::none) {
		const unsigned free_bits = 64 - 4 * digits.count; // 60 at most
		range.low = digits.value << free_bits;
		range.high = range.low | ((std::uint64_t{1} << free_bits) - 1);
	}
	return status;
}

bool shingle_simhash(std::span<const std::uint8_t> bytes, std::size_t size, std::uint64_t &bits, StopToken stop)
{
	constexpr std::size_t bytes_between_checks = std::size_t{1} << 18;
	bits = 0;
	if (bytes.size() < size)
		return false;
	const std::size_t count = bytes.size() - size + 1, batch = std::max<std::size_t>(1, bytes_between_checks / size);
	if (size >= 8) {
		bits = simhash_of(
			count, [=](std::size_t i) { return python_hash(&bytes[i], size); }, batch, stop);
		return true;
	}
	std::uint64_t window = 0; // the last 8 bytes, the newest at the top
	const auto push = [&](std::size_t i) { window = window >> 8 | std::uint64_t{bytes[i]} << 56; };
	for (std::size_t i = 0; i + 1 < size; ++i)
		push(i);
	const auto next_hash = [&](std::size_t i) {
		push(i + size - 1);
		return python_hash_short(window >> (64 - 8 * size), size);
	};
	bits = simhash_of(count, next_hash, batch, stop);
	return true;
}

} // namespace txtfp::core
