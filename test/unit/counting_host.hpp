// A host that counts what it has given and not got back, and how often it was polled. Its files are in memory.
#pragma once

#include <deque>

#include "core/join/heap_host.hpp"
#include "unit/memory_file.hpp"

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
	std::size_t written() const // bytes, to all files
	{
		std::size_t bytes = 0;
		for (const File &file : files_)
			bytes += file.bytes().size();
		return bytes;
	}

	int blocks = 0, files = 0; // given and not got back
	unsigned polled = 0;

private:
	class File final : public MemoryFile {
	public:
		explicit File(CountingHost &host) : host_(host) {}
		void close() override { --host_.files; }

	private:
		CountingHost &host_;
	};

	std::deque<File> files_;
};

} // namespace txtfp::test
