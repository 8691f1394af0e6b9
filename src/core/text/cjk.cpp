#include "core/text/cjk.hpp"

#include <new>

namespace txtfp::core {

namespace {

const TxtfpCjkInterface *interface_of_process = nullptr;

} // namespace

const TxtfpCjkInterface *cjk_interface() noexcept { return interface_of_process; }
void set_cjk_interface(const TxtfpCjkInterface *interface) noexcept { interface_of_process = interface; }

void CjkSegmenter::Destroy::operator()(TxtfpCjkSegmenter *segmenter) const noexcept
{
	interface_of_process->destroy(segmenter);
}

CjkSegmenter::CjkSegmenter(int tokenizer)
{
	if (interface_of_process == nullptr)
		throw Error(ErrorKind::invalid_parameter, "a cjk tokenizer needs the extension txtfp_cjk");
	segmenter_.reset(interface_of_process->create(tokenizer));
	if (segmenter_ == nullptr)
		throw std::bad_alloc();
}

TxtfpCjkBatch CjkSegmenter::next(
	std::string_view text, std::size_t from, bool last, std::span<TxtfpCjkRange> ranges, const StopToken &stop)
{
	TxtfpCjkBatch batch{};
	switch (interface_of_process->next(
		segmenter_.get(), text.data(), text.size(), from, last, ranges.data(), ranges.size(), stop.requested, &batch)) {
	case TXTFP_CJK_OK:
		return batch;
	case TXTFP_CJK_NO_MEMORY:
		throw std::bad_alloc();
	case TXTFP_CJK_CANCELLED:
		throw Error(ErrorKind::cancelled, "cancelled");
	case TXTFP_CJK_TOO_LARGE:
		throw Error(ErrorKind::too_large, "more than 1 GB of text without a place where it can be cut");
	default:
		throw Error(ErrorKind::internal, "the segmenter of txtfp_cjk failed");
	}
}

} // namespace txtfp::core
