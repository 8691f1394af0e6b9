// A digest of what a test has computed: of all actual values that it compared. scripts/platforms.sh holds those of the
// tests that read test/data against each other, architecture by architecture.
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include "core/base/bytes.hpp"

namespace txtfp::test {

// FNV-1a, 64 bits.
class Digest {
public:
	template <class T> void add(const T &value)
	{
		if constexpr (std::is_floating_point_v<T>) {
			add_number(std::bit_cast<std::uint64_t>(static_cast<double>(value)));
		} else if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
			add_number(static_cast<std::uint64_t>(value));
		} else if constexpr (std::convertible_to<T, std::string_view>) {
			const std::string_view bytes = value;
			add_number(bytes.size());
			for (const char c : bytes)
				add_byte(static_cast<std::uint8_t>(c));
		} else if constexpr (requires {
								 value.begin();
								 value.end();
							 }) {
			std::uint64_t size = 0;
			for (const auto &element : value) {
				add(element);
				++size;
			}
			add_number(size);
		}
	}

	std::string text() const
	{
		std::string out(16, '?');
		core::hex_encode_u64(state_, out.data());
		return out;
	}

private:
	void add_byte(std::uint8_t byte) noexcept { state_ = (state_ ^ byte) * 0x100000001B3; }
	void add_number(std::uint64_t number) noexcept
	{
		for (int i = 0; i < 8; ++i, number >>= 8)
			add_byte(static_cast<std::uint8_t>(number));
	}

	std::uint64_t state_ = 0xCBF29CE484222325;
};

// Of the running test
inline Digest actual_values;
inline bool reads_vectors = false;

// While there is one, comparisons are left out of the digest: those made for each kernel, of which processors have
// different ones.
class LeftOut {
public:
	LeftOut() : before_(actual_values) {}
	LeftOut(const LeftOut &) = delete;
	~LeftOut() { actual_values = before_; }

private:
	Digest before_;
};

} // namespace txtfp::test
