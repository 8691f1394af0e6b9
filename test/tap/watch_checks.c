/*
 * The longest processor time in which a process did not look for interrupts, and its largest memory, to be preloaded into a server. With
 * client_connection_check_interval each look asks for the state of the socket, by epoll_wait, as soon as the interval is over. The file $TXTFP_CHECKS/PID holds
 * the longest time in microseconds and the largest private memory in kB at such a moment, since it was last removed. While there is a file
 * $TXTFP_CHECKS/slow, each look takes 10 ms, so that another session sees what a phase reports.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

static long microseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec * 1000000L + now.tv_nsec / 1000;
}

static long private_memory(void)
{
	char text[128];
	long size, resident = 0, shared = 0;
	int file = open("/proc/self/statm", O_RDONLY);
	ssize_t n = file < 0 ? -1 : read(file, text, sizeof text - 1);

	if (file >= 0)
		close(file);
	text[n < 0 ? 0 : n] = '\0';
	sscanf(text, "%ld %ld %ld", &size, &resident, &shared);
	return (resident - shared) * (sysconf(_SC_PAGESIZE) / 1024);
}

int epoll_wait(int set, struct epoll_event *events, int most, int timeout)
{
	static int (*original)(int, struct epoll_event *, int, int);
	static long last, longest, largest;
	static pid_t owner;
	const char *folder = getenv("TXTFP_CHECKS");
	long now = microseconds(), memory = private_memory();
	char name[1024];
	int result;

	if (original == NULL)
		original = (int (*)(int, struct epoll_event *, int, int)) dlsym(RTLD_NEXT, "epoll_wait");
	if (owner != getpid()) {
		owner = getpid();
		last = now;
		longest = largest = 0;
	}
	snprintf(name, sizeof name, "%s/%d", folder == NULL ? "/nonexistent" : folder, (int) owner);
	if (access(name, F_OK) != 0)
		longest = largest = 0;
	if (now - last > longest || memory > largest) {
		int file = open(name, O_CREAT | O_WRONLY | O_TRUNC, 0600);

		longest = now - last > longest ? now - last : longest;
		largest = memory > largest ? memory : largest;
		if (file >= 0) {
			dprintf(file, "%ld %ld\n", longest, largest);
			close(file);
		}
	}
	snprintf(name, sizeof name, "%s/slow", folder == NULL ? "/nonexistent" : folder);
	if (timeout == 0 && access(name, F_OK) == 0)
		usleep(10000);
	result = original(set, events, most, timeout);
	last = microseconds();
	return result;
}
