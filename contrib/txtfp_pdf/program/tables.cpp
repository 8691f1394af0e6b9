#include "tables.hpp"

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <unordered_map>

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace txtfp::pdf {

namespace {

struct Mapped {
	void *bytes;
	std::size_t size;
};

std::unordered_map<std::string, Mapped> tables;
bool mapped = false;

void map_file(const std::string &path)
{
	const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
	if (descriptor < 0)
		return;
	struct stat status;
	if (fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
		const auto size = static_cast<std::size_t>(status.st_size);
		void *bytes = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
		if (bytes != MAP_FAILED)
			tables[path] = {bytes, size};
	}
	close(descriptor);
}

FILE *open_table(const char *path, const char *mode)
{
	const auto found = tables.find(path);
	if (found == tables.end() || mode[0] != 'r') {
		errno = EACCES;
		return nullptr;
	}
	return fmemopen(found->second.bytes, found->second.size, "r");
}

} // namespace

void map_tables(const std::string &folder)
{
	namespace fs = std::filesystem;
	std::error_code none;
	for (const fs::directory_entry &entry : fs::recursive_directory_iterator(folder, none))
		if (entry.is_regular_file(none))
			map_file(entry.path().string());
	mapped = true;
}

} // namespace txtfp::pdf

// libpoppler calls this instead of the C library's function.
extern "C" FILE *fopen(const char *path, const char *mode)
{
	using Function = FILE *(const char *, const char *);
	if (txtfp::pdf::mapped)
		return txtfp::pdf::open_table(path, mode);
	static const auto original = reinterpret_cast<Function *>(dlsym(RTLD_NEXT, "fopen"));
	return original(path, mode);
}
