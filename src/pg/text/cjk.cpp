#include "pg/text/cjk.hpp"

#include "core/text/cjk.hpp"
#include "pg/base/pg.hpp"

extern "C" {
#include "commands/extension.h"
}

namespace txtfp::pg {

namespace {

constexpr const char *extension = "txtfp_cjk";

// The extension must be in the catalog, not only its library on the disk: what a database can do is seen in its
// catalog, and the dump of one that uses the tokenizers creates the extension before its tables.
const TxtfpCjkInterface *find_interface(int tokenizer)
{
	const std::string_view name = core::cjk_names[tokenizer];
	if (!OidIsValid(get_extension_oid(extension, true)))
		ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_OBJECT),
				errmsg(
					"tokenizer \"%.*s\" needs the extension %s", static_cast<int>(name.size()), name.data(), extension),
				errhint("Use CREATE EXTENSION %s to install it in this database.", extension)));
	void *const function =
		reinterpret_cast<void *>(load_external_function("$libdir/txtfp_cjk", "txtfp_cjk_interface", true, nullptr));
	const TxtfpCjkInterface *const interface = reinterpret_cast<TxtfpCjkInterfaceFunction>(function)();
	if (interface->abi != TXTFP_CJK_ABI)
		ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				errmsg("the libraries of txtfp and %s are incompatible", extension),
				errdetail("txtfp calls interface %d, %s has interface %u.", TXTFP_CJK_ABI, extension, interface->abi),
				errhint("Install both from the same release, and reconnect.")));
	return interface;
}

} // namespace

void prepare_cjk(int tokenizer)
{
	const TxtfpCjkInterface *interface = core::cjk_interface();
	if (interface == nullptr)
		interface = find_interface(tokenizer);
	interface->prepare(tokenizer);
	core::set_cjk_interface(interface);
}

} // namespace txtfp::pg
