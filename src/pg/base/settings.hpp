// The configuration parameters of the extension, defined in module.cpp.
#pragma once

namespace txtfp::pg {

extern int hamming_threshold;    // txtfp.hamming_threshold, 0 … 64
extern double jaccard_threshold; // txtfp.jaccard_threshold, 0 … 1
extern int tlsh_threshold;       // txtfp.tlsh_threshold, 0 … 2473
extern int lavinhash_threshold;  // txtfp.lavinhash_threshold, 0 … 100
extern bool sketch_order_all;    // txtfp.sketch_order_all
extern double sketch_recall;     // txtfp.sketch_recall, 0 … 1; −1: as the index says
extern bool report_progress;     // txtfp.progress

} // namespace txtfp::pg
