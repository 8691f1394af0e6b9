#include "cli/failure.hpp"

#include <cstdio>
#include <new>

#include "core/base/error.hpp"

namespace txtfp::cli {

int report_exception() noexcept
{
	try {
		throw;
	} catch (const records::Failure &failure) {
		std::fprintf(stderr, "txtfp: %s\n", failure.what());
		return failure.is_usage() ? exit_usage : exit_failure;
	} catch (const core::Error &error) {
		if (error.kind() == core::ErrorKind::cancelled) {
			std::fputs("\ntxtfp: interrupted\n", stderr);
			return exit_interrupted;
		}
		std::fprintf(stderr, "txtfp: %s\n", error.what());
	} catch (const std::bad_alloc &) {
		std::fputs("txtfp: out of memory\n", stderr);
	} catch (const std::exception &error) {
		std::fprintf(stderr, "txtfp: %s\n", error.what());
	}
	return exit_failure;
}

} // namespace txtfp::cli
