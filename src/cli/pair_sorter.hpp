// Sorts pairs, using temporary files if there are more than fit in memory.
#pragma once

#include <algorithm>
#include <queue>
#include <string>
#include <vector>

#include "cli/files.hpp"
#include "cli/workers.hpp"

namespace txtfp::cli {

class PairSorter {
public:
	PairSorter(std::uint64_t memory, const std::string &directory)
		: most_(std::max<std::size_t>(memory / sizeof(Pair), 1 << 14)), directory_(directory)
	{
	}

	void add(const Pair &pair)
	{
		pairs_.push_back(pair);
		if (pairs_.size() == most_)
			spill();
	}

	template <class Fn> void for_each_sorted(Fn fn)
	{
		sort();
		if (runs_.empty()) {
			for (const Pair &pair : pairs_)
				fn(pair);
			return;
		}
		spill();
		pairs_ = {};
		merge(fn);
	}

private:
	struct Run {
		std::uint64_t at, end; // positions in the file, in pairs
		std::vector<Pair> buffer;
		std::size_t next = 0;
	};

	static bool before(const Pair &x, const Pair &y) noexcept { return x.a != y.a ? x.a < y.a : x.b < y.b; }
	void sort() { std::sort(pairs_.begin(), pairs_.end(), before); }

	void spill()
	{
		sort();
		if (!file_)
			file_.emplace(directory_);
		file_->write_at(written_ * sizeof(Pair), pairs_.data(), pairs_.size() * sizeof(Pair));
		runs_.push_back({written_, written_ + pairs_.size(), {}, 0});
		written_ += pairs_.size();
		pairs_.clear();
	}

	bool refill(Run &run, std::size_t room)
	{
		run.buffer.resize(std::min<std::uint64_t>(room, run.end - run.at));
		run.next = 0;
		file_->read_at(run.at * sizeof(Pair), run.buffer.data(), run.buffer.size() * sizeof(Pair));
		run.at += run.buffer.size();
		return !run.buffer.empty();
	}

	template <class Fn> void merge(Fn fn)
	{
		const std::size_t room = std::max<std::size_t>(most_ / runs_.size(), 64);
		const auto later = [](const Run *x, const Run *y) { return before(y->buffer[y->next], x->buffer[x->next]); };
		std::priority_queue<Run *, std::vector<Run *>, decltype(later)> queue(later);
		for (Run &run : runs_)
			if (refill(run, room))
				queue.push(&run);
		while (!queue.empty()) {
			Run *run = queue.top();
			queue.pop();
			fn(run->buffer[run->next++]);
			if (run->next < run->buffer.size() || refill(*run, room))
				queue.push(run);
			else
				run->buffer = {};
		}
	}

	std::size_t most_;
	std::string directory_;
	std::vector<Pair> pairs_;
	std::optional<TemporaryFile> file_;
	std::vector<Run> runs_;
	std::uint64_t written_ = 0;
};

} // namespace txtfp::cli
