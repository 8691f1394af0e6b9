// The tokenizers cjk-… are in the library of the extension txtfp_cjk, which is loaded when the first one is asked for.
#pragma once

namespace txtfp::pg {

// After it, core::CjkSegmenter works for this tokenizer (TXTFP_CJK_…) in this process. Raises an error: 42704 if the extension is not
// installed in the database, 55000 if its library is of another time, and what the library says of its dictionary.
void prepare_cjk(int tokenizer);

} // namespace txtfp::pg
