/*
 * A disk that gets full, to be preloaded into a server: files whose path contains a word cannot grow by more than some bytes
 * in one process. $TXTFP_DISK names a file that says "word bytes"; without it nothing happens. The write that does not fit
 * is done up to there, as by a real disk, and the next one fails.
 *
 * "word lost" is a disk that fails: the first such file that is mapped loses its bytes at that moment, before any of them was
 * read through the mapping, and the file $TXTFP_DISK is removed, which tells that it happened.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static long long grown;

/* Whether the path of an open file contains the word. */
static int is_meant(int fd, const char *word)
{
	char link[64], path[4096];

	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	ssize_t length = readlink(link, path, sizeof path - 1);
	path[length > 0 ? length : 0] = '\0';
	return strstr(path, word) != NULL;
}

/* What $TXTFP_DISK says: 0 if nothing. */
static int read_disk(char word[256], char what[32])
{
	const char *disk = getenv("TXTFP_DISK");
	FILE *file = disk != NULL ? fopen(disk, "r") : NULL;
	int given = 0;

	if (file != NULL) {
		given = fscanf(file, "%255s %31s", word, what);
		fclose(file);
	}
	return given == 2;
}

/* How many of `size` bytes at `offset` have room. */
static size_t fitting(int fd, size_t size, off64_t offset)
{
	int saved = errno;
	char word[256], what[32];
	struct stat64 status;
	size_t fits = size;

	if (read_disk(word, what) && strcmp(what, "lost") != 0 && fstat64(fd, &status) == 0) {
		long long growth = offset + (long long) size - status.st_size, room = atoll(what);
		if (growth > 0 && is_meant(fd, word)) {
			if (grown + growth > room) {
				long long lacking = grown + growth - room;
				fits = lacking < (long long) size ? size - (size_t) lacking : 0;
				growth -= lacking;
			}
			grown += growth > 0 ? growth : 0;
		}
	}
	errno = saved;
	return fits;
}

static ssize_t write_what_fits(int fd, const void *bytes, size_t size, off64_t offset)
{
	static ssize_t (*next)(int, const void *, size_t, off64_t);
	size_t fits = fitting(fd, size, offset);

	if (fits == 0 && size > 0) {
		errno = ENOSPC;
		return -1;
	}
	if (next == NULL)
		next = (ssize_t(*)(int, const void *, size_t, off64_t)) dlsym(RTLD_NEXT, "pwrite64");
	return next(fd, bytes, fits, offset);
}

ssize_t pwrite64(int fd, const void *bytes, size_t size, off64_t offset) { return write_what_fits(fd, bytes, size, offset); }
ssize_t pwrite(int fd, const void *bytes, size_t size, off_t offset) { return write_what_fits(fd, bytes, size, offset); }

/* Piece by piece: less than all may be written, which the caller has to expect. */
ssize_t pwritev64(int fd, const struct iovec *pieces, int n, off64_t offset)
{
	ssize_t done = 0;
	for (int i = 0; i < n; ++i) {
		ssize_t written = write_what_fits(fd, pieces[i].iov_base, pieces[i].iov_len, offset + done);
		if (written < 0)
			return done > 0 ? done : written;
		done += written;
		if ((size_t) written < pieces[i].iov_len)
			break;
	}
	return done;
}
ssize_t pwritev(int fd, const struct iovec *pieces, int n, off_t offset) { return pwritev64(fd, pieces, n, offset); }

int posix_fallocate64(int fd, off64_t offset, off64_t size)
{
	static int (*next)(int, off64_t, off64_t);

	if (fitting(fd, (size_t) size, offset) < (size_t) size)
		return ENOSPC;
	if (next == NULL)
		next = (int (*)(int, off64_t, off64_t)) dlsym(RTLD_NEXT, "posix_fallocate64");
	return next(fd, offset, size);
}
int posix_fallocate(int fd, off_t offset, off_t size) { return posix_fallocate64(fd, offset, size); }

#if UINTPTR_MAX > 0xFFFFFFFF /* where the extension maps files */
void *mmap64(void *address, size_t size, int protection, int flags, int fd, off64_t offset)
{
	void *bytes = (void *) syscall(SYS_mmap, address, size, protection, flags, fd, offset);
	int saved = errno;
	char word[256], what[32];

	if (bytes != MAP_FAILED && fd >= 0 && (flags & MAP_SHARED) != 0 && read_disk(word, what) && strcmp(what, "lost") == 0
		&& is_meant(fd, word) && ftruncate64(fd, 0) == 0)
		unlink(getenv("TXTFP_DISK"));
	errno = saved;
	return bytes;
}
void *mmap(void *address, size_t size, int protection, int flags, int fd, off_t offset) { return mmap64(address, size, protection, flags, fd, offset); }
#endif
