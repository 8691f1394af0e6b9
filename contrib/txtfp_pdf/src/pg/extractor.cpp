#include "pg/extractor.hpp"

#include <cerrno>
#include <csignal>

#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern "C" {
#include "portability/instr_time.h"
#include "storage/fd.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "utils/memutils.h"
#include "utils/wait_event.h"
}

namespace txtfp::pg {

namespace {

constexpr const char *program_name = "txtfp-pdf-extract";

// Plain data, because a longjmp may leave its frames.
struct Child {
	pid_t pid;     // 0: not running, or already reaped
	int socket;    // our end; -1: closed
	bool reserved; // true: PostgreSQL counts the descriptor
};

// ---------------------------------------------------------------------------------------------- end

// Returns waitpid's status. After SIGKILL the wait is short.
int end_child(Child &child)
{
	int status = 0;
	if (child.socket >= 0)
		close(child.socket);
	child.socket = -1;
	if (child.pid > 0) {
		kill(child.pid, SIGKILL); // no effect if the process has already ended
		while (waitpid(child.pid, &status, 0) < 0 && errno == EINTR) {
		}
	}
	child.pid = 0;
	if (child.reserved)
		ReleaseExternalFD();
	child.reserved = false;
	return status;
}

// Called after an error and when the server process exits.
void clean_up(int code, Datum child) { end_child(*reinterpret_cast<Child *>(DatumGetPointer(child))); }

// ---------------------------------------------------------------------------------------------- start

// The program is in the folder from which the shared library was loaded.
void program_path(char path[MAXPGPATH])
{
	Dl_info library;
	if (dladdr(reinterpret_cast<void *>(clean_up), &library) == 0)
		ereport(ERROR, (errcode(ERRCODE_INTERNAL_ERROR), errmsg("could not find the file of the library txtfp_pdf")));
	strncpy(path, library.dli_fname, MAXPGPATH - 1);
	path[MAXPGPATH - 1] = '\0';
	char *slash = strrchr(path, '/');
	char *name = slash == nullptr ? path : slash + 1;
	if (name + strlen(program_name) >= path + MAXPGPATH)
		ereport(ERROR, (errcode(ERRCODE_INTERNAL_ERROR), errmsg("the path of %s is too long", program_name)));
	strcpy(name, program_name);
}

// Gives the program the socket and nothing else: no other descriptor, no environment, no ignored or blocked signal.
int spawn(pid_t &pid, const char *path, char *const arguments[], int socket)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t none, defaults;
	char *environment[] = {nullptr};
	sigemptyset(&none);
	sigemptyset(&defaults);
	for (const int signal : {SIGHUP, SIGINT, SIGQUIT, SIGFPE, SIGUSR1, SIGUSR2, SIGPIPE, SIGALRM, SIGTERM, SIGCHLD,
			 SIGTTIN, SIGTTOU, SIGURG, SIGXCPU, SIGXFSZ})
		sigaddset(&defaults, signal);
	posix_spawn_file_actions_init(&actions);
	posix_spawnattr_init(&attributes);
	posix_spawn_file_actions_adddup2(&actions, socket, STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&actions, socket, STDOUT_FILENO);
	posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_RDWR, 0);
	posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setsigdefault(&attributes, &defaults);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	const int error = posix_spawn(&pid, path, &actions, &attributes, arguments, environment);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attributes);
	return error;
}

void start(Child &child, Size size, const ExtractorLimits &limits)
{
	char path[MAXPGPATH];
	program_path(path);
	char *const arguments[] = {const_cast<char *>(program_name), psprintf("%d", MyProcPid), psprintf("%zu", size),
		psprintf("%zu", static_cast<Size>(limits.memory) << 20), psprintf("%d", limits.seconds + 2),
		psprintf("%d", limits.pages), nullptr};
	if (!AcquireExternalFD())
		ereport(ERROR, (errcode_for_file_access(), errmsg("could not reserve a descriptor for %s: %m", program_name)));
	child.reserved = true;
	int ends[2];
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
		ereport(ERROR, (errcode_for_socket_access(), errmsg("could not create a socket for %s: %m", program_name)));
	child.socket = ends[0];
	pid_t pid = 0;
	const int error = spawn(pid, path, arguments, ends[1]);
	close(ends[1]);
	errno = error;
	if (error != 0)
		ereport(ERROR,
			(errcode_for_file_access(), errmsg("could not start program \"%s\": %m", path),
				errhint("The program is installed together with the extension txtfp_pdf.")));
	child.pid = pid;
}

