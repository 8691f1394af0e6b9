#include "core/segmenter.hpp"

#include <algorithm>

namespace txtfp::cjk {

void Segmenter::reuse() noexcept
{
	tokens_.clear();
	taken_ = 0;
	trim(tokens_);
	trim();
}

TxtfpCjkBatch Segmenter::next(
	std::string_view text, std::size_t from, bool last, std::span<TxtfpCjkRange> ranges, const core::StopToken &stop)
{
	TxtfpCjkBatch batch{0, from, false};
	for (;;) {
		while (taken_ < tokens_.size()) {
			if (batch.count == ranges.size())
				return batch;
			const std::uint32_t entry = tokens_[taken_++];
			const std::size_t end = batch.next + (entry & ~dropped_bit);
			if ((entry & dropped_bit) == 0)
				ranges[batch.count++] = {batch.next, end};
			batch.next = end;
		}
		tokens_.clear();
		taken_ = 0;
		const std::string_view rest = text.substr(batch.next);
		const std::size_t bytes = rest.empty() ? 0 : unit(rest, last);
		if (std::max(bytes, bytes == 0 ? rest.size() : 0) > max_unit)
			throw core::Error(core::ErrorKind::too_large, "a unit is too large");
		if (bytes == 0) {
			batch.finished = true;
			return batch;
		}
		cut(rest.substr(0, bytes), stop);
	}
}

} // namespace txtfp::cjk
