#include <cstring>
#include <string>
#include <vector>

#include "core/base/splitmix.hpp"
#include "core/join/heap_host.hpp"
#include "core/join/spool.hpp"
#include "unit/check.hpp"
#include "unit/memory_file.hpp"

using namespace txtfp::core;
using namespace txtfp::test;

namespace {

// Is written from its beginning to its end, but for reserved room, and remembers what it was asked for.
class SpoolFile final : public MemoryFile {
public:
	void write(std::uint64_t at, const void *bytes, std::size_t size) override
	{
		CHECK_EQ(at, this->bytes().size());
		MemoryFile::write(at, bytes, size);
	}
	void write_reserved(std::uint64_t at, const void *bytes, std::size_t size) override
	{
		MemoryFile::write(at, bytes, size);
	}
	void close() override { is_closed = true; }
	void map(std::uint64_t size) override { mapped_ = size; }
	bool is_mapped() const override { return mapped_ > 0; }
	void release(std::uint64_t begin, std::uint64_t end) override { released.push_back({begin, end}); }
	void prefetch(std::uint64_t at, std::size_t size) override { prefetched.push_back({at, at + size}); }
	void request(std::uint64_t at, std::size_t size) const override { CHECK_EQ(at + size <= mapped_, true, at, size); }

	struct Range {
		std::uint64_t begin, end;
	};
	std::vector<Range> released, prefetched;
	bool is_closed = false;

private:
	std::uint64_t mapped_ = 0;
};

class SpoolHost final : public HeapHost {
public:
	JoinFile *open_file() override
	{
		++opened;
		return &file;
	}
	void poll() override { ++polled; }
	void progress(std::uint64_t) override {}

	SpoolFile file;
	unsigned opened = 0, polled = 0;
};

std::string random_bytes(SplitMix64 &random, std::size_t size)
{
	std::string bytes(size, '\0');
	for (char &byte : bytes)
		byte = static_cast<char>(random());
	return bytes;
}

// Everything at places around those where memory, its chunks and the file begin and end, in pieces of several sizes
void compare(Spool &spool, const std::string &all, std::uint64_t kept)
{
	CHECK_EQ(spool.size(), all.size());
	std::string buffer(3 * Spool::chunk_size, '\0');
	for (const std::uint64_t around :
		{std::uint64_t{0}, std::uint64_t{Spool::chunk_size}, kept, kept + 64 * 1024, std::uint64_t{all.size()}})
		for (const std::int64_t before : {70000, 33, 8, 1, 0})
			for (const std::size_t size : {std::size_t{1}, std::size_t{8}, std::size_t{34}, std::size_t{100000}}) {
				if (around < static_cast<std::uint64_t>(before) || around - before + size > all.size())
					continue;
				const std::uint64_t from = around - static_cast<std::uint64_t>(before);
				const void *bytes = spool.read(from, size, buffer.data());
				CHECK_EQ(std::memcmp(bytes, all.data() + from, size) == 0, true, from, size);
				spool.copy(from, size, buffer.data());
				CHECK_EQ(std::memcmp(buffer.data(), all.data() + from, size) == 0, true, from, size);
			}
}

} // namespace

