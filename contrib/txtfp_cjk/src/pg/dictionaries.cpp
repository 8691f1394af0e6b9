#include "pg/dictionaries.hpp"

#include <cerrno>

#include <unistd.h>

#include "core/text/cjk.hpp"

extern "C" {
#include "funcapi.h"
#include "utils/builtins.h"
#include "utils/tuplestore.h"
}

namespace txtfp::cjk {

namespace {

// Copies a string literal as a C string.
const char *c_string(std::string_view literal) { return pnstrdup(literal.data(), literal.size()); }

const char *digits(const core::Hash128 &checksum) { return pnstrdup(checksum_digits(checksum).data(), 32); }

const char *tokenizers_of(int dictionary)
{
	const char *list = nullptr;
	for (int tokenizer = 0; tokenizer < TXTFP_CJK_TOKENIZERS; ++tokenizer) {
		if (dictionary_of(tokenizer) != dictionary)
			continue;
		const char *const name = c_string(core::cjk_names[tokenizer]);
		list = list == nullptr ? name : psprintf("%s, %s", list, name);
	}
	return list;
}

[[noreturn]] void report(OpenError error, int dictionary, const char *path)
{
	const DictionaryName &name = dictionary_name(dictionary);
	switch (error) {
	case OpenError::missing:
		ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_FILE), errmsg("dictionary \"%s\" is not installed", c_string(name.name)),
				errdetail("There is no file \"%s\".", path),
				errhint("Build and install the extension txtfp_cjk with it: make DICTIONARIES=%s install.",
					c_string(name.name))));
	case OpenError::unreadable:
		ereport(ERROR, (errcode_for_file_access(), errmsg("could not read dictionary file \"%s\": %m", path)));
	case OpenError::damaged:
		ereport(ERROR,
			(errcode(ERRCODE_DATA_CORRUPTED), errmsg("dictionary file \"%s\" is damaged", path),
				errdetail("Its content and its checksum do not fit."),
				errhint("Install the extension txtfp_cjk again.")));
	default:
		ereport(ERROR,
			(errcode(ERRCODE_DATA_CORRUPTED),
				errmsg("dictionary file \"%s\" is not the dictionary \"%s\"", path, c_string(name.name)),
				errdetail("The checksum must be %s.", digits(name.checksum)),
				errhint("Install the extension txtfp_cjk again.")));
	}
	pg_unreachable();
}

} // namespace

const char *dictionary_path(int dictionary)
{
	char share[MAXPGPATH];
	get_share_path(my_exec_path, share);
	return psprintf("%s/txtfp_cjk/%s.dict", share, c_string(dictionary_name(dictionary).name));
}

void require_dictionary(int dictionary)
{
	if (cjk::dictionary(dictionary).is_open())
		return;
	const char *const path = dictionary_path(dictionary);
	const OpenError error = open_dictionary(dictionary, path);
	if (error != OpenError::none)
		report(error, dictionary, path);
}

} // namespace txtfp::cjk

using namespace txtfp;

// Returns (dictionary, tokenizers, edition, licence, checksum, installed, words, entries, bytes) of every dictionary.
// It opens those that are installed, so it also verifies them.
TXTFP_FUNCTION(txtfp_cjk_info)
{
	enum { name, tokenizers, edition, licence, checksum, installed, words, entries, bytes, columns };
	InitMaterializedSRF(fcinfo, 0);
	auto *result = reinterpret_cast<ReturnSetInfo *>(fcinfo->resultinfo);
	for (int i = 0; i < cjk::dictionaries; ++i) {
		const cjk::DictionaryName &known = cjk::dictionary_name(i);
		Datum values[columns] = {};
		bool nulls[columns] = {};
		const char *const path = cjk::dictionary_path(i);
		const bool is_installed = cjk::dictionary(i).is_open() || access(path, F_OK) == 0 || errno != ENOENT;
		if (is_installed)
			cjk::require_dictionary(i);
		values[name] = CStringGetTextDatum(cjk::c_string(known.name));
		values[tokenizers] = CStringGetTextDatum(cjk::tokenizers_of(i));
		values[edition] = CStringGetTextDatum(cjk::c_string(known.edition));
		values[licence] = CStringGetTextDatum(cjk::c_string(known.licence));
		values[checksum] = CStringGetTextDatum(cjk::digits(known.checksum));
		values[installed] = BoolGetDatum(is_installed);
		nulls[words] = nulls[entries] = nulls[bytes] = !is_installed;
		if (is_installed) {
			const cjk::DictionaryHeader &header = cjk::dictionary(i).header();
			values[words] = Int64GetDatum(static_cast<int64>(header.words));
			values[entries] = Int64GetDatum(static_cast<int64>(header.rows));
			values[bytes] = Int64GetDatum(static_cast<int64>(header.file_size));
		}
		tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
	}
	PG_RETURN_NULL();
}
