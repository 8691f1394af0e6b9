// Inverse document frequencies of the tokens of a corpus: the table that Weighting::idf takes.
//   idf(t) = ln((1 + N) / (1 + df(t))) + 1, for N documents; df(t) of them have the token t
// Smoothed as if one more document had every token: a token of all documents weighs 1, as one that is in no table does.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "core/base/table_hash.hpp"
#include "core/text/canonical.hpp"
#include "core/text/tokens.hpp"

namespace txtfp::core {

// Replaces \u{hex digits}, which stands for a character that the encoding of a database does not have, by that
// character.
// Other text is not changed.
std::string without_escapes(std::string_view key);

float idf(std::uint64_t documents, std::uint64_t document_frequency) noexcept;

// Memory: the distinct tokens of the corpus.
class DocumentFrequencies {
public:
	struct Entry {
		std::uint64_t documents = 0;
		std::uint64_t last = 0; // the document that counted last, from 1
	};
	using Entries = std::unordered_map<std::string, Entry, TableHash, std::equal_to<>>; // by canonical token

	void add(
		std::string_view utf8, const CanonicalOptions &canonical, const TokenizerSpec &tokenizer, StopToken stop = {});

	std::uint64_t documents() const noexcept { return documents_; }
	const Entries &entries() const noexcept { return entries_; }

private:
	Entries entries_;
	std::uint64_t documents_ = 0;
};

} // namespace txtfp::core
