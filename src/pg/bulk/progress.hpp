// Reports the progress of a bulk function if txtfp.progress is on: a NOTICE every few seconds and at the end of each phase.
#pragma once

#include <cstdint>

#include "pg/base/guard.hpp"

extern "C" {
#include "datatype/timestamp.h"
}

namespace txtfp::pg {

class Progress {
public:
	explicit Progress(const char *function) : function_(function) {}
	void begin(const char *phase, std::uint64_t total); // total = 0: unknown
	void add(std::uint64_t n)
	{
		done_ += n;
		if (done_ >= next_check_)
			report_if_due();
	}
	void end();

private:
	void report_if_due();
	void report();

	const char *function_, *phase_ = nullptr;
	std::uint64_t done_ = 0, total_ = 0, next_check_ = 0;
	TimestampTz last_ = 0;
};

} // namespace txtfp::pg
