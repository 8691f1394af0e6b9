#include "pg/bulk/mapped_file.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csetjmp>
#include <csignal>
#include <cstring>

#include <sys/mman.h>
#include <unistd.h>

extern "C" {
#include "utils/wait_event.h"
}

namespace txtfp::pg {

struct MappedFile::Mapping {
	MemoryContextCallback at_end;
	void *bytes; // nullptr after close()
	std::size_t size;
};

namespace {

// If a mapped page cannot be read, the system sends SIGBUS to the instruction that touched it.
thread_local sigjmp_buf failed_copy;
thread_local volatile std::sig_atomic_t copying = 0;
struct sigaction previous_action;
int mappings = 0; // while there are any, SIGBUS is handled here

void handle_bus_error(int number, siginfo_t *info, void *context)
{
	if (copying != 0)
		siglongjmp(failed_copy, 1);
	if ((previous_action.sa_flags & SA_SIGINFO) != 0)
		previous_action.sa_sigaction(number, info, context);
	else if (previous_action.sa_handler != SIG_DFL && previous_action.sa_handler != SIG_IGN)
		previous_action.sa_handler(number);
	else
		(void) sigaction(SIGBUS, &previous_action, nullptr); // and the instruction fails again
}

void begin_handling()
{
	if (mappings++ > 0)
		return;
	struct sigaction action = {};
	action.sa_sigaction = handle_bus_error;
	action.sa_flags = SA_SIGINFO | SA_NODEFER; // the jump does not restore the signal mask
	(void) sigemptyset(&action.sa_mask);
	(void) sigaction(SIGBUS, &action, &previous_action);
}

void end_handling()
{
	if (--mappings == 0)
		(void) sigaction(SIGBUS, &previous_action, nullptr);
}

} // namespace

void MappedFile::open(MemoryContext context, File file, std::uint64_t size)
{
	if (sizeof(void *) < 8 || size == 0)
		return;
	auto *mapping = static_cast<Mapping *>(MemoryContextAllocZero(context, sizeof(Mapping)));
	// A file that was closed to save descriptors has none; reading a byte opens it again.
	char first;
	if (FileRead(file, &first, 1, 0, WAIT_EVENT_BUFFILE_READ) != 1)
		return;
	void *bytes = mmap(nullptr, size, PROT_READ, MAP_SHARED, FileGetRawDesc(file), 0);
	if (bytes == MAP_FAILED)
		return;
	begin_handling();
	mapping->bytes = bytes;
	mapping->size = size;
	mapping->at_end.func = unmap;
	mapping->at_end.arg = mapping;
	MemoryContextRegisterResetCallback(context, &mapping->at_end);
	mapping_ = mapping;
}

void MappedFile::unmap(void *arg)
{
	auto *mapping = static_cast<Mapping *>(arg);
	if (mapping->bytes == nullptr)
		return;
	(void) munmap(mapping->bytes, mapping->size);
	mapping->bytes = nullptr;
	end_handling();
}

void MappedFile::close()
{
	if (mapping_ != nullptr)
		unmap(mapping_);
	mapping_ = nullptr;
}

const char *MappedFile::at(std::uint64_t offset) const { return static_cast<const char *>(mapping_->bytes) + offset; }

bool MappedFile::copy(std::uint64_t offset, std::size_t size, void *to) const
{
	const char *from = at(offset);
	if (sigsetjmp(failed_copy, 0) != 0) {
		copying = 0;
		errno = EIO;
		return false;
	}
	copying = 1;
	std::atomic_signal_fence(std::memory_order_seq_cst); // the copy stays between the two
	memcpy(to, from, size);
	std::atomic_signal_fence(std::memory_order_seq_cst);
	copying = 0;
	return true;
}

void MappedFile::advise(std::uint64_t begin, std::uint64_t end, int advice) const
{
	const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
	begin = begin / page * page;
	end = std::min<std::uint64_t>(end, mapping_->size);
	if (begin < end)
		(void) madvise(static_cast<char *>(mapping_->bytes) + begin, end - begin, advice);
}

void MappedFile::prefetch(std::uint64_t begin, std::size_t size) const { advise(begin, begin + size, MADV_WILLNEED); }

// A page that is still needed is mapped again.
void MappedFile::release(std::uint64_t begin, std::uint64_t end) const { advise(begin, end, MADV_DONTNEED); }

} // namespace txtfp::pg
