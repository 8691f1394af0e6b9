#include "core/compare/aligned_words.hpp"

#include <algorithm>
#include <cstring>

namespace txtfp::core {

namespace {

enum class Form { same, ascii, other }; // canonical already; ASCII with capitals; for the canonicalizer

Form form_of(std::string_view word, const CanonicalOptions &canonical) noexcept
{
	if (canonical.confusable)
		return Form::other;
	unsigned char all = 0;
	bool capital = false;
	for (const char c : word) {
		all |= static_cast<unsigned char>(c);
		capital |= c >= 'A' && c <= 'Z';
	}
	if (all >= 0x80)
		return Form::other;
	return capital && canonical.case_fold ? Form::ascii : Form::same;
}

} // namespace

AlignedWords::AlignedWords(
	std::string_view a, std::string_view b, const CanonicalOptions &canonical, Segmenter segmenter, StopToken stop)
{
	constexpr std::size_t most = std::size_t{1} << 31;
	if (a.size() >= most || b.size() >= most)
		throw Error(ErrorKind::too_large, "text is too long to be compared word by word");
	read(a_, a, canonical, segmenter, stop);
	read(b_, b, canonical, segmenter, stop);
	runs_ = align(a_.numbers, b_.numbers, stop);
}

void AlignedWords::read(
	TextWords &words, std::string_view text, const CanonicalOptions &canonical, Segmenter segmenter, StopToken stop)
{
	words.text = text;
	words.places.reserve(text.size() / 6 + 1);
	words.numbers.reserve(text.size() / 6 + 1);
	std::string folded;
	for_each_word(text, segmenter, stop, [&](WordRange range) {
		const std::string_view word = text.substr(range.start, range.end - range.start);
		words.places.push_back({static_cast<std::uint32_t>(range.start), static_cast<std::uint32_t>(range.end)});
		const Form form = form_of(word, canonical);
		if (form == Form::same) {
			words.numbers.push_back(numbers_.add(word));
			return;
		}
		if (form == Form::ascii) {
			folded.assign(word);
			for (char &c : folded)
				c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
		} else {
			folded.assign(canonicalize(word, canonical, stop));
		}
		words.numbers.push_back(numbers_.add(folded, [this](std::string_view bytes) { return keep(bytes); }));
	});
}

std::string_view AlignedWords::keep(std::string_view bytes)
{
	constexpr std::size_t block = 4096;
	if (bytes.empty()) // a word of format controls only
		return {};
	if (bytes.size() > block) {
		kept_.emplace_back(new char[bytes.size()]);
		free_ = 0;
		std::memcpy(kept_.back().get(), bytes.data(), bytes.size());
		return {kept_.back().get(), bytes.size()};
	}
	if (free_ < bytes.size()) {
		kept_.emplace_back(new char[block]);
		free_ = block;
	}
	char *to = kept_.back().get() + (block - free_);
	std::memcpy(to, bytes.data(), bytes.size());
	free_ -= bytes.size();
	return {to, bytes.size()};
}

} // namespace txtfp::core
