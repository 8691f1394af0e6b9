// The tokenizers cjk-…: this file knows their names, the extension txtfp_cjk has their segmenters.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

#include "core/base/error.hpp"
#include "core/text/cjk_interface.h"

namespace txtfp::core {

constexpr std::string_view cjk_names[TXTFP_CJK_TOKENIZERS] = {
	"cjk-jieba", "cjk-jieba-hmm", "cjk-lindera-ipadic", "cjk-lindera-ko-dic"};

// The interface of this process; nullptr until the glue has found the extension and prepared a tokenizer.
const TxtfpCjkInterface *cjk_interface() noexcept;
void set_cjk_interface(const TxtfpCjkInterface *interface) noexcept;

// Segments one text with the extension's segmenter.
class CjkSegmenter {
public:
	CjkSegmenter() = default;

	// Throws Error(invalid_parameter) if there is no interface, std::bad_alloc.
	explicit CjkSegmenter(int tokenizer);

	// See TxtfpCjkInterface::next. Throws Error(cancelled), Error(too_large), Error(internal), std::bad_alloc.
	TxtfpCjkBatch next(
		std::string_view text, std::size_t from, bool last, std::span<TxtfpCjkRange> ranges, const StopToken &stop);

private:
	struct Destroy {
		void operator()(TxtfpCjkSegmenter *segmenter) const noexcept;
	};
	std::unique_ptr<TxtfpCjkSegmenter, Destroy> segmenter_;
};

} // namespace txtfp::core
