// Text that arrives in pieces: what a stage cannot finish before it has seen more waits here, in front of the next piece.
#pragma once

#include <string>
#include <string_view>

namespace txtfp::core {

class HeldBack {
public:
	// Calls scan(text, last) for what waits and the piece together; it returns how many bytes are done with, and the rest
	// waits. What waits is tried again only when its size has doubled, or with the last piece: one letter with a million marks,
	// or a word of a megabyte, would otherwise be scanned a million times. Returns false if scan was not called.
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
