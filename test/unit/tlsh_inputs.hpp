// Generates the inputs of the TLSH vectors from their recipes: a name, its arguments, and the recipe of the input that
// it changes.
#pragma once

#include <cstdint>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/base/splitmix.hpp"
#include "unit/data.hpp"

namespace txtfp::test {

class TlshRecipe {
public:
	explicit TlshRecipe(const std::string &text) : rest_(text) {}

	std::string bytes()
	{
		const std::string what = word();
		if (what == "hex")
			return from_hex(word());
		if (what == "random")
			return random();
		if (what == "alphabet")
			return alphabet();
		if (what == "affine")
			return affine();
		if (what == "words")
			return join(words());
		if (what == "mutate_words")
			return mutated_words();
		if (what == "mutate_bytes" || what == "mutate_letters")
			return mutated(what == "mutate_letters");
		if (what == "repeat")
			return repeated();
		if (what == "slice")
			return slice();
		if (what == "concat") {
			const std::string first = bytes();
			return first + bytes();
		}
		throw std::runtime_error("unknown recipe " + what);
	}

private:
	using Words = std::vector<std::string>;

	std::string word()
	{
		std::string out;
		if (!(rest_ >> out))
			throw std::runtime_error("a recipe ends too early");
		return out;
	}
	std::uint64_t number() { return std::stoull(word()); }

	static std::string from_hex(const std::string &digits)
	{
		std::string out(digits.size() / 2, '\0');
		if (!core::hex_decode(digits.data(), out.size(), reinterpret_cast<std::uint8_t *>(out.data())))
			throw std::runtime_error("not hexadecimal: " + digits);
		return out;
	}

	// <seed> <size>
	std::string random()
	{
		core::SplitMix64 next(number());
		const std::size_t size = number();
		std::string out(size + 7, '\0');
		for (std::size_t i = 0; i < size; i += 8)
			core::store_le64(&out[i], next());
		out.resize(size);
		return out;
	}

	// <seed> <size> <characters>
	std::string alphabet()
	{
		core::SplitMix64 next(number());
		std::string out(number(), '\0');
		const std::string characters = from_hex(word());
		for (char &c : out)
			c = characters[next.below(characters.size())];
		return out;
	}

	// <base> <factor> <summand> <modulus> <size>
	std::string affine()
	{
		const std::uint64_t base = number(), factor = number(), summand = number(), modulus = number();
		std::string out(number(), '\0');
		for (std::size_t i = 0; i < out.size(); ++i)
			out[i] = static_cast<char>(base + (factor * i + summand) % modulus);
		return out;
	}

	static const Words &word_list(const std::string &name)
	{
		static std::map<std::string, Words> lists;
		if (lists.empty())
			for (const Row &row : table("tlsh_words.tsv"))
				lists[row["list"]] = split(row["words"], ' ');
		return lists.at(name);
	}

	// <seed> <count> <list>
	Words words()
	{
		core::SplitMix64 next(number());
		Words out(number());
		list_ = word();
		for (std::string &w : out)
			w = word_list(list_)[next.below(word_list(list_).size())];
		return out;
	}

	static std::string join(const Words &words)
	{
		std::string out;
		for (const std::string &w : words)
			out += (out.empty() ? "" : " ") + w;
		return out;
	}

	// <seed> <times> <words>
	std::string mutated_words()
	{
		core::SplitMix64 next(number());
		const std::uint64_t times = number();
		if (word() != "words")
			throw std::runtime_error("only words have words to mutate");
		Words out = words();
		for (std::uint64_t i = 0; i < times; ++i) {
			std::string &changed = out[next.below(out.size())];
			changed = word_list(list_)[next.below(word_list(list_).size())];
		}
		return join(out);
	}

	// <seed> <times> <bytes>
	std::string mutated(bool letters)
	{
		core::SplitMix64 next(number());
		const std::uint64_t times = number();
		std::string out = bytes();
		for (std::uint64_t i = 0; i < times; ++i) {
			char &changed = out[next.below(out.size())];
			const std::uint64_t value = next();
			changed = static_cast<char>(letters ? 'a' + value % 26 : value);
		}
		return out;
	}

	// <size> <bytes>
	std::string repeated()
	{
		const std::size_t size = number();
		const std::string pattern = bytes();
		std::string out;
		while (out.size() < size)
			out += pattern;
		out.resize(size);
		return out;
	}

	// <from> <to> <bytes>
	std::string slice()
	{
		const std::size_t from = number(), to = number();
		return bytes().substr(from, to - from);
	}

	std::istringstream rest_;
	std::string list_; // the list of the last words
};

} // namespace txtfp::test
