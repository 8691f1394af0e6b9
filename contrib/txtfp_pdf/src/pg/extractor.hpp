// The program txtfp-pdf-extract as a child of the server process: started for one file, fed and listened to through a socket,
// and gone when the call ends, whatever ends it.
#pragma once

#include "core/answer.hpp"
#include "pg/base/pg.hpp"

extern "C" {
#include "lib/stringinfo.h"
}

namespace txtfp::pg {

struct ExtractorLimits {
	int seconds; // of wall clock, from the start on; the same of processor time, and a little more
	int memory;  // MB of address space
	int pages;
	int text; // MB of text
};

// The text of the file, UTF-8, in the database's memory; an error otherwise. Warnings of the program become WARNINGs.
// The answer begins with VARHDRSZ unused bytes.
StringInfoData extract(const char *file, Size size, const ExtractorLimits &limits);

} // namespace txtfp::pg
