// SetJoin beside the definition: every pair of sets, with its similarity; for sets that stay in memory and for those that go to files and are joined
// in many blocks, in one worker and in several that do their tasks in any order.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <deque>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "core/join/heap_host.hpp"
#include "core/set_join.hpp"
#include "unit/check.hpp"

using namespace txtfp;
using namespace txtfp::trgm;

namespace {

class MemoryFile final : public core::JoinFile {
public:
	void write(std::uint64_t at, const void *bytes, std::size_t size) override
	{
		bytes_.resize(std::max<std::size_t>(bytes_.size(), at + size));
		std::memcpy(bytes_.data() + at, bytes, size);
	}
	void read(std::uint64_t at, void *to, std::size_t size) override { std::memcpy(to, bytes_.data() + at, size); }
	void close() override { bytes_.clear(); }

private:
	std::string bytes_;
};

class TestHost final : public core::HeapHost {
public:
	void poll() override { ++polls; }
	core::JoinFile *open_file() override { return &files.emplace_back(); }
	void progress(std::uint64_t n) override { steps += n; }

	std::deque<MemoryFile> files;
	std::uint64_t polls = 0, steps = 0;
};

// Does its tasks backwards, each with the next of three hosts.
class BackwardsExecutor final : public JoinExecutor {
public:
	unsigned workers() const override { return 3; }
	JoinHost &host(unsigned worker) override { return hosts[worker]; }
	void run(std::size_t n, Task task, void *data) override
	{
		while (n-- > 0)
			task(data, static_cast<unsigned>(n % 3), n);
	}
	TestHost hosts[3];
};

using Terms = std::vector<std::uint32_t>;
using Found = std::vector<std::tuple<std::uint32_t, std::uint32_t, float>>;

Found by_definition(const std::vector<Terms> &sets, double threshold)
{
	Found found;
	for (std::uint32_t b = 0; b < sets.size(); ++b)
		for (std::uint32_t a = 0; a < b; ++a) {
			Terms common;
			std::set_intersection(
				sets[a].begin(), sets[a].end(), sets[b].begin(), sets[b].end(), std::back_inserter(common));
			const std::size_t all = sets[a].size() + sets[b].size() - common.size();
			const float similarity = all == 0 ? 0 : static_cast<float>(common.size()) / static_cast<float>(all);
			if (static_cast<double>(similarity) >= threshold)
				found.emplace_back(a, b, similarity);
		}
	std::sort(found.begin(), found.end());
	return found;
}

struct Outcome {
	Found found;
	std::uint64_t steps, expected_steps;
	std::size_t files;
};

Outcome join(const std::vector<Terms> &sets, double threshold, const SetJoinMemory &memory, bool backwards)
{
	TestHost host;
	BackwardsExecutor several;
	core::SerialExecutor one(host);
	SetJoin join(host, threshold, memory);
	for (Terms terms : sets)
		join.add(terms);
	join.finish();
	host.steps = 0;
	Outcome outcome{};
	outcome.expected_steps = join.steps();
	join.pairs(backwards ? static_cast<JoinExecutor &>(several) : one,
		[&](unsigned, std::uint32_t a, std::uint32_t b, float similarity) {
			outcome.found.emplace_back(std::min(a, b), std::max(a, b), similarity);
		});
	join.close();
	outcome.steps = host.steps + several.hosts[0].steps + several.hosts[1].steps + several.hosts[2].steps;
	outcome.files = host.files.size();
	std::sort(outcome.found.begin(), outcome.found.end());
	return outcome;
}

constexpr SetJoinMemory large = {1 << 24, 1 << 24, 1 << 24}, small = {1, 1, 1};

// Words of a few letters with changes: sets that share much, and copies.
std::vector<Terms> random_sets(std::mt19937_64 &random, std::size_t count, std::uint32_t terms, std::uint32_t largest)
{
	std::vector<Terms> sets;
	while (sets.size() < count) {
		std::set<std::uint32_t> set;
		if (!sets.empty() && random() % 3 != 0) {
			const Terms &other = sets[random() % sets.size()];
			set.insert(other.begin(), other.end());
			for (std::size_t changes = random() % 6; changes > 0 && !set.empty(); --changes)
				set.erase(std::next(set.begin(), static_cast<std::ptrdiff_t>(random() % set.size())));
		}
		for (std::size_t n = random() % (set.empty() ? largest + 1 : 5); n > 0; --n) {
			const auto x = static_cast<std::uint32_t>(random() % terms),
					   y = static_cast<std::uint32_t>(random() % terms);
			set.insert(std::min(x, y) * 0x10001u & 0xFFFFFF); // some are frequent
		}
		sets.emplace_back(set.begin(), set.end());
	}
	return sets;
}

} // namespace

