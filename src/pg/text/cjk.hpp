// The tokenizers cjk-… are in the library of the extension txtfp_cjk, which is loaded when one of them is first used.
#pragma once

namespace txtfp::pg {

// Makes core::CjkSegmenter work for this tokenizer (TXTFP_CJK_…) in this process. Raises an error: 42704 if the
// extension is not installed in the database, 55000 if its library has another interface version, and the library's
// errors about its dictionary.
void prepare_cjk(int tokenizer);

} // namespace txtfp::pg
