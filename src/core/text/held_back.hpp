// Text in pieces: holds back what a stage cannot finish before more text arrives, and puts it before the next piece.
#pragma once

#include <string>
#include <string_view>

namespace txtfp::core {

class HeldBack {
public:
	// Calls scan(text, last) for the held-back text and the piece together; scan returns the number of bytes it has
	// finished, and the rest is held back. Held-back text is scanned again only when its size has doubled, or with the
	// last piece; otherwise one letter with a million marks, or a word of a megabyte, would be scanned a million times.
	// Returns false if scan was not called.
	template <class Scan> bool append(std::string_view piece, bool last, Scan scan)
	{
		if (pending_.empty()) {
			pending_.assign(piece.substr(scan(piece, last)));
		} else {
			pending_.append(piece);
			if (!last && pending_.size() < retry_at_)
				return false;
			pending_.erase(0, scan(std::string_view(pending_), last));
		}
		retry_at_ = 2 * pending_.size();
		return true;
	}

private:
	std::string pending_;
	std::size_t retry_at_ = 0;
};

} // namespace txtfp::core
