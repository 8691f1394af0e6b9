#include "pg/trigger/search_scope.hpp"

#include "pg/base/local_setting.hpp"

extern "C" {
#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/guc.h"
}

namespace txtfp::pg {

namespace {

void set_search_settings()
{
	// With these settings, a plan uses an index even if it is made while the table is empty, and the index returns
	// every row that it finds. Joins have few rows on both sides.
	constexpr const char *settings[][2] = {{"enable_seqscan", "off"}, {"enable_bitmapscan", "on"},
		{"enable_hashjoin", "off"}, {"enable_mergejoin", "off"}, {"jit", "off"}, {"plan_cache_mode", "auto"},
		{"gin_fuzzy_search_limit", "0"}, {"txtfp.sketch_recall", "-1"}};
	for (const auto &[name, value] : settings)
		set_locally(name, value);
}

} // namespace

int enter_search_settings()
{
	const int level = NewGUCNestLevel();
	set_search_settings();
	return level;
}

SearchScope enter_search_scope(Oid table)
{
	const SearchScope scope = enter_owned_table(table, SECURITY_NOFORCE_RLS);
	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");
	set_search_settings();
	return scope;
}

void leave_search_scope(const SearchScope &scope)
{
	SPI_finish();
	leave_owned_table(scope);
}

} // namespace txtfp::pg
