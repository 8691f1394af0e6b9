// The fingerprint of a text that arrives in chunks of bytes, cut anywhere: the same as if the text were given whole.
#pragma once

#include <utility>

#include "core/text/utf8_stream.hpp"

namespace txtfp::core {

// Sketcher: MinhashSketcher, SimhashSketcher.
template <class Sketcher> class Stream {
public:
	template <class... Arguments>
	explicit Stream(Arguments &&...arguments) : sketcher_(std::forward<Arguments>(arguments)...)
	{
	}

	// False: the bytes are no UTF-8, see Utf8Stream.
	bool append(std::string_view bytes)
	{
		return utf8_.append(bytes, [this](std::string_view text) { sketcher_.append(text, false); });
	}
	std::string_view pending() const noexcept { return utf8_.pending(); } // not empty: a code point is cut

	// After the last chunk, once. The sketcher's finish() then gives the fingerprint.
	Sketcher &end()
	{
		sketcher_.append({}, true);
		return sketcher_;
	}

private:
	Utf8Stream utf8_;
	Sketcher sketcher_;
};

} // namespace txtfp::core
