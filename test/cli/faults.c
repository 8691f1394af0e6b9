/*
 * A machine that runs out of something, to be preloaded into the program: the call number n of one kind fails, and with "from" all later ones do, too.
 * $TXTFP_FAULTS is "KIND n [from]"; n = 0: none fails. $TXTFP_FAULT_COUNT names a file that gets the number of calls of that kind at the end.
 *
 *   write    a disk without room: ENOSPC, for files and standard output; not for standard error. Of a "short" write half is done first.
 *   memory   malloc and its kin return NULL, once the program handles signals, which is the first that main() does; before that it is in the hands of the
 *            libraries
 *   thread   no further thread can be started
 *   read     a disk that fails: EIO
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t), *__libc_memalign(size_t, size_t);

static atomic_long calls;
static long failing;
static char kind; /* its first letter */
static int goes_on, in_main;

__attribute__((constructor)) static void begin(void)
{
	const char *given = getenv("TXTFP_FAULTS"), *number = given ? strchr(given, ' ') : NULL;

	if (number == NULL)
		return;
	failing = atol(number);
	goes_on = strstr(number, "from") != NULL;
	kind = *given;
}

__attribute__((destructor)) static void end(void)
{
	const char *name = getenv("TXTFP_FAULT_COUNT");
	char text[32];
	int file = name != NULL ? (int) syscall(SYS_openat, AT_FDCWD, name, O_WRONLY | O_CREAT | O_TRUNC, 0644) : -1;

	if (file >= 0)
		(void) syscall(SYS_write, file, text, snprintf(text, sizeof text, "%ld", (long) calls));
}

static int fails(char of)
{
	long call;

	if (kind != of || (of == 'm' && !in_main))
		return 0;
	call = ++calls;
	return failing > 0 && (goes_on ? call >= failing : call == failing);
}

static ssize_t no_room(void)
{
	errno = ENOSPC;
	return -1;
}

ssize_t write(int file, const void *bytes, size_t size)
{
	if (file != STDERR_FILENO && size > 0 && fails('w'))
		return no_room();
	return syscall(SYS_write, file, bytes, size);
}

ssize_t pwrite(int file, const void *bytes, size_t size, off_t at) { return fails('w') ? no_room() : syscall(SYS_pwrite64, file, bytes, size, at); }
ssize_t pwrite64(int file, const void *bytes, size_t size, off64_t at) { return fails('w') ? no_room() : syscall(SYS_pwrite64, file, bytes, size, at); }

ssize_t read(int file, void *bytes, size_t size)
{
	if (fails('r')) {
		errno = EIO;
		return -1;
	}
	return syscall(SYS_read, file, bytes, size);
}

static void *none(void)
{
	errno = ENOMEM;
	return NULL;
}

void *malloc(size_t size) { return fails('m') ? none() : __libc_malloc(size); }
void *calloc(size_t n, size_t size) { return fails('m') ? none() : __libc_calloc(n, size); }
void *realloc(void *old, size_t size) { return fails('m') ? none() : __libc_realloc(old, size); }
void *memalign(size_t alignment, size_t size) { return fails('m') ? none() : __libc_memalign(alignment, size); }
void *aligned_alloc(size_t alignment, size_t size) { return fails('m') ? none() : __libc_memalign(alignment, size); }
int posix_memalign(void **to, size_t alignment, size_t size)
{
	if (fails('m'))
		return ENOMEM;
	*to = __libc_memalign(alignment, size);
	return *to != NULL ? 0 : ENOMEM;
}

int sigaction(int number, const struct sigaction *action, struct sigaction *old)
{
	static int (*next)(int, const struct sigaction *, struct sigaction *);

	if (next == NULL)
		next = (int (*)(int, const struct sigaction *, struct sigaction *)) dlsym(RTLD_NEXT, "sigaction");
	in_main = 1;
	return next(number, action, old);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *data)
{
	static int (*next)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

	if (fails('t'))
		return EAGAIN;
	if (next == NULL)
		next = (int (*)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *)) dlsym(RTLD_NEXT, "pthread_create");
	return next(thread, attributes, run, data);
}
