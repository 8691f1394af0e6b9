#include "core/simhash/idf.hpp"

#include <charconv>
#include <cmath>

#include "core/text/pipeline.hpp"
#include "core/text/utf8.hpp"

namespace txtfp::core {

std::string without_escapes(std::string_view key)
{
	constexpr std::string_view escape = "\\u{";
	std::string out;
	for (std::size_t at; (at = key.find(escape)) != key.npos;) {
		const char *digits = key.data() + at + escape.size(), *end = key.data() + key.size();
		std::uint32_t code = 0;
		const auto [stop, error] = std::from_chars(digits, end, code, 16);
		const bool valid =
			error == std::errc() && stop != end && *stop == '}' && code <= 0x10FFFF && code / 0x800 != 0xD800 / 0x800;
		out.append(key.substr(0, at));
		if (valid)
			core::append(out, static_cast<char32_t>(code));
		else
			out.append(escape);
		key.remove_prefix(valid ? static_cast<std::size_t>(stop + 1 - key.data()) : at + escape.size());
	}
	return out.append(key);
}

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
