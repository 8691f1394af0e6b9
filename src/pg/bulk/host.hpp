// What the joins of the core get from the server: memory of a context, and temporary files that count for
// temp_file_limit, lie in temp_tablespaces and end with the transaction.
#pragma once

#include "core/join/host.hpp"
#include "pg/bulk/progress.hpp"

namespace txtfp::pg {

// Lives as long as the context. `progress` may be nullptr.
core::JoinHost &make_host(MemoryContext context, Progress *progress = nullptr);
// `host` was made by make_host. While its files are shared, other threads of the process may read them and write what is reserved; the caller may
// not.
void share_files(core::JoinHost &host, bool shared);

} // namespace txtfp::pg
