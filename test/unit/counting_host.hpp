// A host that counts what it has given and not got back, and how often it was polled. Its files are in memory.
#pragma once

#include <algorithm>
#include <cstring>
#include <deque>
#include <vector>

#include "core/join/heap_host.hpp"
#include "unit/check.hpp"

namespace txtfp::test {

class CountingHost final : public core::HeapHost {
public:
	void *allocate(std::size_t bytes) override
	{
		++blocks;
		return HeapHost::allocate(bytes);
	}
	void free(void *memory) override
	{
		--blocks;
		HeapHost::free(memory);
	}
	void poll() override { ++polled; }
	core::JoinFile *open_file() override
	{
		++files;
		return &files_.emplace_back(*this);
	}
	void progress(std::uint64_t) override {}

	std::size_t opened() const { return files_.size(); }

	int blocks = 0, files = 0; // given and not got back
	unsigned polled = 0;

private:
	class File final : public core::JoinFile {
	public:
		explicit File(CountingHost &host) : host_(host) {}
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
		void close() override { --host_.files; }

	private:
		CountingHost &host_;
		std::vector<char> bytes_;
	};

	std::deque<File> files_;
};

} // namespace txtfp::test
