// UTF-8 that arrives in chunks of bytes, cut anywhere: hands on whole code points, and well-formed ones only.
#pragma once

#include <cstddef>
#include <string_view>

#include "core/base/error.hpp"

namespace txtfp::core {

// The longest prefix that is well-formed (Unicode, table 3-7) and ends with a code point.
struct Utf8Prefix {
	std::size_t size;
	bool may_continue; // nothing follows, or bytes that begin a code point; false: ill-formed bytes follow
};
Utf8Prefix utf8_prefix(std::string_view bytes) noexcept;

class Utf8Stream {
public:
	// Calls sink(std::string_view) for what is whole now; the view lives until the sink returns. False: the bytes are
	// ill-formed, and the stream is of no more use.
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

	// The beginning of a code point that is cut, or, after append failed, of the ill-formed bytes.
	std::string_view pending() const noexcept { return {pending_, size_}; }

private:
	char pending_[4];
	std::size_t size_ = 0;
};

} // namespace txtfp::core
