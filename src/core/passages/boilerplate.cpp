#include "core/passages/boilerplate.hpp"

#include <algorithm>
#include <string>

#include "core/base/hash.hpp"

namespace txtfp::core {

std::vector<ChosenGram> chosen_grams(std::string_view canonical, const WinnowOptions &options, StopToken stop)
{
	std::vector<WordRange> words;
	TokenizerSpec spec;
	spec.segmenter = options.segmenter;
	const auto sink = [&](Tokens tokens) {
		for (const std::string_view token : tokens) {
			const auto start = static_cast<std::size_t>(token.data() - canonical.data());
			words.push_back({start, start + token.size()});
		}
	};
	for_each_token(canonical, spec, sink, stop);
	std::vector<ChosenGram> chosen;
	if (words.empty())
		return chosen;
	const std::size_t k = std::min<std::size_t>(options.gram(), words.size());
	std::vector<std::uint64_t> hashes(words.size() - k + 1);
	std::string gram;
	for (std::size_t i = 0; i < hashes.size(); ++i) {
		if ((i & 0xFFF) == 0)
			stop.check();
		gram.clear();
		for (std::size_t j = i; j < i + k; ++j) {
			if (j > i)
				gram += ' ';
			gram += canonical.substr(words[j].start, words[j].end - words[j].start);
		}
		hashes[i] = xxh3_64(gram.data(), gram.size(), 0);
	}
	for (const std::uint32_t place : winnow_places(hashes, options.window()))
		chosen.push_back({hashes[place], place, static_cast<std::uint32_t>(k), words[place].start, words[place + k - 1].end});
	return chosen;
}

std::vector<GramRun> runs_among(std::span<const ChosenGram> grams, std::span<const std::uint64_t> fingerprints)
{
	std::vector<GramRun> runs;
	bool in_run = false;
	for (std::size_t i = 0; i < grams.size(); ++i) {
		const bool among = std::binary_search(fingerprints.begin(), fingerprints.end(), grams[i].fingerprint);
		if (among && in_run)
			runs.back().last = i;
		else if (among)
			runs.push_back({i, i});
		in_run = among;
	}
	return runs;
}

std::vector<SourceRange> parts_among(std::string_view utf8, std::span<const std::uint64_t> fingerprints,
	const WinnowOptions &options, StopToken stop)
{
	const MappedText text(utf8, options.canonical, stop);
	const std::vector<ChosenGram> grams = chosen_grams(text.canonical(), options, stop);
	std::vector<SourceRange> parts;
	for (const GramRun &run : runs_among(grams, fingerprints)) {
		SourceRange part = text.source_of(grams[run.first].begin, grams[run.last].end);
		// runs of different passages may overlap by some words
		if (!parts.empty() && part.byte <= parts.back().byte + parts.back().bytes) {
			SourceRange &before = parts.back();
			before.bytes = std::max(before.bytes, part.byte + part.bytes - before.byte);
			before.characters = std::max(before.characters, part.character + part.characters - before.character);
		} else {
			parts.push_back(part);
		}
	}
	return parts;
}

} // namespace txtfp::core