// In memory only, at the edge, and with a file; then none in memory, and mapped
TEST(spools_give_back_what_they_got)
{
	SplitMix64 random(44);
	for (const std::size_t memory :
		{std::size_t{0}, 2 * Spool::chunk_size, 2 * Spool::chunk_size + 1, 9 * Spool::chunk_size})
		for (const std::size_t size : {std::size_t{1}, std::size_t{1000}, 2 * Spool::chunk_size,
				 2 * Spool::chunk_size + 1, 5 * Spool::chunk_size + 77})
			for (const int then : {0, 1, 2, 3}) {
				SpoolHost host;
				Spool spool;
				spool.open(host, memory);
				const std::string all = random_bytes(random, size);
				for (std::size_t at = 0; at < size;) {
					const std::size_t n = std::min<std::size_t>(size - at, 1 + random() % 150000);
					CHECK_EQ(spool.append(all.data() + at, n), at);
					at += n;
				}
				std::uint64_t kept = std::max<std::size_t>(1, memory / Spool::chunk_size) * Spool::chunk_size;
				CHECK_EQ(spool.has_file(), size > kept, memory, size);
				compare(spool, all, kept);
				if (then == 1 || then == 2)
					spool.unload();
				if (then >= 2)
					spool.map();
				compare(spool, all, kept);
				CHECK_EQ(host.opened, size > kept ? 1u : 0u);
				if ((then == 1 || then == 2) && size > kept)
					CHECK_EQ(host.polled >= 1, true, then);
				CHECK_EQ(spool.is_mapped(), then >= 2 && size > kept);
				if (spool.is_mapped())
					for (std::uint64_t at = 0; at + 16 <= size; at += 4096)
						spool.request(at, 16);
				spool.close();
				CHECK_EQ(host.file.is_closed, size > kept);
			}
}

// What is asked for ahead, and given back, are the bytes that the file has of it: after unload() its beginning follows the rest.
TEST(spools_know_the_places_of_a_file)
{
	SplitMix64 random(45);
	const std::string all = random_bytes(random, 3 * Spool::chunk_size);
	SpoolHost host;
	Spool spool;
	spool.open(host, Spool::chunk_size);
	spool.append(all.data(), all.size());
	spool.prefetch(0, 1000); // in memory
	CHECK_EQ(host.file.prefetched.size(), 0u);
	spool.prefetch(Spool::chunk_size + 5, 1000);
	CHECK_EQ(host.file.prefetched.size(), 1u);
	CHECK_EQ(host.file.prefetched[0].begin, 5u);
	CHECK_EQ(host.file.prefetched[0].end, 1005u);
	spool.release(0, 10); // not mapped
	CHECK_EQ(host.file.released.size(), 0u);
	spool.unload();
	CHECK_EQ(host.file.bytes() == all.substr(Spool::chunk_size) + all.substr(0, Spool::chunk_size), true);
	spool.map();
	const std::uint64_t begin = Spool::chunk_size, of_file = 2 * begin;
	spool.release(10, 20); // of what was in memory
	spool.release(begin + 10, begin + 20);
	spool.release(begin - 10, begin + 20); // both
	const std::vector<SpoolFile::Range> wanted = {
		{of_file + 10, of_file + 20}, {10, 20}, {of_file + begin - 10, of_file + begin}, {0, 20}};
	CHECK_EQ(host.file.released.size(), wanted.size());
	for (std::size_t i = 0; i < std::min(wanted.size(), host.file.released.size()); ++i) {
		CHECK_EQ(host.file.released[i].begin, wanted[i].begin, i);
		CHECK_EQ(host.file.released[i].end, wanted[i].end, i);
	}
	spool.close();
}

// Pieces that somebody else fills in, as the threads of a bulk function do
TEST(spools_take_pieces)
{
	SplitMix64 random(46);
	constexpr std::size_t piece_size = 64 * 1024;
	for (const std::size_t size : {piece_size, 9 * piece_size, 9 * piece_size + 100}) {
		const std::string all = random_bytes(random, size);
		SpoolHost host;
		Spool spool;
		spool.open(host, Spool::chunk_size);
		char *buffer = nullptr;
		for (std::size_t at = 0; at < size; at += piece_size) {
			const std::size_t n = std::min(piece_size, size - at);
			const Spool::Piece piece = spool.next_piece(buffer, piece_size);
			std::memcpy(piece.bytes, all.data() + at, n);
			spool.end_piece(piece, n);
			if (piece.file != nullptr)
				piece.file->write_reserved(piece.place, piece.bytes, n);
		}
		compare(spool, all, Spool::chunk_size);
		if (buffer != nullptr)
			host.free(buffer);
		spool.close();
	}
}
