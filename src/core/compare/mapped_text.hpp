// A text in canonical form that can map each of its parts back to the source.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "core/base/error.hpp"
#include "core/text/canonical.hpp"
#include "core/text/text_buffer.hpp"

namespace txtfp::core {

struct SourceRange {
	std::size_t byte, bytes;           // counted from 0
	std::size_t character, characters; // code points, counted from 0
};

// Memory: the canonical text, and one mark per 64 bytes of source or more. The source must outlive the object.
class MappedText {
public:
	// `source` is valid UTF-8.
	MappedText(std::string_view source, const CanonicalOptions &options, StopToken stop = {});

	std::string_view canonical() const noexcept { return canonical_; }

	// The smallest range of the source, in whole grapheme clusters, whose canonical form contains the bytes [begin,
	// end) of canonical(); begin < end. A character whose canonical form has several bytes is in the range if any of
	// them is. The canonical form of U+FDFA, for example, is four words; the range of each of them is the whole
	// character. Characters that compose or are reordered with each other count as one.
	SourceRange source_of(std::size_t begin, std::size_t end) const;

private:
	// A position up to which both texts are complete: canonicalizing the rest of the source separately gives the rest.
	struct Mark {
		std::size_t canonical, source, character;
		bool is_same = false; // true: the piece that begins here is ASCII and keeps its length
	};

	std::size_t settle(std::size_t from, std::size_t step);
	Mark place(std::size_t canonical_byte, bool behind) const;
	Mark place_in(const Mark &mark, std::size_t canonical_byte, bool behind) const;
	Mark place_among(const Mark &begin, const Mark &end, std::size_t canonical_byte, bool behind) const;

	std::string_view source_;
	Canonicalizer canonicalizer_;
	StopToken stop_;
	TextBuffer canonical_;
	std::vector<Mark> marks_; // ascending; the last one is the end of the text
};

} // namespace txtfp::core
