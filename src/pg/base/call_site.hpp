// State that a function keeps between the calls of one call site, in flinfo->fn_extra.
#pragma once

#include <new>
#include <type_traits>

#include "pg/base/pg.hpp"

namespace txtfp::pg {

// The T of this call site, default-constructed in the first call. It lives as long as the query's FmgrInfo; no
// destructor runs.
template <class T> T &call_site(FunctionCallInfo fcinfo)
{
	static_assert(std::is_trivially_destructible_v<T> && std::is_nothrow_default_constructible_v<T>);
	FmgrInfo *flinfo = fcinfo->flinfo;
	if (flinfo->fn_extra == nullptr)
		flinfo->fn_extra = new (MemoryContextAlloc(flinfo->fn_mcxt, sizeof(T))) T{};
	return *static_cast<T *>(flinfo->fn_extra);
}

} // namespace txtfp::pg
