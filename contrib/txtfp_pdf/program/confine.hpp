// The program gives up its rights in two steps, both before it looks at the file.
#pragma once

#include <cstddef>

#include <sys/types.h>

namespace txtfp::pdf {

// First: no inherited descriptors but 0, 1 and 2; dies with its parent; the first that the kernel kills when memory runs
// out; limits of memory (bytes of address space) and processor time (seconds); no core file, no writing to files.
// Throws std::system_error. False if the parent is gone already.
bool limit(pid_t parent, std::size_t memory, unsigned seconds);

// Second, when all that is needed is loaded: opens nothing any more (no file, no socket), starts no process and no program,
// makes no memory executable. What is left is to compute, to read, to write and to end. Throws std::system_error.
void confine();

} // namespace txtfp::pdf
