// Runs the tests whose name contains argv[1] (all without it). The last line is "N passed, N failed".
#include <cstdio>
#include <cstring>
#include <exception>

#include "unit/check.hpp"

using namespace txtfp::test;

namespace {

bool passes(const Test &test)
{
	failed_checks = 0;
	try {
		test.run();
	} catch (const std::exception &error) {
		fail(test.name, 0, std::string("uncaught exception: ") + error.what());
	}
	if (failed_checks > 0)
		std::printf("FAILED %s (%u checks)\n", test.name, failed_checks);
	return failed_checks == 0;
}

} // namespace

int main(int argc, char **argv)
{
	unsigned passed = 0, failed = 0;
	for (const Test &test : tests())
		if (argc < 2 || std::strstr(test.name, argv[1]) != nullptr)
			++(passes(test) ? passed : failed);
	std::printf("%u passed, %u failed\n", passed, failed);
	return failed == 0 ? 0 : 1;
}
