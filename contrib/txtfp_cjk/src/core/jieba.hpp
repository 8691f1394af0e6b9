// The segmentation of jieba (github.com/messense/jieba-rs 0.9.0), without and with its hidden Markov model.
//
// The text is split into blocks of the characters of is_block_character(); every other character is a token. A block
// is cut on the most probable path through the words of the dictionary, computed from right to left:
//   R[n] = 0,  R[i] = max over the words from i to j of weight(word) + R[j],  weight = ln(frequency) - ln(sum of all),
// in doubles; on a tie the longer word wins. Where no word begins, one character of frequency 1 is assumed. Afterwards,
// without the model, runs of single ASCII letters and digits are joined; with it, the model cuts runs of single
// characters (cut_unknown).
// Memory: 3 bytes per character of the longest block, and 2 more with the model.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/dictionary.hpp"
#include "core/segmenter.hpp"
#include "core/trie.hpp"

namespace txtfp::cjk {

constexpr std::size_t jieba_longest_word = 16; // characters

// States of the model, in jieba's order: on a tie the greater state wins.
enum JiebaState : std::uint8_t { state_b, state_e, state_m, state_s, jieba_states };
constexpr char32_t first_emission = 0x4E00, last_emission = 0x9FD5;
constexpr double impossible = -3.14e100;

struct JiebaDictionary {
	enum Sections { section_pages, section_entries, section_nodes, section_weights, section_emissions };

	JiebaDictionary() = default;
	explicit JiebaDictionary(const Dictionary &file) noexcept;

	CharacterTable characters{};
	Trie trie;                       // value: index of weights
	const double *weights = nullptr; // weights[0] is that of frequency 1
	const double (*emissions)[jieba_states] = nullptr;
};

constexpr bool is_ascii_letter_or_digit(char c) noexcept
{
	return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

constexpr bool is_block_character(char32_t c) noexcept
{
	if (c < 0x80)
		return is_ascii_letter_or_digit(static_cast<char>(c)) || c == '+' || c == '#' || c == '&' || c == '.' ||
			c == '_' || c == '%' || c == '-';
	return (c >= 0x3400 && c <= 0x4DBF) || (c >= 0x4E00 && c <= 0x9FFF) || (c >= 0xF900 && c <= 0xFAFF) ||
		(c >= 0x20000 && c <= 0x2A6DF) || (c >= 0x2A700 && c <= 0x2EBEF) || (c >= 0x2F800 && c <= 0x2FA1F);
}

constexpr bool has_emissions(char32_t c) noexcept { return c >= first_emission && c <= last_emission; }

class Jieba final : public Segmenter {
public:
	Jieba(const JiebaDictionary &dictionary, bool with_model) noexcept
		: dictionary_(dictionary), with_model_(with_model)
	{
	}

protected:
	std::size_t unit(std::string_view text, bool last) const noexcept override;
	void cut(std::string_view unit, const core::StopToken &stop) override;
	void trim() noexcept override
	{
		Segmenter::trim(codes_);
		Segmenter::trim(route_);
		Segmenter::trim(came_from_);
		Segmenter::trim(states_);
	}

private:
	const char *read_block(const char *p, const char *end, const core::StopToken &stop);
	void find_route(const core::StopToken &stop);
	void join_single_ascii(const char *block);
	void cut_unknown_runs(const char *block, const core::StopToken &stop);
	void cut_unknown(std::string_view run, std::size_t characters, const core::StopToken &stop);
	void cut_other(std::string_view run);
	void viterbi(std::string_view run, const core::StopToken &stop);
	bool is_word(std::string_view word) const noexcept;

	JiebaDictionary dictionary_;
	bool with_model_;
	std::vector<std::uint16_t> codes_;    // of the block's characters
	std::vector<std::uint8_t> route_;     // length in characters of the word that begins at each character
	std::vector<std::uint8_t> came_from_; // viterbi: 2 bits per state
	std::vector<std::uint8_t> states_;
};

} // namespace txtfp::cjk
