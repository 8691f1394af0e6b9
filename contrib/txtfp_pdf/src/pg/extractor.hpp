// Runs the program txtfp-pdf-extract as a child of the server process: starts it for one file, communicates through a
// socket, and ends it when the call ends for any reason.
#pragma once

#include "core/answer.hpp"
#include "pg/base/pg.hpp"

extern "C" {
#include "lib/stringinfo.h"
}

namespace txtfp::pg {

struct ExtractorLimits {
	int seconds; // wall clock time from the start; processor time is limited to a little more
	int memory;  // MB of address space
	int pages;
	int text; // MB of text
};

// Returns the text of the file, UTF-8, in the current memory context, or raises an error. Warnings of the program
// become WARNINGs.
// The answer begins with VARHDRSZ unused bytes.
StringInfoData extract(const char *file, Size size, const ExtractorLimits &limits);

} // namespace txtfp::pg
