// Takes UTF-8 in chunks of bytes, cut anywhere, and passes on whole and well-formed code points only.
#pragma once

#include <cstddef>
#include <string_view>

#include "core/base/error.hpp"

namespace txtfp::core {

// The longest prefix that is well-formed (Unicode, table 3-7) and ends with a code point.
struct Utf8Prefix {
	std::size_t size;
	bool may_continue; // true if nothing follows, or the beginning of a code point; false if ill-formed bytes follow
};
Utf8Prefix utf8_prefix(std::string_view bytes) noexcept;

class Utf8Stream {
public:
	// Calls sink(std::string_view) with the code points that are complete now; the view lives until the sink returns.
	// Returns false if the bytes are ill-formed; the stream must not be used afterwards.
	template <class Sink> bool append(std::string_view bytes, Sink sink)
	{
		while (size_ > 0 && !bytes.empty()) {
			pending_[size_++] = bytes.front();
			bytes.remove_prefix(1);
			const Utf8Prefix prefix = utf8_prefix(pending());
			if (!prefix.may_continue)
				return false;
			if (prefix.size > 0) {
				sink(pending());
				size_ = 0;
			}
		}
		const Utf8Prefix prefix = utf8_prefix(bytes);
		if (prefix.size > 0)
			sink(bytes.substr(0, prefix.size));
		if (prefix.size < bytes.size())
			size_ = bytes.copy(pending_, sizeof pending_, prefix.size);
		return prefix.may_continue;
	}

	// The bytes of a code point that is not complete yet or, after append has failed, the ill-formed bytes.
	std::string_view pending() const noexcept { return {pending_, size_}; }

private:
	char pending_[4];
	std::size_t size_ = 0;
};

} // namespace txtfp::core
