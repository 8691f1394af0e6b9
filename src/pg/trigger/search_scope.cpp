#include "pg/trigger/search_scope.hpp"

#include "pg/base/local_setting.hpp"

extern "C" {
#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/guc.h"
}

namespace txtfp::pg {

int enter_search_settings()
{
	// With these settings, a plan uses an index even if it is made while the table is empty, and the index returns every row that it finds. Joins
	// have few rows on both sides.
	constexpr const char *settings[][2] = {{"enable_seqscan", "off"}, {"enable_bitmapscan", "on"},
		{"enable_hashjoin", "off"}, {"enable_mergejoin", "off"}, {"jit", "off"}, {"plan_cache_mode", "auto"},
		{"gin_fuzzy_search_limit", "0"}, {"txtfp.sketch_recall", "-1"}};
	const int level = NewGUCNestLevel();
	for (const auto &[name, value] : settings)
		set_locally(name, value);
	return level;
}

SearchScope enter_search_scope(Oid owner)
{
	SearchScope scope{};
	GetUserIdAndSecContext(&scope.user, &scope.security);
	SetUserIdAndSecContext(owner, scope.security | SECURITY_LOCAL_USERID_CHANGE | SECURITY_NOFORCE_RLS);
	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");
	scope.settings = enter_search_settings();
	return scope;
}

void leave_search_scope(const SearchScope &scope)
{
	AtEOXact_GUC(true, scope.settings);
	SPI_finish();
	SetUserIdAndSecContext(scope.user, scope.security);
}

} // namespace txtfp::pg
