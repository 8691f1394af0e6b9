// A file of a join in memory, which refuses to read what has not been written.
#pragma once

#include <algorithm>
#include <cstring>
#include <string>

#include "core/join/host.hpp"
#include "unit/check.hpp"

namespace txtfp::test {

class MemoryFile : public core::JoinFile {
public:
	void write(std::uint64_t at, const void *bytes, std::size_t size) override
	{
		bytes_.resize(std::max<std::size_t>(bytes_.size(), at + size));
		std::memcpy(bytes_.data() + at, bytes, size);
	}
	void read(std::uint64_t at, void *to, std::size_t size) override
	{
		CHECK_EQ(at + size <= bytes_.size(), true, at, size);
		if (at + size <= bytes_.size())
			std::memcpy(to, bytes_.data() + at, size);
	}
	const std::string &bytes() const { return bytes_; }

private:
	std::string bytes_;
};

} // namespace txtfp::test
