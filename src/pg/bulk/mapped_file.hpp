// A temporary file mapped into memory, so that reading sketches in many places takes no system call.
#pragma once

#include <cstddef>
#include <cstdint>

#include "pg/base/guard.hpp"

extern "C" {
#include "storage/fd.h"
}

namespace txtfp::pg {

class MappedFile {
public:
	// Maps the first `size` bytes, which must have been written. Maps nothing if addresses have 32 bits or the system
	// refuses: the caller then reads the file. The mapping ends with close(), or with the context.
	void open(MemoryContext context, File file, std::uint64_t size);
	void close();
	bool is_open() const { return mapping_ != nullptr; }
	const char *at(std::uint64_t offset) const; // to be prefetched; only copy() may read it
	// False, and errno is EIO, if the bytes cannot be read. Touching them directly would end the server with SIGBUS.
	bool copy(std::uint64_t offset, std::size_t size, void *to) const;
	void prefetch(std::uint64_t begin, std::size_t size) const; // these bytes will be copied soon
	// These bytes no longer count as memory of the process, until they are copied again.
	void release(std::uint64_t begin, std::uint64_t end) const;

private:
	struct Mapping;
	static void unmap(void *mapping);
	void advise(std::uint64_t begin, std::uint64_t end, int advice) const;

	Mapping *mapping_ = nullptr; // in the context
};

} // namespace txtfp::pg
