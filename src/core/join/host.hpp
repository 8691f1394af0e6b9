// What a join has from its caller: memory, temporary files, interrupts, and somebody who does its work. Every function
// may leave by an exception or, in the server, by longjmp. Therefore nothing in src/core/join has a destructor: memory
// and files that were not given back are the host's to free.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/keyed_rows.hpp"

namespace txtfp::core {

// A temporary file. One thread writes it; several may read it after that.
class JoinFile {
public:
	virtual void write(std::uint64_t at, const void *bytes, std::size_t size) = 0;
	// Several threads write where the caller has reserved room. Only the caller counts what a file takes, and may
	// refuse it.
	virtual std::uint64_t reserve(std::uint64_t bytes) { return bytes; } // returns how many there is room for
	virtual void write_reserved(std::uint64_t at, const void *bytes, std::size_t size) { write(at, bytes, size); }
	virtual void read(std::uint64_t at, void *to, std::size_t size) = 0; // bytes that have been written
	virtual void close() = 0;

	// After the last write. A file that is not mapped has nothing to request or to release.
	virtual void map(std::uint64_t) {}
	virtual bool is_mapped() const { return false; }
	virtual void request(std::uint64_t, std::size_t) const {} // from memory into the cache of the processor
	virtual void release(std::uint64_t, std::uint64_t) {}     // these bytes no longer count as memory of the process
	virtual void prefetch(std::uint64_t, std::size_t) {}      // from the disk
	virtual bool exceeds_cache(std::uint64_t) const
	{
		return false;
	} // does a file of this size exceed the cache of the operating system?

protected:
	~JoinFile() = default;
};

class JoinHost {
public:
	virtual void *allocate(std::size_t bytes) = 0;              // never null
	virtual void *enlarge(void *memory, std::size_t bytes) = 0; // of allocate()
	virtual void free(void *memory) = 0;
	virtual void poll() = 0; // called often
	virtual JoinFile *open_file() = 0;
	virtual void progress(std::uint64_t steps) = 0; // this many more are done
	// Has the caller's thread run fn(data), and returns when it has.
	virtual void ask(void (*fn)(void *data), void *data) { fn(data); }

	template <class Fn> void ask_caller(Fn fn)
	{
		ask([](void *fn) { (*static_cast<Fn *>(fn))(); }, &fn);
	}
	template <class T> T *array(std::size_t n)
	{
		return static_cast<T *>(allocate(sizeof(T) * std::max<std::size_t>(1, n)));
	}
	// nullptr is an empty array.
	template <class T> T *enlarged(T *array_, std::size_t n)
	{
		return array_ == nullptr ? array<T>(n) : static_cast<T *>(enlarge(array_, sizeof(T) * n));
	}

protected:
	~JoinHost() = default;
};

// Gets the pairs that a join finds, in the caller's thread.
class PairSink {
public:
	virtual void pair(std::uint32_t a, std::uint32_t b, double similarity) = 0; // ranks, a < b
	virtual void request(std::uint32_t, std::uint32_t) {} // from memory into the cache of the processor, for pair()

protected:
	~PairSink() = default;
};

// Does tasks, in one thread or in several. Each worker has its own host. Worker 0 is the caller.
class JoinExecutor {
public:
	using Task = void (*)(void *data, unsigned worker, std::size_t number);

	virtual unsigned workers() const = 0;
	virtual JoinHost &host(unsigned worker) = 0;
	// Calls task(data, worker, number) once for each number from 0 to n − 1, and returns when all have been done.
	virtual void run(std::size_t n, Task task, void *data) = 0;

	// Tasks that come one by one, while the caller prepares the next. begin() says what they do, at most how many of
	// them may be unfinished when post() returns, which gives the next number to a worker, and how many workers there
	// are, the caller included; finish() waits for all. Each but worker 0 calls the task with `none` at the end.
	static constexpr std::size_t none = ~std::size_t{0};
	virtual unsigned streams() const { return 1; } // workers for which there is memory while rows arrive
	virtual void begin(Task task, void *data, std::size_t, unsigned)
	{
		stream_ = task;
		stream_data_ = data;
		posted_ = 0;
	}
	virtual void post(std::size_t) { stream_(stream_data_, 0, posted_++); } // of this many bytes that arrived
	virtual void drain(std::size_t = 0) {} // waits until this many of the posted tasks are left; more may come
	virtual void finish() {}

	// In a task: passes a pair on to the sink. It gets the pairs of all workers in the order of tasks.
	virtual void pair(unsigned, std::uint32_t a, std::uint32_t b, double similarity) { sink_->pair(a, b, similarity); }
	void deliver_to(PairSink &sink) { sink_ = &sink; }

	template <class Fn> void for_each(std::size_t n, Fn fn)
	{
		run(
			n, [](void *fn, unsigned worker, std::size_t number) { (*static_cast<Fn *>(fn))(worker, number); }, &fn);
	}

	// Calls fn(worker, first, end) for parts of 0 … n − 1.
	template <class Fn> void for_each_part(std::uint32_t n, Fn fn)
	{
		constexpr std::uint32_t part = 1 << 14;
		for_each((std::size_t{n} + part - 1) / part, [&](unsigned worker, std::size_t number) {
			const auto first = static_cast<std::uint32_t>(number * part);
			fn(worker, first, first + std::min(part, n - first));
		});
	}

protected:
	~JoinExecutor() = default;

	Task stream_ = nullptr;
	void *stream_data_ = nullptr;
	std::size_t posted_ = 0;
	PairSink *sink_ = nullptr;
};

// In the caller's own thread.
class SerialExecutor final : public JoinExecutor {
public:
	explicit SerialExecutor(JoinHost &host) : host_(host) {}
	unsigned workers() const override { return 1; }
	JoinHost &host(unsigned) override { return host_; }
	void run(std::size_t n, Task task, void *data) override
	{
		for (std::size_t number = 0; number < n; ++number)
			task(data, 0, number);
	}

private:
	JoinHost &host_;
};

// Sorts by key, then by row, as many as a collection or a partition has. The keys may differ only in their low `bits` bits.
inline void sort_rows(JoinHost &host, std::span<KeyedRow> rows, int bits = 64)
{
	sort_rows(rows, bits, [](void *polled) { static_cast<JoinHost *>(polled)->poll(); }, &host);
}

} // namespace txtfp::core
