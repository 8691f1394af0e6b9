// The forms of a set of passages' fingerprints.
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

// How many fingerprints a form of this size has; −1: it is none of that size.
constexpr std::ptrdiff_t passages_in_text(std::size_t size) noexcept
{
	return size < 17 || (size - 17) % 16 != 0 ? -1 : static_cast<std::ptrdiff_t>((size - 17) / 16);
}
constexpr std::ptrdiff_t passages_in_binary(std::size_t size) noexcept
{
	return size < 8 || size % 8 != 0 ? -1 : static_cast<std::ptrdiff_t>(size / 8 - 1);
}

// Into as many fingerprints as the form has.
PassagesParse read_passages_text(
	std::string_view text, std::uint64_t &config, std::span<std::uint64_t> fingerprints) noexcept;
PassagesParse read_passages_binary(
	std::span<const std::uint8_t> bytes, std::uint64_t &config, std::span<std::uint64_t> fingerprints) noexcept;

void write_passages_text(std::uint64_t config, std::span<const std::uint64_t> fingerprints, char *out) noexcept;
void write_passages_binary(
	std::uint64_t config, std::span<const std::uint64_t> fingerprints, std::uint8_t *out) noexcept;

} // namespace txtfp::core
