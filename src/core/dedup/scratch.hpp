// Memory for a while: what a part of the work allocates is freed at once. It has no destructor, because a host may leave
// by longjmp; then the memory is the host's to free.
#pragma once

#include <cstddef>
#include <span>
#include <utility>

#include "core/join/host.hpp"

namespace txtfp::core {

class Scratch {
public:
	explicit Scratch(JoinHost &host) : host_(host) {}
	void close()
	{
		while (blocks_ != nullptr)
			host_.free(std::exchange(blocks_, blocks_->before));
	}

	JoinHost &host() const { return host_; }
	template <class T> T *array(std::size_t n)
	{
		static_assert(alignof(T) <= alignof(Block));
		auto *block = static_cast<Block *>(host_.allocate(sizeof(Block) + sizeof(T) * n));
		block->before = blocks_;
		blocks_ = block;
		return reinterpret_cast<T *>(block + 1);
	}
	template <class T> std::span<T> span(std::size_t n) { return {array<T>(n), n}; }

private:
	struct alignas(8) Block {
		Block *before;
	};

	JoinHost &host_;
	Block *blocks_ = nullptr;
};

} // namespace txtfp::core
