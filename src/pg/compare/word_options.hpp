// What the functions that compare texts word by word have in common: their options, positions, and texts that they put
// together.
#pragma once

#include <string_view>

#include "core/compare/mapped_text.hpp"
#include "core/text/tokens.hpp"
#include "pg/base/call_site.hpp"
#include "pg/text/options.hpp"

extern "C" {
#include "mb/pg_wchar.h"
}

namespace txtfp::pg {

class WordOptions {
public:
	const core::CanonicalOptions &canonicalizer(std::string_view text) { return canonicalizer_(text); }

	// `what`: what would be made of shingles, for the message.
	core::Segmenter segmenter(std::string_view text, const char *what)
	{
		const core::TokenizerSpec &spec = tokenizer_(text);
		if (spec.depth > 0)
			ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("%s cannot be made of shingles, as in tokenizer \"%s\"", what, pg::abbreviated(text)),
					errhint("Use a tokenizer without shingles, such as \"word-uax29\".")));
		return spec.segmenter;
	}

private:
	ParsedOption<canonicalizer_option> canonicalizer_;
	ParsedOption<tokenizer_option> tokenizer_;
};

// A position and a length as substring() counts them: characters, or bytes in a database whose encoding is SQL_ASCII.
struct Place {
	int start, length;
};
inline Place place(const core::SourceRange &range)
{
	if (GetDatabaseEncoding() == PG_SQL_ASCII)
		return {static_cast<int>(range.byte) + 1, static_cast<int>(range.bytes)};
	return {static_cast<int>(range.character) + 1, static_cast<int>(range.characters)};
}

// Appends to a text that becomes a result. Checks its size before it copies. Throws; to be called inside guarded().
inline void append_part(core::TextBuffer &result, std::string_view bytes)
{
	constexpr std::size_t most = std::size_t{1} << 30;
	if (bytes.size() > most || result.size() > most - bytes.size())
		throw core::Error(core::ErrorKind::too_large, "result text would exceed 1 GB");
	result.append(bytes);
}

} // namespace txtfp::pg
