// The pattern of "Replace" and "Split": a string, or one of the few regular expressions in files of SentencePiece
// models: one character or \s, repeated: "x", "x+", "x{n,}". Any other is an error when the file is loaded.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "program/base/json.hpp"

namespace txtfp::embed {

struct Match {
	std::size_t start, end; // start == end == npos if there is none
	bool found() const noexcept { return start != std::string_view::npos; }
};

class Pattern {
public:
	// {"String": "…"} or {"Regex": "…"}
	Pattern(json::Element settings, const std::string &where);

	Match next(std::string_view text, std::size_t from) const;

private:
	void parse(std::string_view regex, const std::string &where);
	std::size_t atom_length(std::string_view rest) const; // 0: no match here

	std::string literal_;      // the string, or the repeated character
	bool white_space_ = false; // repeats \s instead
	std::size_t least_ = 1;    // least number of repetitions
	bool repeated_ = false;    // matches all further repetitions
};

} // namespace txtfp::embed