// ---------------------------------------------------------------------------------------------- communication

uint32 wait_event()
{
#if PG_VERSION_NUM >= 170000
	static uint32 event = 0;
	if (event == 0)
		event = WaitEventExtensionNew("PdfToText");
	return event;
#else
	return PG_WAIT_EXTENSION;
#endif
}

struct Conversation {
	Child *child;
	const char *unsent;
	Size unsent_size;
	instr_time started;
	const ExtractorLimits *limits;
	pdf::AnswerReader *reader;
	StringInfo text;
	bool closed; // the program has closed its end
};

[[noreturn]] void timed_out(const ExtractorLimits &limits)
{
	ereport(ERROR,
		(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED), errmsg("pdf parse exceeded %d-second timeout", limits.seconds)));
	pg_unreachable();
}

// Waits until the socket is ready; raises an error on cancel and on timeout.
int wait(const Conversation &talk)
{
	CHECK_FOR_INTERRUPTS();
	instr_time now;
	INSTR_TIME_SET_CURRENT(now);
	INSTR_TIME_SUBTRACT(now, talk.started);
	const double left = talk.limits->seconds * 1000.0 - INSTR_TIME_GET_MILLISEC(now);
	if (left <= 0)
		timed_out(*talk.limits);
	const int writable = talk.unsent_size > 0 ? WL_SOCKET_WRITEABLE : 0;
	const int events =
		WaitLatchOrSocket(MyLatch, WL_LATCH_SET | WL_EXIT_ON_PM_DEATH | WL_TIMEOUT | WL_SOCKET_READABLE | writable,
			talk.child->socket, static_cast<long>(left) + 1, wait_event());
	if (events & WL_LATCH_SET) {
		ResetLatch(MyLatch);
		CHECK_FOR_INTERRUPTS();
	}
	return events;
}

bool try_again() { return errno == EINTR || errno == EAGAIN || errno == EWOULDBLOCK; }

void feed(Conversation &talk)
{
	const ssize_t sent = send(talk.child->socket, talk.unsent, talk.unsent_size, MSG_DONTWAIT | MSG_NOSIGNAL);
	if (sent >= 0) {
		talk.unsent += sent;
		talk.unsent_size -= static_cast<Size>(sent);
	} else if (!try_again()) {
		talk.unsent_size = 0; // the program has stopped reading; its answer says why
	}
}

void append_text(Conversation &talk)
{
	const std::string_view piece = talk.reader->text();
	if (talk.text->len - VARHDRSZ + piece.size() > static_cast<Size>(talk.limits->text) << 20)
		ereport(ERROR,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED), errmsg("pdf text exceeds %d-MB cap", talk.limits->text),
				errhint("The limit is set by txtfp_pdf.max_text.")));
	appendBinaryStringInfo(talk.text, piece.data(), static_cast<int>(piece.size()));
}

// The message comes from a program that reads untrusted files, so "?" replaces everything but printable ASCII.
const char *printable(std::string_view message)
{
	char *copy = pnstrdup(message.data(), message.size());
	for (char *c = copy; *c != '\0'; ++c)
		if (*c < ' ' || *c > '~')
			*c = '?';
	return copy;
}

