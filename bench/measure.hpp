// Shared by the benchmarks of the core: processor time of a call.
#pragma once

#include <ctime>

#include "core/base/error.hpp"

namespace bench {

// As in the server: a stop token that is polled and never stops.
inline const txtfp::core::StopToken never_stop = {[]() noexcept { return false; }};

// Keeps the compiler from removing the computation of a value.
template <class T> void keep(const T &value) { asm volatile("" : : "g"(&value) : "memory"); }

// Processor time of this thread, which does not include the time of other processes.
inline double cpu_ns()
{
	timespec now;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return 1e9 * static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec);
}

template <class Call> double elapsed_ns(const Call &call, long calls)
{
	const double start = cpu_ns();
	for (long i = 0; i < calls; ++i)
		call();
	return cpu_ns() - start;
}

} // namespace bench
