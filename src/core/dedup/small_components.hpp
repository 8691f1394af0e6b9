// Components of few rows. Workers decide about them, in tasks of this number of rows or a few more; while they decide about the
// rows of one half, the caller returns the rows of the other.
#pragma once

#include <cstdint>
#include <span>
#include <utility>

#include "core/join/host.hpp"

namespace txtfp::core {

// Decider has decide_all(rows, decisions, worker), which any worker calls for a component, and put(decision), which the
// caller calls for each row, in the order of components.
template <class Decider, class Decision> class SmallComponents {
public:
	static constexpr std::size_t most_rows = 1024; // of a half, and so of a component

	SmallComponents(Decider &decider, JoinHost &host, JoinExecutor &executor)
		: decider_(decider), host_(host), executor_(executor)
	{
	}

	void add(std::span<const std::uint32_t> component)
	{
		if (filling_ == nullptr)
			begin();
		if (filling_->count + component.size() > most_rows) {
			post(*filling_);
			std::swap(filling_, other_);
			executor_.drain(other_->tasks);
			put(*filling_);
		}
		for (const std::uint32_t &row : component) {
			filling_->is_first[filling_->count] = &row == component.data();
			filling_->rows[filling_->count++] = row;
		}
		if (filling_->count - filling_->posted >= task_rows)
			post(*filling_);
	}
	// Decides about those that are left. Then no worker is at work, until more are added.
	void finish()
	{
		if (filling_ == nullptr)
			return;
		post(*filling_);
		executor_.finish();
		put(*other_);
		put(*filling_);
		filling_ = nullptr;
	}

private:
	static constexpr std::size_t task_rows = 64, most_tasks = 2 * (most_rows / task_rows + 1);
	struct Half {
		std::uint32_t rows[most_rows];
		bool is_first[most_rows]; // of its component
		Decision decisions[most_rows];
		std::size_t count, posted, tasks; // rows, those that tasks have, and these
	};
	struct Task {
		Half *half;
		std::size_t begin, end;
	};

	void begin()
	{
		if (halves_ == nullptr)
			halves_ = host_.array<Half>(2);
		filling_ = &halves_[0];
		other_ = &halves_[1];
		for (Half *half : {filling_, other_})
			half->count = half->posted = half->tasks = 0;
		posted_ = 0;
		executor_.begin(
			[](void *own, unsigned worker, std::size_t number) {
				if (number != JoinExecutor::none)
					static_cast<SmallComponents *>(own)->decide(worker, number);
			},
			this, most_tasks, executor_.workers());
	}
	void post(Half &half)
	{
		if (half.posted == half.count)
			return;
		tasks_[posted_++ % most_tasks] = {&half, half.posted, half.count};
		half.posted = half.count;
		++half.tasks;
		executor_.post(0);
	}
	void decide(unsigned worker, std::size_t number)
	{
		const Task task = tasks_[number % most_tasks];
		Half &half = *task.half;
		for (std::size_t begin = task.begin, next; begin < task.end; begin = next) {
			for (next = begin + 1; next < task.end && !half.is_first[next];)
				++next;
			decider_.decide_all({half.rows + begin, next - begin}, half.decisions + begin, worker);
		}
		executor_.host(worker).progress(task.end - task.begin);
	}
	void put(Half &half)
	{
		for (std::size_t i = 0; i < half.count; ++i)
			decider_.put(half.decisions[i]);
		half.count = half.posted = half.tasks = 0;
	}

	Decider &decider_;
	JoinHost &host_;
	JoinExecutor &executor_;
	Half *halves_ = nullptr, *filling_ = nullptr, *other_ = nullptr;
	Task tasks_[most_tasks];
	std::size_t posted_ = 0;
};

} // namespace txtfp::core
