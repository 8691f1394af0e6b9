#include "confine.hpp"

#include <cerrno>
#include <cstring>
#include <initializer_list>
#include <system_error>

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#ifdef __linux__
#include <seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

namespace txtfp::pdf {

namespace {

[[noreturn]] void fail(int error, const char *what) { throw std::system_error(error, std::generic_category(), what); }

// Sets both the soft and the hard limit.
void set_limit(decltype(RLIMIT_CPU) resource, rlim_t wanted, const char *what)
{
	rlimit limit;
	if (getrlimit(resource, &limit) != 0)
		fail(errno, what);
	if (limit.rlim_max == RLIM_INFINITY || limit.rlim_max > wanted)
		limit.rlim_max = wanted;
	limit.rlim_cur = limit.rlim_max;
	if (setrlimit(resource, &limit) != 0)
		fail(errno, what);
}

void close_inherited()
{
#if defined(__linux__) && defined(SYS_close_range)
	if (syscall(SYS_close_range, 3U, ~0U, 0U) == 0)
		return;
#endif
	const long limit = sysconf(_SC_OPEN_MAX);
	for (int descriptor = 3; descriptor < limit; ++descriptor)
		close(descriptor);
}

#ifdef __linux__
// If this is not allowed, the kernel is as likely to kill this process as the server, but not more likely.
void be_killed_first()
{
	const int descriptor = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
	if (descriptor < 0)
		return;
	if (write(descriptor, "1000", 4) != 4)
		errno = 0;
	close(descriptor);
}

// The rules without conditions on arguments. System calls that this machine does not have are left out.
void allow(scmp_filter_ctx filter)
{
	for (const char *name : {"read", "readv", "write", "writev", "close", "lseek", "_llseek", "fstat", "fstat64", "brk",
			 "munmap", "mremap", "madvise", "futex", "futex_time64", "rt_sigreturn", "sigreturn", "rt_sigaction",
			 "rt_sigprocmask", "sigaltstack", "getpid", "gettid", "clock_gettime", "clock_gettime64", "gettimeofday",
			 "time", "getrandom", "restart_syscall", "exit", "exit_group"}) {
		const int call = seccomp_syscall_resolve_name(name);
		if (call == __NR_SCMP_ERROR)
			continue;
		if (const int error = seccomp_rule_add(filter, SCMP_ACT_ALLOW, call, 0); error != 0)
			fail(-error, "seccomp_rule_add");
	}
}

// Allows mmap and mprotect, except for executable memory, and tgkill of the process itself, which abort() uses.
void allow_by_argument(scmp_filter_ctx filter)
{
	for (const char *name : {"mmap", "mmap2", "mprotect"}) {
		const int call = seccomp_syscall_resolve_name(name);
		const int error = seccomp_rule_add(filter, SCMP_ACT_ALLOW, call, 1, SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0));
		if (call != __NR_SCMP_ERROR && error != 0)
			fail(-error, "seccomp_rule_add");
	}
	const auto own = static_cast<scmp_datum_t>(getpid());
	if (const int error = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(tgkill), 1, SCMP_A0(SCMP_CMP_EQ, own, 0));
		error != 0)
		fail(-error, "seccomp_rule_add");
}

void filter_system_calls()
{
	const scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
	if (filter == nullptr)
		fail(ENOMEM, "seccomp_init");
	allow(filter);
	allow_by_argument(filter);
	if (const int error = seccomp_load(filter); error != 0) // also sets "no new privileges"
		fail(-error, "seccomp_load");
	seccomp_release(filter);
}
#endif

} // namespace

bool limit(pid_t parent, std::size_t memory, unsigned seconds)
{
	close_inherited();
#ifdef __linux__
	be_killed_first();
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || prctl(PR_SET_DUMPABLE, 0) != 0)
		fail(errno, "prctl");
#endif
	set_limit(RLIMIT_CORE, 0, "RLIMIT_CORE");
	set_limit(RLIMIT_CPU, seconds, "RLIMIT_CPU");
	set_limit(RLIMIT_AS, memory, "RLIMIT_AS");
	set_limit(RLIMIT_FSIZE, 0, "RLIMIT_FSIZE");
	return getppid() == parent;
}

void confine()
{
	set_limit(RLIMIT_NOFILE, 0, "RLIMIT_NOFILE");
	set_limit(RLIMIT_NPROC, 0, "RLIMIT_NPROC");
#ifdef __linux__
	filter_system_calls();
#endif
}

} // namespace txtfp::pdf
