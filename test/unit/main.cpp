// Runs the tests whose name contains argv[1], or those of a file ("minhash.cpp"), or all, in as many processes as there are processors.
// With TXTFP_TEST_DIGESTS it prints "digest NAME HEX" for each test that reads test/data, with TXTFP_TEST_TIMES "time
// NAME MILLISECONDS" for each test. The last line is "N passed, N failed", with ", N skipped" if this machine lacks
// what some tests need.
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <thread>
#include <vector>

#include "unit/check.hpp"

namespace txtfp::test {

std::vector<Test> &tests()
{
	static std::vector<Test> all;
	return all;
}

Registration::Registration(const char *name, const char *file, void (*run)(), bool can_run)
{
	tests().push_back({name, file, run, can_run});
}

void fail(const char *file, int line, const std::string &what)
{
	constexpr unsigned printed = 10;
	if (++failed_checks <= printed)
		std::printf("%s:%d: %s\n", file, line, what.c_str());
	else if (failed_checks == printed + 1)
		std::printf("%s:%d: … more failures in this test\n", file, line);
}

void fail_shown(const std::string &actual, const std::string &expected, const std::string &difference,
	const char *expression, const std::string &which, const char *file, int line)
{
	fail(file, line,
		expression + (which.empty() ? "" : " [" + which + "]") + "\n    actual   " + actual + "\n    expected " +
			expected + difference);
}

} // namespace txtfp::test

using namespace txtfp::test;

namespace {

bool is_meant(const Test &test, const char *wanted)
{
	const char *slash = std::strrchr(test.file, '/');
	return std::strstr(test.name, wanted) != nullptr ||
		std::strcmp(slash == nullptr ? test.file : slash + 1, wanted) == 0;
}

bool passes(const Test &test)
{
	failed_checks = 0;
	actual_values = {};
	reads_vectors = false;
	const auto started = std::chrono::steady_clock::now();
	try {
		test.run();
	} catch (const std::exception &error) {
		fail(test.name, 0, std::string("uncaught exception: ") + error.what());
	}
	if (failed_checks > 0)
		std::printf("FAILED %s (%u checks)\n", test.name, failed_checks);
	if (reads_vectors && std::getenv("TXTFP_TEST_DIGESTS") != nullptr)
		std::printf("digest %s %s\n", test.name, actual_values.text().c_str());
	if (std::getenv("TXTFP_TEST_TIMES") != nullptr) {
		const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - started;
		std::printf("time %s %.0f\n", test.name, took.count());
	}
	std::fflush(stdout);
	return failed_checks == 0;
}

// What the processes share: the next test to take, and the counts.
struct Progress {
	std::atomic<unsigned> next, passed, failed;
};

void run(const std::vector<const Test *> &chosen, Progress &progress)
{
	for (unsigned i; (i = progress.next++) < chosen.size();)
		++(passes(*chosen[i]) ? progress.passed : progress.failed);
}

} // namespace

#ifdef TXTFP_COVERAGE
extern "C" void __gcov_dump();
#endif

// Recording long call stacks of every allocation took half of the time of some tests. ASAN_OPTIONS overrides this.
extern "C" const char *__asan_default_options() { return "malloc_context_size=2"; } // NOLINT: the sanitizer calls it

int main(int argc, char **argv)
{
	std::vector<const Test *> chosen;
	unsigned skipped = 0;
	for (const Test &test : tests())
		if (argc < 2 || is_meant(test, argv[1])) {
			if (test.can_run)
				chosen.push_back(&test);
			else {
				std::printf("skipped: %s\n", test.name);
				++skipped;
			}
		}

	void *const shared = mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		return 2;
	auto &progress = *new (shared) Progress{};
	std::fflush(stdout); // the processes would print it again
	const unsigned processes = std::clamp(std::thread::hardware_concurrency(), 1u, 8u);
	for (unsigned i = 0; i < processes; ++i)
		if (fork() == 0) {
			run(chosen, progress);
			std::fflush(stdout);
#ifdef TXTFP_COVERAGE
			__gcov_dump(); // _exit would lose the counts
#endif
			_exit(0);
		}
	for (int status; wait(&status) > 0;)
		if (status != 0) {
			std::printf("FAILED: a process of the tests ended with status %d\n", status);
			++progress.failed; // the test that was running has not been counted
		}
	std::printf("%u passed, %u failed", progress.passed.load(), progress.failed.load());
	if (skipped > 0)
		std::printf(", %u skipped", skipped);
	std::printf("\n");
	return progress.failed == 0 ? 0 : 1;
}