TEST(set_join_finds_the_pairs_of_the_definition)
{
	std::mt19937_64 random(50);
	for (std::size_t round = 0; round < test::by_length(200, 5); ++round) {
		const auto sets =
			random_sets(random, 1 + random() % 300, round % 3 == 0 ? 30 : 3000, round % 5 == 0 ? 300 : 40);
		for (const double threshold : {1e-6, 0.1, 0.3, 1 / 3.0, 0.5, 0.6, 0.7, 0.75, 0.8, 0.95, 1.0}) {
			const Found expected = by_definition(sets, threshold);
			for (const bool backwards : {false, true})
				for (const SetJoinMemory &memory : {large, small}) {
					const Outcome outcome = join(sets, threshold, memory, backwards);
					CHECK_EQ(
						outcome.found == expected, true, round, threshold, backwards, memory.terms, expected.size());
					CHECK_EQ(outcome.steps, outcome.expected_steps);
				}
		}
	}
}

TEST(set_join_writes_files_when_memory_is_short)
{
	std::mt19937_64 random(51);
	const auto sets = random_sets(random, 6000, 3000, 40);
	CHECK_EQ(join(sets, 0.9, large, false).files, 0);
	const Outcome outcome = join(sets, 0.9, {1, 1, 100000}, false);
	CHECK_EQ(outcome.files, 2);
	CHECK_EQ(outcome.found == join(sets, 0.9, large, false).found, true);
	CHECK_EQ(outcome.steps > 6000, true); // several blocks
}

// A float that is rounded up reaches a threshold just above the true quotient, and one that is rounded down does not reach it.
TEST(set_join_limit_is_that_of_rounded_quotients)
{
	for (std::uint32_t common = 1; common < 40; ++common)
		for (std::uint32_t all = common; all < 60; ++all) {
			const double rounded = static_cast<float>(common) / static_cast<float>(all);
			for (const double threshold : {rounded, std::nextafter(rounded, 0.0), std::nextafter(rounded, 1.0),
					 static_cast<double>(common) / all}) {
				if (threshold > 1)
					continue;
				const SimilarityLimit limit(threshold);
				CHECK_EQ(limit.least_common(common + all) <= common, rounded >= threshold, common, all, threshold);
			}
		}
	const SimilarityLimit limit(0.7);
	CHECK_EQ(limit.least_common(17), 8);                                         // 7 of 10 are 0.699999988
	for (const std::uint32_t sum : {1023u, 1024u, 1025u, 3000001u, 20000000u}) { // tabulated, and computed
		const std::uint32_t least = limit.least_common(sum);
		CHECK_EQ(similarity_of(least, sum) >= 0.7, true, sum);
		CHECK_EQ(similarity_of(least - 1, sum) < 0.7, true, sum);
	}
	for (std::uint32_t size = 1; size < 3000; size += 1 + size / 40) {
		const std::uint32_t least = limit.least_size(size);
		CHECK_EQ(limit.may_be_similar(least, size), true, size);
		CHECK_EQ(least == 1 || !limit.may_be_similar(least - 1, size), true, size);
	}
}

TEST(set_join_of_nothing_and_of_empty_sets)
{
	CHECK_EQ(join({}, 0.5, large, false).found.size(), 0);
	CHECK_EQ(join({{}, {}, {1}}, 0.000001, small, true).found.size(), 0);
	const Found copies = {{0, 2, 1.0f}};
	CHECK_EQ(join({{5}, {}, {5}}, 1, small, false).found == copies, true);
}

// More terms than the field of a place can number
TEST(set_join_of_huge_sets)
{
	Terms a, b, c;
	for (std::uint32_t i = 0; i < test::by_length(3000000, 300000); ++i) {
		a.push_back(i);
		if (i % 10 != 0)
			b.push_back(i);
		if (i % 3 == 0)
			c.push_back(i);
	}
	CHECK_EQ(join({a, b, c}, 0.5, small, false).found == by_definition({a, b, c}, 0.5), true);
	CHECK_EQ(join({a, b, c}, 0.1, small, false).found == by_definition({a, b, c}, 0.1), true);
}