[[noreturn]] void report_failure(const Conversation &talk)
{
	const char *message = printable(talk.reader->message());
	const ExtractorLimits &limits = *talk.limits;
	switch (talk.reader->failure()) {
	case pdf::Failure::pages:
		ereport(ERROR,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				errmsg("pdf input (%s pages) exceeds %d-page cap", message, limits.pages),
				errhint("The limit is set by txtfp_pdf.max_pages.")));
	case pdf::Failure::memory:
		ereport(ERROR,
			(errcode(ERRCODE_OUT_OF_MEMORY), errmsg("pdf parse exceeded %d-MB memory limit", limits.memory),
				errhint("The limit is set by txtfp_pdf.max_memory.")));
	case pdf::Failure::confine:
		ereport(ERROR,
			(errcode(ERRCODE_SYSTEM_ERROR), errmsg("program \"%s\" could not be confined", program_name),
				errdetail("The program reports: %s.", message),
				errhint("The system must allow seccomp filters and resource limits.")));
	case pdf::Failure::program:
		ereport(ERROR,
			(errcode(ERRCODE_SYSTEM_ERROR), errmsg("program \"%s\" does not work", program_name),
				errdetail("The program reports: %s.", message)));
	case pdf::Failure::parse:
		ereport(ERROR, (errcode(ERRCODE_INVALID_TEXT_REPRESENTATION), errmsg("pdf parse error: %s", message)));
	}
	pg_unreachable();
}

[[noreturn]] void crashed(const char *detail)
{
	ereport(
		ERROR, (errcode(ERRCODE_EXTERNAL_ROUTINE_EXCEPTION), errmsg("pdf parser panicked"), errdetail("%s", detail)));
	pg_unreachable();
}

void receive(Conversation &talk)
{
	char buffer[65536];
	const ssize_t size = recv(talk.child->socket, buffer, sizeof buffer, MSG_DONTWAIT);
	if (size < 0 && try_again())
		return;
	if (size <= 0) {
		talk.closed = true;
		return;
	}
	std::string_view input(buffer, static_cast<std::size_t>(size));
	for (;;) {
		switch (talk.reader->next(input)) {
		case pdf::Event::text:
			append_text(talk);
			break;
		case pdf::Event::warning:
			ereport(WARNING, (errmsg("text of pdf is incomplete: %s", printable(talk.reader->message()))));
			break;
		case pdf::Event::failure:
			report_failure(talk);
		case pdf::Event::broken:
			crashed("The program that reads the file returned an invalid response.");
		case pdf::Event::done:
		case pdf::Event::need_more:
			return;
		}
	}
}

// Reports that the program has ended without an answer.
[[noreturn]] void report_end(const Conversation &talk, int status)
{
	CHECK_FOR_INTERRUPTS(); // a cancel also reaches the program, because it is in our process group
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
		timed_out(*talk.limits);
	if (WIFSIGNALED(status))
		crashed(psprintf("The program that reads the file was terminated by signal %d: %s.", WTERMSIG(status),
			pg_strsignal(WTERMSIG(status))));
	crashed(
		psprintf("The program that reads the file ended without an answer, with exit status %d.", WEXITSTATUS(status)));
}

bool converse(Conversation &talk)
{
	while (!talk.reader->ended() && !talk.closed) {
		const int events = wait(talk);
		if (events & WL_SOCKET_WRITEABLE && talk.unsent_size > 0)
			feed(talk);
		if (events & WL_SOCKET_READABLE)
			receive(talk);
	}
	return !talk.closed;
}

} // namespace

StringInfoData extract(const char *file, Size size, const ExtractorLimits &limits)
{
	StringInfoData text;
	initStringInfo(&text);
	text.len = VARHDRSZ;
	pdf::AnswerReader reader;
	Child child{0, -1, false};
	Conversation talk{&child, file, size, {}, &limits, &reader, &text, false};
	INSTR_TIME_SET_CURRENT(talk.started);
	PG_ENSURE_ERROR_CLEANUP(clean_up, PointerGetDatum(&child));
	{
		start(child, size, limits);
		const bool answered = converse(talk);
		const int status = end_child(child);
		if (!answered)
			report_end(talk, status);
	}
	PG_END_ENSURE_ERROR_CLEANUP(clean_up, PointerGetDatum(&child));
	if (!pdf::is_text({text.data + VARHDRSZ, static_cast<std::size_t>(text.len - VARHDRSZ)}))
		crashed("The program that reads the file gave something that is no text.");
	return text;
}

} // namespace txtfp::pg
