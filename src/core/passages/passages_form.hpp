// Text and binary form of a set of passage fingerprints.
//   text     <configuration: 16 hex digits>:<fingerprints: 16 hex digits each, ascending>
//   binary   configuration, then the fingerprints, ascending; 8 bytes each, big-endian
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace txtfp::core {

enum class PassagesParse { ok, malformed, not_ascending };

constexpr std::size_t passages_text_size(std::size_t count) noexcept { return 17 + 16 * count; }
constexpr std::size_t passages_binary_size(std::size_t count) noexcept { return 8 + 8 * count; }

// The number of fingerprints in a form of `size` bytes; −1 if no form has that size.
constexpr std::ptrdiff_t passages_in_text(std::size_t size) noexcept
{
	return size < 17 || (size - 17) % 16 != 0 ? -1 : static_cast<std::ptrdiff_t>((size - 17) / 16);
}
constexpr std::ptrdiff_t passages_in_binary(std::size_t size) noexcept
{
	return size < 8 || size % 8 != 0 ? -1 : static_cast<std::ptrdiff_t>(size / 8 - 1);
}

// The output span has as many elements as the form has fingerprints.
PassagesParse read_passages_text(
	std::string_view text, std::uint64_t &config, std::span<std::uint64_t> fingerprints) noexcept;
PassagesParse read_passages_binary(
	std::span<const std::uint8_t> bytes, std::uint64_t &config, std::span<std::uint64_t> fingerprints) noexcept;

void write_passages_text(std::uint64_t config, std::span<const std::uint64_t> fingerprints, char *out) noexcept;
void write_passages_binary(
	std::uint64_t config, std::span<const std::uint64_t> fingerprints, std::uint8_t *out) noexcept;

} // namespace txtfp::core
