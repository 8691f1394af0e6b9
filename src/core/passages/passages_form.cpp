#include "core/passages/passages_form.hpp"

#include <algorithm>
#include <functional>

#include "core/base/bytes.hpp"

namespace txtfp::core {

namespace {

PassagesParse check_order(std::span<const std::uint64_t> fingerprints) noexcept
{
	const auto out_of_order =
		std::adjacent_find(fingerprints.begin(), fingerprints.end(), std::greater_equal<std::uint64_t>());
	return out_of_order == fingerprints.end() ? PassagesParse::ok : PassagesParse::not_ascending;
}

std::uint64_t load_big_endian(const std::uint8_t *in) noexcept
{
	std::uint64_t value = 0;
	for (int i = 0; i < 8; ++i)
		value = value << 8 | in[i];
	return value;
}

void store_big_endian(std::uint64_t value, std::uint8_t *out) noexcept
{
	for (int i = 8; i-- > 0; value >>= 8)
		out[i] = static_cast<std::uint8_t>(value);
}

} // namespace

PassagesParse read_passages_text(
	std::string_view text, std::uint64_t &config, std::span<std::uint64_t> fingerprints) noexcept
{
	if (passages_in_text(text.size()) != static_cast<std::ptrdiff_t>(fingerprints.size()) || text[16] != ':' ||
		!hex_decode_u64(text.data(), config))
		return PassagesParse::malformed;
	const char *in = text.data() + 17;
	for (std::uint64_t &fingerprint : fingerprints) {
		if (!hex_decode_u64(in, fingerprint))
			return PassagesParse::malformed;
		in += 16;
	}
	return check_order(fingerprints);
}

PassagesParse read_passages_binary(
	std::span<const std::uint8_t> bytes, std::uint64_t &config, std::span<std::uint64_t> fingerprints) noexcept
{
	if (passages_in_binary(bytes.size()) != static_cast<std::ptrdiff_t>(fingerprints.size()))
		return PassagesParse::malformed;
	config = load_big_endian(bytes.data());
	for (std::size_t i = 0; i < fingerprints.size(); ++i)
		fingerprints[i] = load_big_endian(bytes.data() + 8 + 8 * i);
	return check_order(fingerprints);
}

void write_passages_text(std::uint64_t config, std::span<const std::uint64_t> fingerprints, char *out) noexcept
{
	hex_encode_u64(config, out);
	out[16] = ':';
	for (std::size_t i = 0; i < fingerprints.size(); ++i)
		hex_encode_u64(fingerprints[i], out + 17 + 16 * i);
}

void write_passages_binary(
	std::uint64_t config, std::span<const std::uint64_t> fingerprints, std::uint8_t *out) noexcept
{
	store_big_endian(config, out);
	for (std::size_t i = 0; i < fingerprints.size(); ++i)
		store_big_endian(fingerprints[i], out + 8 + 8 * i);
}

} // namespace txtfp::core
