// A growing buffer that is written through a bare pointer. std::string zero-fills new capacity; that cost a quarter of
// the time of canonicalizing ASCII.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

namespace txtfp::core {

class TextBuffer {
public:
	TextBuffer() noexcept = default;
	TextBuffer(TextBuffer &&other) noexcept { *this = std::move(other); }
	TextBuffer &operator=(TextBuffer &&other) noexcept
	{
		bytes_ = std::move(other.bytes_);
		size_ = std::exchange(other.size_, 0);
		capacity_ = std::exchange(other.capacity_, 0);
		return *this;
	}

	operator std::string_view() const noexcept { return {bytes_.get(), size_}; }
	friend bool operator==(const TextBuffer &a, std::string_view b) noexcept { return std::string_view(a) == b; }
	std::size_t size() const noexcept { return size_; }
	std::size_t capacity() const noexcept { return capacity_; }
	char *data() noexcept { return bytes_.get(); }

	// `size` ≤ capacity(). Bytes that were never written are indeterminate.
	void set_size(std::size_t size) noexcept { size_ = size; }

	// Grows the capacity by at least half and keeps the first `size` bytes, which have been written. Throws
	// std::bad_alloc.
	void reserve(std::size_t capacity, std::size_t size)
	{
		if (capacity <= capacity_)
			return;
		capacity = std::max(capacity, capacity_ + capacity_ / 2);
		std::unique_ptr<char[]> bytes(new char[capacity]); // libc++ before 16 lacks make_unique_for_overwrite
		if (size > 0)
			std::memcpy(bytes.get(), bytes_.get(), size);
		bytes_ = std::move(bytes);
		capacity_ = capacity;
	}

	void append(std::string_view text)
	{
		reserve(size_ + text.size(), size_);
		if (!text.empty())
			std::memcpy(bytes_.get() + size_, text.data(), text.size());
		size_ += text.size();
	}

private:
	std::unique_ptr<char[]> bytes_;
	std::size_t size_ = 0, capacity_ = 0;
};

} // namespace txtfp::core
