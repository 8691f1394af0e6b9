// pdf_to_text, and the entry points of a module: the magic block, _PG_init and the configuration parameters.
#include <climits>

#include "pg/base/guard.hpp"
#include "pg/base/module_magic.hpp"
#include "pg/base/text_arg.hpp"
#include "pg/extractor.hpp"

extern "C" {
#include "access/detoast.h"
#include "utils/guc.h"
}

static int max_memory = 1024;
static int max_pages = 10000;
static int max_text = 256;

// The limits protect the server, so only superusers may change them.
void _PG_init(void)
{
	txtfp::pg::throw_once();
	DefineCustomIntVariable("txtfp_pdf.max_memory", "Address space that the program which reads a PDF file may take.",
		"Libraries, the file and what it unfolds to, together.", &max_memory, 1024, 128, 1024 * 1024, PGC_SUSET,
		GUC_UNIT_MB, nullptr, nullptr, nullptr);
	DefineCustomIntVariable("txtfp_pdf.max_pages", "Pages that a PDF file may have.", nullptr, &max_pages, 10000, 1,
		INT_MAX, PGC_SUSET, 0, nullptr, nullptr, nullptr);
	DefineCustomIntVariable("txtfp_pdf.max_text", "Text that a PDF file may give.", nullptr, &max_text, 256, 1, 1023,
		PGC_SUSET, GUC_UNIT_MB, nullptr, nullptr, nullptr);
	MarkGUCPrefixReserved("txtfp_pdf");
}

namespace txtfp::pg {

// Checks the size before the value is detoasted.
static void check_arguments(Datum pdf, int max_bytes, int timeout_secs)
{
	constexpr int max_timeout = 24 * 60 * 60;
	if (max_bytes < 0)
		ereport(
			ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("max_bytes must not be negative: %d", max_bytes)));
	if (timeout_secs < 1 || timeout_secs > max_timeout)
		ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				errmsg("timeout_secs must be from 1 to %d: %d", max_timeout, timeout_secs)));
	const Size size = toast_raw_datum_size(pdf) - VARHDRSZ;
	if (size > static_cast<Size>(max_bytes))
		ereport(ERROR,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				errmsg("pdf input (%zu bytes) exceeds %d-byte cap", size, max_bytes)));
}

// Converts UTF-8 after VARHDRSZ unused bytes to a value of the database encoding.
static text *finished(const StringInfoData &answer)
{
	const std::string_view utf8(answer.data + VARHDRSZ, static_cast<std::size_t>(answer.len - VARHDRSZ));
	const std::string_view converted = from_utf8(utf8);
	if (converted.data() != utf8.data())
		return make_text(converted);
	SET_VARSIZE(answer.data, answer.len);
	return reinterpret_cast<text *>(answer.data);
}

} // namespace txtfp::pg

TXTFP_FUNCTION(txtfp_pdf_to_text)
{
	using namespace txtfp::pg;
	const int max_bytes = PG_GETARG_INT32(1), timeout_secs = PG_GETARG_INT32(2);
	check_arguments(PG_GETARG_DATUM(0), max_bytes, timeout_secs);
	bytea *file = PG_GETARG_BYTEA_PP(0);
	const StringInfoData answer =
		extract(VARDATA_ANY(file), VARSIZE_ANY_EXHDR(file), {timeout_secs, max_memory, max_pages, max_text});
	PG_FREE_IF_COPY(file, 0);
	PG_RETURN_TEXT_P(finished(answer));
}
