// Several threads: the union-find, and the workers of a join with the pairs that they find.
#include "core/threads/team.hpp"

#include <random>
#include <stdexcept>

#include "core/base/union_find.hpp"
#include "unit/check.hpp"

using namespace txtfp::core;

namespace {

struct Work {
	Team &team;
	std::size_t pairs; // of each task
	std::size_t fails; // this task throws
	UnionFind *sets = nullptr;
	const std::vector<std::pair<std::uint32_t, std::uint32_t>> *edges = nullptr;
};

void find_pairs(void *data, unsigned worker, std::size_t task)
{
	Work &work = *static_cast<Work *>(data);
	JoinHost &host = work.team.host(worker);
	void *first = host.allocate(100), *second = host.allocate(10);
	second = host.enlarge(second, 100000);
	host.free(first);
	if (task == work.fails)
		throw std::runtime_error("task fails"); // what was not freed belongs to the team
	for (std::uint32_t i = 0; i < work.pairs; ++i) {
		host.poll();
		work.team.pair(worker, {static_cast<std::uint32_t>(task), i, 0.5});
	}
	host.progress(1);
	host.free(second);
}

void unite_edges(void *data, unsigned, std::size_t task)
{
	Work &work = *static_cast<Work *>(data);
	for (std::size_t i = task * 1000; i < (task + 1) * 1000; ++i)
		work.sets->unite((*work.edges)[i].first, (*work.edges)[i].second);
}

void wait_for(Team &team)
{
	for (bool done = false; !done;)
		(void) team.next(done);
	team.end();
}

} // namespace

TEST(team_delivers_pairs_in_the_order_of_tasks)
{
	for (const unsigned threads : {1u, 2u, 5u})
		for (const std::size_t pairs : {0, 1, 4096, 300000}) { // more than are queued
			Team team(threads);
			Work work{team, pairs, 100};
			constexpr std::size_t tasks = 7;
			CHECK_EQ(team.start(tasks, find_pairs, &work), true, threads);
			std::size_t seen = 0, wrong = 0;
			for (bool done = false; !done;)
				for (const FoundPair &pair : team.next(done)) {
					wrong += pair.a != seen / pairs || pair.b != seen % pairs;
					++seen;
				}
			team.end();
			CHECK_EQ(seen, tasks * pairs, threads);
			CHECK_EQ(wrong, 0, threads);
			CHECK_EQ(team.take_progress(), tasks, threads);
		}
}

TEST(team_reports_the_error_of_a_task)
{
	for (const std::size_t fails : {0, 3, 6}) {
		Team team(3);
		Work work{team, 1000, fails};
		team.start(7, find_pairs, &work);
		std::string error;
		try {
			wait_for(team);
		} catch (const std::runtime_error &e) {
			error = e.what();
		}
		team.end();
		CHECK_EQ(error, std::string("task fails"), fails);
		Work again{team, 10, 100}; // and can start again
		team.start(7, find_pairs, &again);
		wait_for(team);
		CHECK_EQ(team.take_progress() >= 7, true, fails);
	}
}

TEST(team_ends_while_its_pairs_wait)
{
	Team team(4);
	Work work{team, 10'000'000, 100};
	team.start(8, find_pairs, &work);
	bool done = false;
	while (team.next(done).empty())
		;
	team.end(); // returns, although the queue is full and nobody reads it
	CHECK_EQ(done, false);
}

TEST(union_find_in_several_threads)
{
	constexpr std::uint32_t n = 20000;
	std::mt19937 random(1);
	for (int round = 0; round < 5; ++round) {
		std::vector<std::pair<std::uint32_t, std::uint32_t>> edges(8000 + 4000 * static_cast<std::size_t>(round));
		for (auto &[a, b] : edges) {
			a = random() % n;
			b = random() % n;
		}
		std::vector<std::uint32_t> parents(n), expected(n);
		UnionFind sets(parents.data()), plain(expected.data());
		for (std::uint32_t i = 0; i < n; ++i) {
			sets.add(i);
			plain.add(i);
		}
		for (const auto &[a, b] : edges)
			plain.unite(a, b);
		Team team(4);
		Work work{team, 0, 0, &sets, &edges};
		team.start(edges.size() / 1000, unite_edges, &work);
		wait_for(team);
		std::size_t wrong = 0;
		for (std::uint32_t i = 0; i < n; ++i)
			wrong += sets.find(i) != plain.find(i);
		CHECK_EQ(wrong, 0, round);
	}
}
