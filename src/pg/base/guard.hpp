// The wall between C++ exceptions and PostgreSQL's longjmp.
//   inside guarded():  C++ may own, allocate, throw;   PostgreSQL must not be called
//   outside:           PostgreSQL may be called;       nothing with a destructor may be alive
#pragma once

#include <cstddef>
#include <new>
#include <stdexcept>
#include <type_traits>

#include "core/base/error.hpp"
#include "pg/base/pg.hpp"

namespace txtfp::pg {

// Plain data, so that it survives the longjmp that follows.
struct Failure {
	int sqlstate;
	bool cancelled;
	char message[256];

	void set(int code, const char *text) noexcept
	{
		sqlstate = code;
		strncpy(message, text, sizeof message - 1);
		message[sizeof message - 1] = '\0';
	}
};

[[noreturn]] void report(const Failure &failure);
void set_failure(Failure &failure, const core::Error &error) noexcept;
void throw_once() noexcept;     // to be called when the library is loaded
bool stop_requested() noexcept; // for core::StopToken: a cancel, a timeout or a shutdown is pending

constexpr core::StopToken stop_token{stop_requested};

#ifdef TXTFP_TRIPWIRE
extern "C" int txtfp_inside_guard __attribute__((visibility("hidden"))); // tripwire.cpp

struct Inside {
	Inside() noexcept { ++txtfp_inside_guard; }
	~Inside() { --txtfp_inside_guard; }
};
#else
struct Inside {
	~Inside() {}
};
#endif

// The handlers only copy bytes: no palloc, no ereport here.
template <typename Fn> bool caught(Failure &failure, Fn &fn) noexcept
{
	const Inside inside;
	try {
		fn();
		return false;
	} catch (const core::Error &e) {
		set_failure(failure, e);
	} catch (const std::bad_alloc &) {
		failure.set(ERRCODE_OUT_OF_MEMORY, "out of memory");
	} catch (const std::length_error &) {
		failure.set(ERRCODE_PROGRAM_LIMIT_EXCEEDED, "value too large");
	} catch (const std::exception &e) {
		failure.set(ERRCODE_INTERNAL_ERROR, e.what());
	} catch (...) {
		failure.set(ERRCODE_INTERNAL_ERROR, "unknown C++ exception");
	}
	return true;
}

template <typename Fn> void guarded(Fn fn)
{
	static_assert(std::is_trivially_destructible_v<Fn>, "capture references or plain values");
	static_assert(std::is_void_v<std::invoke_result_t<Fn &>>, "results go to the caller's plain storage");
	Failure failure{};
	if (caught(failure, fn))
		report(failure); // every C++ frame is gone by now
}

} // namespace txtfp::pg
