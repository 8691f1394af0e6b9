// The pattern of "Replace" and "Split": a string, or a regular expression. The engine is Oniguruma with the syntax of
// Ruby, because the package `tokenizers` uses it, too: any other engine differs in the details (white space, case,
// empty matches).
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "program/base/json.hpp"

// Oniguruma's type, whose header only pattern.cpp needs
struct re_pattern_buffer;

namespace txtfp::embed {

struct Match {
	std::size_t start, end;
};

class Pattern {
public:
	// {"String": "…"} or {"Regex": "…"}. Throws Failure(config).
	Pattern(json::Element settings, const std::string &where);
	static Pattern of_regex(std::string_view regex, const std::string &where);

	// All matches, from left to right; they do not overlap, and may be empty. Throws Failure(tokenizer) if the search
	// needs too many steps.
	std::vector<Match> matches(std::string_view text) const;

private:
	struct Release {
		void operator()(re_pattern_buffer *regex) const noexcept;
	};

	Pattern() = default;
	void compile(std::string_view regex, const std::string &where);

	std::string literal_; // if there is no regular expression
	std::unique_ptr<re_pattern_buffer, Release> regex_;
};

} // namespace txtfp::embed
