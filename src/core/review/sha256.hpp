// SHA-256 (FIPS 180-4), for the hashes of a Content-Security-Policy.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace txtfp::core {

std::array<std::uint8_t, 32> sha256(std::string_view bytes) noexcept;

// "sha256-" and the hash in base64, as browsers compare it with the content of a script or style.
std::string content_hash(std::string_view bytes);

} // namespace txtfp::core
