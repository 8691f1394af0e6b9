// The inputs that reference vectors describe instead of quoting them: bytes and words chosen by SplitMix64.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/base/splitmix.hpp"
#include "unit/data.hpp"

namespace txtfp::test {

// rand(seed,size)
inline std::vector<std::uint8_t> generated_bytes(std::uint64_t seed, std::size_t size)
{
	core::SplitMix64 random(seed);
	std::vector<std::uint8_t> out(size + 8);
	for (std::size_t i = 0; i < size; i += 8)
		core::store_le64(&out[i], random());
	out.resize(size);
	return out;
}

// text(seed,size)
inline std::vector<std::uint8_t> generated_text(std::uint64_t seed, std::size_t size)
{
	static const std::vector<std::string> words =
		split("river stone copper window market silver engine garden planet "
			  "bridge cotton harbor winter signal forest ladder mirror pepper "
			  "rocket saddle temple violet wagon yellow anchor basket "
			  "candle dragon eleven fabric guitar hammer",
			' ');
	core::SplitMix64 random(seed);
	std::string out;
	while (out.size() < size) {
		const std::uint64_t z = random();
		std::string word = words[z & 31];
		if ((z >> 16) % 7 == 0)
			word[0] = static_cast<char>(word[0] - 'a' + 'A');
		out += word + ((z >> 8) % 12 == 0 ? ".\n" : " ");
	}
	out.resize(size);
	return {out.begin(), out.end()};
}

// Hexadecimal digits, "rand(seed,size)" or "text(seed,size)".
inline std::vector<std::uint8_t> described_bytes(const std::string &field)
{
	if (!field.starts_with("rand(") && !field.starts_with("text(")) {
		std::vector<std::uint8_t> out(field.size() / 2);
		if (field.size() % 2 != 0 || !core::hex_decode(field.data(), out.size(), out.data()))
			throw std::runtime_error("no hexadecimal digits: " + field);
		return out;
	}
	const std::vector<std::string> arguments = split(field.substr(5, field.size() - 6), ',');
	const std::uint64_t seed = std::stoull(arguments[0]);
	const std::size_t size = std::stoul(arguments[1]);
	return field.starts_with("text") ? generated_text(seed, size) : generated_bytes(seed, size);
}

} // namespace txtfp::test
