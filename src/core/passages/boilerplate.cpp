#include "core/passages/boilerplate.hpp"

#include <algorithm>
#include <string>

#include "core/base/hash.hpp"

namespace txtfp::core {

namespace {

// Tests for membership in the frequent fingerprints. A bitmap of 16 bits of each hash rejects most hashes of a document
// without frequent passages before the binary search.
class Filter {
public:
	explicit Filter(std::span<const std::uint64_t> fingerprints) : fingerprints_(fingerprints)
	{
		for (const std::uint64_t fingerprint : fingerprints)
			seen_[(fingerprint & 0xFFFF) >> 6] |= std::uint64_t{1} << (fingerprint & 63);
	}
	bool has(std::uint64_t hash) const noexcept
	{
		return (seen_[(hash & 0xFFFF) >> 6] >> (hash & 63) & 1) != 0 &&
			std::binary_search(fingerprints_.begin(), fingerprints_.end(), hash);
	}

private:
	std::span<const std::uint64_t> fingerprints_;
	std::uint64_t seen_[1024] = {};
};

// Consecutive grams, from gram `first` to gram `last`.
struct GramRun {
	std::uint32_t first, last;
};

} // namespace

Grams grams_of(std::string_view canonical, const WinnowOptions &options, StopToken stop)
{
	Grams grams;
	TokenizerSpec spec;
	spec.segmenter = options.segmenter;
	const auto sink = [&](Tokens tokens) {
		for (const std::string_view token : tokens) {
			const auto start = static_cast<std::size_t>(token.data() - canonical.data());
			grams.words.push_back({start, start + token.size()});
		}
	};
	for_each_token(canonical, spec, sink, stop);
	if (grams.words.empty())
		return grams;
	grams.size = std::min<std::size_t>(options.gram(), grams.words.size());
	grams.hashes.resize(grams.words.size() - grams.size + 1);
	std::string gram;
	for (std::size_t i = 0; i < grams.hashes.size(); ++i) {
		if ((i & 0xFFF) == 0)
			stop.check();
		gram.clear();
		for (std::size_t j = i; j < i + grams.size; ++j) {
			if (j > i)
				gram += ' ';
			gram += canonical.substr(grams.words[j].start, grams.words[j].end - grams.words[j].start);
		}
		grams.hashes[i] = xxh3_64(gram.data(), gram.size(), 0);
	}
	return grams;
}

std::vector<SourceRange> parts_among(
	std::string_view utf8, std::span<const std::uint64_t> fingerprints, const WinnowOptions &options, StopToken stop)
{
	const MappedText text(utf8, options.canonical, stop);
	const Grams grams = grams_of(text.canonical(), options, stop);
	const Filter filter(fingerprints);
	std::vector<GramRun> runs; // runs of grams that touch or overlap
	for (std::uint32_t gram = 0; gram < grams.hashes.size(); ++gram)
		if (filter.has(grams.hashes[gram])) {
			if (!runs.empty() && gram <= runs.back().last + grams.size)
				runs.back().last = gram;
			else
				runs.push_back({gram, gram});
		}
	std::vector<SourceRange> parts;
	for (const GramRun &run : runs) {
		const SourceRange part = text.source_of(grams.begin(run.first), grams.end(run.last));
		// Parts overlap if both contain a character whose canonical form is several words.
		if (!parts.empty() && part.byte < parts.back().byte + parts.back().bytes) {
			parts.back().bytes = part.byte + part.bytes - parts.back().byte;
			parts.back().characters = part.character + part.characters - parts.back().character;
		} else {
			parts.push_back(part);
		}
	}
	return parts;
}

} // namespace txtfp::core
