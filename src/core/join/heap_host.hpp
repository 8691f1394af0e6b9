// Memory of a host from the heap. What was not freed, because an exception was thrown, is freed with the host.
#pragma once

#include <cstdlib>
#include <new>
#include <utility>

#include "core/join/host.hpp"

namespace txtfp::core {

class HeapHost : public JoinHost {
public:
	HeapHost() = default;
	HeapHost(const HeapHost &) = delete;
	virtual ~HeapHost()
	{
		while (blocks_ != nullptr)
			std::free(std::exchange(blocks_, blocks_->after));
	}

	void *allocate(std::size_t bytes) override
	{
		auto *block = static_cast<Block *>(std::malloc(sizeof(Block) + bytes));
		if (block == nullptr)
			throw std::bad_alloc();
		block->before = nullptr;
		block->after = blocks_;
		relink(block);
		return block + 1;
	}
	void *enlarge(void *memory, std::size_t bytes) override
	{
		auto *block = static_cast<Block *>(std::realloc(static_cast<Block *>(memory) - 1, sizeof(Block) + bytes));
		if (block == nullptr)
			throw std::bad_alloc();
		relink(block);
		return block + 1;
	}
	void free(void *memory) override
	{
		Block *block = static_cast<Block *>(memory) - 1;
		(block->before == nullptr ? blocks_ : block->before->after) = block->after;
		if (block->after != nullptr)
			block->after->before = block->before;
		std::free(block);
	}

private:
	struct alignas(16) Block {
		Block *before, *after;
	};
	// Tells its neighbours where the block is.
	void relink(Block *block) noexcept
	{
		(block->before == nullptr ? blocks_ : block->before->after) = block;
		if (block->after != nullptr)
			block->after->before = block;
	}

	Block *blocks_ = nullptr;
};

} // namespace txtfp::core
