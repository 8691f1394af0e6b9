// A process that runs out of memory, to be preloaded into a server: call number n of operator new fails. $TXTFP_NEW names a file of two numbers of eight bytes
// that all processes share: n, and how many calls there have been; n = 0: none fails; n < 0: that one and all later ones.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace {

struct Shared {
	std::int64_t failing;
	std::atomic<std::int64_t> calls;
};

Shared *shared()
{
	static Shared *const mapped = [] {
		const char *name = std::getenv("TXTFP_NEW");
		const int file = name != nullptr ? open(name, O_RDWR) : -1;
		void *at = file >= 0 ? mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) : MAP_FAILED;
		if (file >= 0)
			close(file);
		return at != MAP_FAILED ? static_cast<Shared *>(at) : nullptr;
	}();
	return mapped;
}

bool fails()
{
	Shared *with = shared();
	if (with == nullptr)
		return false;
	const std::int64_t call = ++with->calls, failing = with->failing;
	return failing > 0 ? call == failing : failing < 0 && call >= -failing;
}

void *allocate(std::size_t size, std::size_t alignment)
{
	void *at = nullptr;
	if (!fails() && posix_memalign(&at, alignment < sizeof(void *) ? sizeof(void *) : alignment, size > 0 ? size : 1) == 0)
		return at;
	throw std::bad_alloc();
}

} // namespace

void *operator new(std::size_t size) { return allocate(size, alignof(std::max_align_t)); }
void *operator new[](std::size_t size) { return allocate(size, alignof(std::max_align_t)); }
void *operator new(std::size_t size, std::align_val_t alignment) { return allocate(size, static_cast<std::size_t>(alignment)); }
void *operator new[](std::size_t size, std::align_val_t alignment) { return allocate(size, static_cast<std::size_t>(alignment)); }
void operator delete(void *at) noexcept { std::free(at); }
void operator delete[](void *at) noexcept { std::free(at); }
void operator delete(void *at, std::size_t) noexcept { std::free(at); }
void operator delete[](void *at, std::size_t) noexcept { std::free(at); }
void operator delete(void *at, std::align_val_t) noexcept { std::free(at); }
void operator delete[](void *at, std::align_val_t) noexcept { std::free(at); }
void operator delete(void *at, std::size_t, std::align_val_t) noexcept { std::free(at); }
void operator delete[](void *at, std::size_t, std::align_val_t) noexcept { std::free(at); }
