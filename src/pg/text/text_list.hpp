// Texts that the core returns, collected for a text[].
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "pg/base/guard.hpp"

extern "C" {
#include "utils/array.h"
#include "utils/memutils.h"
}

namespace txtfp::pg {

// UTF-8 texts, concatenated, with the end of each. Created by make_owned and filled inside guarded(). The array that
// they become limits their number.
class TextList {
public:
	explicit TextList(const char *too_large) : too_large_(too_large) {} // the message of the error

	void add(std::string_view item)
	{
		array_size_ += INTALIGN(VARHDRSZ + item.size());
		if (array_size_ > MaxAllocSize)
			throw core::Error(core::ErrorKind::too_large, too_large_);
		bytes_.append(item);
		ends_.push_back(bytes_.size());
	}

	const char *too_large() const { return too_large_; }
	const char *bytes() const { return bytes_.data(); }
	const std::size_t *ends() const { return ends_.data(); }
	std::size_t size() const { return ends_.size(); }

private:
	const char *too_large_;
	std::size_t array_size_ = 0;
	std::string bytes_;             // guarded: by make_owned
	std::vector<std::size_t> ends_; // guarded: by make_owned
};

// A one-dimensional text[] in the server encoding.
ArrayType *make_text_array(const TextList &list);

} // namespace txtfp::pg
