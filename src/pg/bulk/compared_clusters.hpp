// The rows of clusters on their way to the result: compared in workers, returned by the caller.
#pragma once

#include <algorithm>

#include "pg/bulk/cluster_rows.hpp"
#include "pg/bulk/near_duplicates.hpp"
#include "pg/bulk/workers.hpp"

namespace txtfp::pg {

// Compares the rows of clusters with those that their clusters are named after, and passes those of clusters of two and
// more to the result. Where sketches are in a file, many are read at once.
class ComparedClusters {
public:
	ComparedClusters(
		FingerprintJoin &join, const JoinContext &context, std::span<const std::uint32_t> labels, ClusterRows &rows)
		: join_(join), context_(context), labels_(labels), rows_(rows),
		  held_(allocate<std::span<std::uint32_t>>(context.memory, context.workers->workers()))
	{
		std::fill_n(held_, context.workers->workers(), std::span<std::uint32_t>());
	}

	void put()
	{
		core::SerialExecutor serial(*context_.host);
		core::JoinExecutor &executor =
			join_.compares_in_workers() ? static_cast<core::JoinExecutor &>(*context_.workers) : serial;
		context_.workers->deliver_to(rows_);
		executor.for_each_part(
			static_cast<std::uint32_t>(labels_.size()), [&](unsigned worker, std::uint32_t first, std::uint32_t end) {
				context_.workers->host(worker).poll();
				for (std::uint32_t next; first < end; first = next) {
					next = hold(first, end, worker);
					compare(first, next, worker);
				}
			});
	}

private:
	// Returns the end of the rows from `first` on that are ready.
	std::uint32_t hold(std::uint32_t first, std::uint32_t end, unsigned worker)
	{
		const std::size_t most = join_.rows_at_once(worker);
		if (most == 0)
			return end;
		std::span<std::uint32_t> &held = held_[worker];
		if (held.empty())
			held = {context_.workers->host(worker).array<std::uint32_t>(most), most};
		std::uint32_t row = first;
		std::size_t n = 0;
		for (; row < end && n + 2 <= most; ++row)
			if (labels_[row] != row && !join_.are_copies(labels_[row], row)) {
				held[n++] = labels_[row];
				held[n++] = row;
			}
		std::sort(held.data(), held.data() + n);
		join_.hold({held.data(), std::unique(held.data(), held.data() + n)}, worker);
		return row;
	}

	void compare(std::uint32_t row, std::uint32_t end, unsigned worker)
	{
		constexpr std::uint32_t ahead = 16;
		for (; row < end; ++row) {
			if (worker == 0 && row + ahead < labels_.size()) // the rows of other workers are requested when they arrive
				rows_.request(labels_[row + ahead], row + ahead);
			const std::uint32_t cluster = labels_[row];
			if (cluster != row || rows_.size(row) > 1)
				context_.workers->pair(
					worker, cluster, row, cluster == row ? 1 : join_.similarity(cluster, row, worker));
		}
	}

	FingerprintJoin &join_;
	const JoinContext &context_;
	std::span<const std::uint32_t> labels_;
	ClusterRows &rows_;
	std::span<std::uint32_t> *held_; // of each worker: the rows that it has ready
};

} // namespace txtfp::pg
