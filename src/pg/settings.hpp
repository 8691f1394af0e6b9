// The configuration parameters of the extension, defined in module.cpp.
#pragma once

namespace txtfp::pg {

extern int hamming_threshold;    // txtfp.hamming_threshold, 0 … 64
extern double jaccard_threshold; // txtfp.jaccard_threshold, 0 … 1
extern bool report_progress;     // txtfp.progress

} // namespace txtfp::pg
