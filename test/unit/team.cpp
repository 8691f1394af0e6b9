// Several threads: the union-find, and the workers of a join with the pairs that they find.
#include "core/threads/team.hpp"

#include <cerrno>
#include <cstring>
#include <deque>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

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
			CHECK_EQ(team.fetch_progress(), tasks, threads);
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
		CHECK_EQ(team.fetch_progress() >= 7, true, fails);
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

namespace {

// What the caller of a stream gives, in memory. A file fails where it has no room that was reserved.
class MemoryFile final : public JoinFile {
public:
	void write(std::uint64_t, const void *, std::size_t) override { ++direct_; }
	std::uint64_t reserve(std::uint64_t size) override
	{
		bytes_.resize(std::max<std::size_t>(bytes_.size(), size));
		return bytes_.size();
	}
	void write_reserved(std::uint64_t at, const void *bytes, std::size_t size) override
	{
		if (at + size > bytes_.size())
			throw std::runtime_error("not reserved");
		std::memcpy(bytes_.data() + at, bytes, size);
	}
	void read(std::uint64_t at, void *to, std::size_t size) override { std::memcpy(to, bytes_.data() + at, size); }
	void close() override {}
	std::size_t direct() const { return direct_; }

private:
	std::vector<char> bytes_;
	std::size_t direct_ = 0;
};

class MemoryHost final : public HeapHost {
public:
	void poll() override {}
	JoinFile *open_file() override { return &files_.emplace_back(); }
	void progress(std::uint64_t) override {}
	const std::deque<MemoryFile> &files() const { return files_; }

private:
	std::deque<MemoryFile> files_;
};

// Each task writes its number to the file of its worker.
struct Stream {
	Team &team;
	std::size_t fails;
	std::vector<JoinFile *> files;
	std::vector<std::vector<std::size_t>> written;
	std::vector<int> ends;
};

void write_number(void *data, unsigned worker, std::size_t number)
{
	Stream &stream = *static_cast<Stream *>(data);
	if (number == JoinExecutor::none) {
		++stream.ends[worker];
		return;
	}
	if (number == stream.fails)
		throw std::runtime_error("task fails");
	if (stream.files[worker] == nullptr)
		stream.files[worker] = stream.team.host(worker).open_file();
	stream.files[worker]->write(stream.written[worker].size() * sizeof number, &number, sizeof number);
	stream.written[worker].push_back(number);
	stream.team.pair(worker, {static_cast<std::uint32_t>(number), 0, 0});
}

// As the caller does it: answers, takes the pairs, and lets at most `most` tasks wait.
std::size_t serve(Team &team, bool &done)
{
	const std::size_t pairs = team.next(done).size();
	if (Team::Question *question = team.question(); question != nullptr) {
		question->fn(question->data);
		team.answer(*question);
	}
	return pairs;
}

} // namespace

TEST(team_takes_tasks_as_they_come)
{
	constexpr std::size_t first = 3, tasks = 5000, most = 4;
	for (const unsigned threads : {1u, 2u, 5u}) {
		MemoryHost host;
		Team team(threads, &host);
		Stream stream{team, tasks + first, std::vector<JoinFile *>(threads + 1),
			std::vector<std::vector<std::size_t>>(threads + 1), std::vector<int>(threads + 1)};
		CHECK_EQ(team.start_stream(write_number, &stream, first, threads), true, threads);
		std::size_t pairs = 0, too_many = 0;
		bool done = false;
		for (std::size_t i = 0; i < tasks; ++i) {
			std::size_t unfinished = team.post();
			for (; unfinished > most; unfinished = team.unfinished())
				pairs += serve(team, done);
			too_many += unfinished > most;
		}
		team.close();
		while (!done)
			pairs += serve(team, done);
		team.end();
		CHECK_EQ(pairs, tasks, threads);
		CHECK_EQ(too_many, 0, threads);
		std::size_t sum = 0, different = 0;
		for (unsigned worker = 1; worker <= threads; ++worker) {
			CHECK_EQ(stream.ends[worker], 1, threads, worker);
			for (std::size_t i = 0; i < stream.written[worker].size(); ++i) {
				std::size_t number = 0;
				stream.files[worker]->read(i * sizeof number, &number, sizeof number);
				different += number != stream.written[worker][i];
				sum += number;
			}
		}
		CHECK_EQ(different, 0, threads);
		CHECK_EQ(sum, tasks * first + tasks * (tasks - 1) / 2, threads);
		for (const MemoryFile &file : host.files())
			CHECK_EQ(file.direct(), 0, threads); // threads write only what was reserved
	}
}

// The caller leaves in the middle, as after an error: with tasks that wait, and with a question that nobody answers.
TEST(team_stream_ends_at_any_time)
{
	for (const std::size_t posted : {0, 1, 50}) {
		MemoryHost host;
		Team team(3, &host);
		Stream stream{
			team, 40, std::vector<JoinFile *>(4), std::vector<std::vector<std::size_t>>(4), std::vector<int>(4)};
		team.start_stream(write_number, &stream, 0, 3);
		for (std::size_t i = 0; i < posted; ++i)
			team.post();
		team.end();
		CHECK_EQ(stream.ends[1] + stream.ends[2] + stream.ends[3], 0, posted);
	}
	MemoryHost host;
	Team team(3, &host);
	Stream stream{team, 2, std::vector<JoinFile *>(4), std::vector<std::vector<std::size_t>>(4), std::vector<int>(4)};
	team.start_stream(write_number, &stream, 0, 3);
	std::string error;
	try {
		for (bool done = false; !done;) {
			team.post();
			serve(team, done);
		}
	} catch (const std::runtime_error &e) {
		error = e.what();
	}
	team.end();
	CHECK_EQ(error, std::string("task fails"));
}

TEST(a_full_disk_is_told_from_other_errors)
{
	for (const auto &[code, kind] : {std::pair(ENOSPC, ErrorKind::disk_full), std::pair(EIO, ErrorKind::file)})
		try {
			throw_file_error("write to", "base/pgsql_tmp/7", code);
		} catch (const Error &e) {
			CHECK_EQ(e.kind() == kind, true, code);
			CHECK_EQ(std::string(e.what()).starts_with("could not write to temporary file \"base/pgsql_tmp/7\": "), true, code);
		}
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
