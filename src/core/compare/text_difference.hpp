// How one text becomes another: the differences in order, with their kinds. Every character of both texts is in exactly
// one difference or one equal run between two of them, and replacing the differences in a gives b to the byte.
//
// Words are aligned first (aligned_words.hpp). Where the words of a part differ, word for word if there are equally
// many and few of them, the difference has the strongest kind of its words; what stands between its words is part of
// it. Between equal words, the characters that are no words are compared. A run of `moved_words` words or more that is
// missing here and stands elsewhere in the other text is moved: that is two differences, a deletion and an insertion.
// Time: linear in both texts beyond the size up to which the alignment is minimal.
#pragma once

#include <string_view>
#include <vector>

#include "core/compare/mapped_text.hpp"
#include "core/compare/word_traits.hpp"

namespace txtfp::core {

struct Difference {
	DifferenceKind kind;
	SourceRange a, b; // an insertion has an empty range in a, a deletion in b: the place where it belongs
};

constexpr std::uint32_t moved_words = 4;  // least length of a moved run
constexpr std::uint32_t paired_words = 4; // up to this many words are replaced word for word

// a and b are valid UTF-8.
std::vector<Difference> text_difference(std::string_view a, std::string_view b, const CanonicalOptions &canonical,
	Segmenter segmenter = Segmenter::word, StopToken stop = {});

} // namespace txtfp::core
