// A text in canonical form that knows where each part of it came from.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "core/base/error.hpp"
#include "core/text/canonical.hpp"
#include "core/text/text_buffer.hpp"

namespace txtfp::core {

struct SourceRange {
	std::size_t byte, bytes;           // from 0
	std::size_t character, characters; // code points, from 0
};

// Memory: the canonical text, and a mark for every 64 bytes or more. The source must outlive it.
class MappedText {
public:
	// `source`: valid UTF-8
	MappedText(std::string_view source, const CanonicalOptions &options, StopToken stop = {});

	std::string_view canonical() const noexcept { return canonical_; }

	// The smallest range of the source, in whole characters with their combining marks (grapheme clusters), whose canonical
	// form has the bytes [begin, end) of canonical() in it; begin < end. A character that gives several bytes is in the range if
	// any of them is: of U+FDFA, whose canonical form is four words, the range of each word is the whole character. Characters
	// that compose or change their order only together are taken together.
	SourceRange source_of(std::size_t begin, std::size_t end) const;

private:
	// Both texts are settled up to here: canonicalizing what follows by itself gives the rest.
	struct Mark {
		std::size_t canonical, source, character;
		bool is_same = false; // the piece that begins here is ASCII and stands in the canonical text byte by byte
	};

	std::size_t settle(std::size_t from, std::size_t step);
	Mark place(std::size_t canonical_byte, bool behind) const;
	Mark place_in(const Mark &mark, std::size_t canonical_byte, bool behind) const;
	Mark place_among(const Mark &begin, const Mark &end, std::size_t canonical_byte, bool behind) const;

	std::string_view source_;
	Canonicalizer canonicalizer_;
	StopToken stop_;
	TextBuffer canonical_;
	std::vector<Mark> marks_; // ascending; the last one is the end
};

} // namespace txtfp::core
