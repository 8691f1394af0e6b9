// cjk_tokenizer: returns its argument, the name of a tokenizer of this extension or of shingles of one.
#include <algorithm>

#include "core/text/cjk.hpp"
#include "pg/base/guard.hpp"

extern "C" {
#include "mb/pg_wchar.h"
#include "utils/builtins.h"
}

using namespace txtfp;

TXTFP_FUNCTION(txtfp_cjk_tokenizer)
{
	text *argument = PG_GETARG_TEXT_PP(0);
	const std::string_view name(VARDATA_ANY(argument), VARSIZE_ANY_EXHDR(argument));
	const std::string_view innermost = name.substr(name.rfind('/') + 1);
	if (std::find(std::begin(core::cjk_names), std::end(core::cjk_names), innermost) == std::end(core::cjk_names)) {
		const int shown = pg_mbcliplen(name.data(), static_cast<int>(name.size()), 60);
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				errmsg("\"%.*s%s\" is no tokenizer of txtfp_cjk", shown, name.data(),
					shown < static_cast<int>(name.size()) ? "..." : ""),
				errhint("Its tokenizers are \"cjk-jieba\", \"cjk-jieba-hmm\", \"cjk-lindera-ipadic\" and "
						"\"cjk-lindera-ko-dic\", also in shingles, such as \"shingle-k=3/cjk-jieba\".")));
	}
	PG_RETURN_TEXT_P(argument);
}
