#include "core/join/partitions.hpp"

#include <algorithm>
#include <vector>

#include "core/base/splitmix.hpp"
#include "unit/check.hpp"
#include "unit/counting_host.hpp"

using namespace txtfp::core;
using namespace txtfp::test;

namespace {

constexpr int bits = 64;

struct Row {
	std::uint64_t key;
	std::uint32_t row, payload;
	auto operator<=>(const Row &) const = default;
};

std::vector<Row> random_rows(std::size_t n, std::uint64_t different, std::uint64_t seed)
{
	SplitMix64 random(seed);
	std::vector<Row> rows;
	for (std::uint32_t i = 0; i < n; ++i) {
		// a third of the keys is between two others, so that their partition has to be divided
		const std::uint64_t key = SplitMix64::mixed(random.below(different));
		rows.push_back({i % 3 == 0 ? key >> 12 : key, i, i * 7});
	}
	return rows;
}

// What comes back, in the order of keys.
struct Result {
	std::vector<Row> rows;
	int blocks = 0, files = 0; // while rows are visited, at most
	unsigned polled = 0;
	std::size_t opened = 0;
};

Result sorted(const std::vector<Row> &rows, std::size_t memory, std::size_t payload, unsigned parts, bool shared)
{
	CountingHost host;
	Result result;
	std::vector<Partitions> of(parts);
	for (Partitions &part : of)
		part.open(host, bits, memory, payload, parts);
	for (std::size_t i = 0; i < rows.size(); ++i)
		of[i % parts].add(KeyedRow::of(rows[i].key, rows[i].row), payload == 0 ? nullptr : &rows[i].payload);
	for (Partitions &part : of)
		part.flush();
	for (std::size_t i = 1; i < of.size(); ++i)
		of[0].append(of[i]);
	CHECK_EQ(of[0].rows(), rows.size());
	const auto visit = [&](const SortedRows &found) {
		result.blocks = std::max(result.blocks, host.blocks);
		result.files = std::max(result.files, host.files);
		for (const KeyedRow &entry : found.rows) {
			std::uint32_t value = 0;
			if (payload != 0)
				std::memcpy(&value, found.payload(entry), sizeof value);
			result.rows.push_back({entry.key(), found.row(entry), value});
		}
	};
	SerialExecutor serial(host);
	if (shared)
		of[0].for_each_shared(serial, memory, [&](unsigned, const SortedRows &found) { visit(found); });
	else
		of[0].for_each_sorted_record(memory, visit);
	CHECK_EQ(host.blocks, 0, "memory is given back", memory, payload, parts);
	CHECK_EQ(host.files, 0, "files are closed", memory, payload, parts);
	result.polled = host.polled;
	result.opened = host.opened();
	return result;
}

} // namespace

TEST(partitions_sort_and_give_everything_back)
{
	for (const std::size_t payload : {std::size_t{0}, sizeof(std::uint32_t)})
		for (const unsigned parts : {1u, 3u})
			for (const std::size_t n : {0, 1, 1000, 60000}) {
				std::vector<Row> rows = random_rows(n, 1 + n / 2, n);
				const Result large = sorted(rows, 1 << 30, payload, parts, false),
							 medium = sorted(rows, 1 << 24, payload, parts, false), // 512, 256, 64 partitions
					small = sorted(rows, 1 << 16, payload, parts, false);
				std::sort(rows.begin(), rows.end());
				if (payload == 0)
					for (Row &row : rows)
						row.payload = 0;
				for (Result found : {large, medium, small}) {
					CHECK_EQ(std::is_sorted(found.rows.begin(), found.rows.end(),
								 [](const Row &x, const Row &y) { return x.key < y.key; }),
						true);
					std::sort(found.rows.begin(), found.rows.end());
					CHECK_EQ(found.rows == rows, true, n, payload, parts);
				}
				CHECK_EQ(large.opened, 0);
				CHECK_EQ(small.opened >= (n > 10000 ? parts : 0), true, small.opened);
			}
}

// A part that cannot be divided is sorted as a whole, even if it is larger than the memory.
TEST(partitions_of_one_key)
{
	std::vector<Row> rows(60000);
	for (std::uint32_t i = 0; i < rows.size(); ++i)
		rows[i] = {0x0123456789ABCDEF, i, i * 7};
	Result found = sorted(rows, 1 << 16, sizeof(std::uint32_t), 1, false);
	std::sort(found.rows.begin(), found.rows.end());
	CHECK_EQ(found.rows == rows, true);
}

TEST(partitions_return_rows_that_share_their_key)
{
	const std::vector<Row> rows = random_rows(60000, 60000, 5);
	for (const std::size_t memory : {std::size_t{1} << 30, std::size_t{1} << 16}) {
		const Result found = sorted(rows, memory, 0, 1, true);
		std::vector<std::uint64_t> keys;
		for (const Row &row : rows)
			keys.push_back(row.key);
		std::sort(keys.begin(), keys.end());
		std::size_t shared = 0, returned = 0;
		for (std::size_t i = 0; i < keys.size(); ++i)
			shared += (i > 0 && keys[i - 1] == keys[i]) || (i + 1 < keys.size() && keys[i + 1] == keys[i]);
		for (std::size_t i = 0; i < found.rows.size(); ++i)
			returned += (i > 0 && found.rows[i - 1].key == found.rows[i].key) ||
				(i + 1 < found.rows.size() && found.rows[i + 1].key == found.rows[i].key);
		CHECK_EQ(returned, shared, "all of them are there");
		CHECK_EQ(found.rows.size() - returned < 3000, true, found.rows.size(), returned); // and few others
	}
}

// One look for each block that is written or read, and for each partition.
TEST(partitions_poll)
{
	const std::vector<Row> rows = random_rows(60000, 60000, 5);
	const unsigned in_memory = sorted(rows, 1 << 30, 0, 1, false).polled,
				   in_files = sorted(rows, 1 << 16, 0, 1, false).polled;
	CHECK_EQ(in_memory >= 256, true, in_memory);
	CHECK_EQ(in_files >= 2000, true, in_files);
}
