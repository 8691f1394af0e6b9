// The program gives up its rights in two steps before it reads the file.
#pragma once

#include <cstddef>

#include <sys/types.h>

namespace txtfp::pdf {

// First step: no inherited descriptors but 0, 1 and 2; dies with its parent; is killed first if the kernel runs out of
// memory; limits of memory (bytes of address space) and processor time (seconds); no core file, no writing to files.
// Throws std::system_error. Returns false if the parent has already ended.
bool limit(pid_t parent, std::size_t memory, unsigned seconds);

// Second step, after everything needed is loaded: opens nothing any more (no file, no socket), starts no process and no
// program, makes no memory executable. It can still compute, read, write and exit. Throws std::system_error.
void confine();

} // namespace txtfp::pdf
