#include "core/simhash/idf.hpp"

#include <cmath>

#include "core/text/pipeline.hpp"

namespace txtfp::core {

float idf(std::uint64_t documents, std::uint64_t document_frequency) noexcept
{
	return static_cast<float>(
		std::log((1 + static_cast<double>(documents)) / (1 + static_cast<double>(document_frequency))) + 1);
}

void DocumentFrequencies::add(
	std::string_view utf8, const CanonicalOptions &canonical, const TokenizerSpec &tokenizer, StopToken stop)
{
	++documents_;
	const auto count = [this](std::string_view token) {
		auto at = entries_.find(token);
		if (at == entries_.end())
			at = entries_.emplace(token, Entry{}).first;
		Entry &entry = at->second;
		if (entry.last != documents_) {
			entry.last = documents_;
			++entry.documents;
		}
	};
	Pipeline<decltype(count)>(canonical, tokenizer, count, stop).append(utf8, true);
}

} // namespace txtfp::core
