// The C interface that txtfp calls, see core/text/cjk_interface.h.
#include "core/interface.hpp"
#include "core/text/cjk.hpp"
#include "pg/base/guard.hpp"
#include "pg/base/module_magic.hpp"
#include "pg/dictionaries.hpp"

extern "C" {
extern PGDLLEXPORT const TxtfpCjkInterface *txtfp_cjk_interface(void);
}

using namespace txtfp;

void _PG_init(void) { pg::throw_once(); }

namespace {

void prepare(int tokenizer) { cjk::require_dictionary(cjk::dictionary_of(tokenizer)); }

constexpr TxtfpCjkInterface interface = {
	TXTFP_CJK_ABI, prepare, cjk::txtfp_cjk_create, cjk::txtfp_cjk_destroy, cjk::txtfp_cjk_next};

} // namespace

const TxtfpCjkInterface *txtfp_cjk_interface(void) { return &interface; }
