// All pairs of vectors that may have a cosine of at least a threshold, for the exact join of embeddings: codes of the
// vectors are compared with each other, tile by tile, in the workers (core/embedding/cosine_codes.hpp). What is
// allocated here is palloc'd and freed with the context.
#pragma once

#include <algorithm>
#include <cstring>
#include <span>

#include "core/base/keyed_rows.hpp"
#include "core/embedding/cosine_codes.hpp"
#include "core/join/exact_join.hpp"
#include "pg/base/large_array.hpp"
#include "pg/bulk/memory_budget.hpp"
#include "pg/bulk/near_duplicates.hpp"
#include "pg/bulk/workers.hpp"

namespace txtfp::pg {

class CosinePairs {
public:
	struct Row {
		core::Vector vector;
		float norm;
	};

	// `heads`: the rows by rank, their group as the key, sorted. row_of(worker, rank) returns a Row that is valid until
	// the worker's next call.
	template <class RowOf>
	void prepare(const JoinContext &context, std::span<const core::KeyedRow> heads, std::size_t dimension, RowOf row_of)
	{
		heads_ = heads;
		dimension_ = dimension;
		std::size_t largest = 0;
		for_each_group([&](std::size_t begin, std::size_t end) { largest = std::max(largest, end - begin); });
		const std::size_t tiles = core::CosineCodes::tiles_of(largest), limit = share_of(context.limit, Share::codes);
		std::size_t stages = core::CosineCodes::stages_of(dimension);
		while (stages > 1 && stages * tiles * core::CosineCodes::stage_bytes > limit)
			--stages;
		codes_.stages = stages;
		codes_.bytes = allocate<std::uint8_t>(context.memory, stages * tiles * core::CosineCodes::stage_bytes);
		find_axes(context.memory, largest, row_of);
	}

	// Calls fn(worker, x, y), x < y, for rows of one group and, if there are two queries, of different ones.
	template <class RowOf, class Fn>
	void for_each_pair(const JoinContext &context, float threshold, RowOf row_of, Fn fn)
	{
		std::uint64_t tasks = 0;
		for_each_group([&](std::size_t begin, std::size_t end) { tasks += core::exact_tasks(end - begin); });
		context.progress->begin(BulkPhase::distinct_values, tasks);
		const core::RowOrder order = context.order();
		JoinWorkers &workers = *context.workers;
		for_each_group([&](std::size_t begin, std::size_t end) {
			const std::span<const core::KeyedRow> rows = heads_.subspan(begin, end - begin);
			codes_.tiles = core::CosineCodes::tiles_of(rows.size());
			workers.for_each((codes_.tiles + tiles_at_once - 1) / tiles_at_once,
				[&](unsigned worker, std::size_t task) { encode(workers, rows, worker, task, row_of); });
			workers.for_each(core::exact_tasks(rows.size()), [&](unsigned worker, std::size_t task) {
				compare(workers.host(worker), order, rows, core::TilePair(task, rows.size()), threshold,
					[&](std::uint32_t x, std::uint32_t y) { fn(worker, x, y); });
			});
		});
		context.progress->end();
	}

private:
	static constexpr std::size_t sample = 1024;          // rows that tell which directions have the most energy
	static constexpr std::size_t least_turned = 4096;    // fewer rows are compared sooner than turned
	static constexpr std::size_t most_dimensions = 4096; // that are turned: 6 MB
	static constexpr std::size_t tiles_at_once = core::exact_tile / core::cosine_tile;

	template <class Fn> void for_each_group(Fn fn) const
	{
		for (std::size_t begin = 0, end; begin < heads_.size(); begin = end) {
			for (end = begin + 1; end < heads_.size() && heads_[end].key() == heads_[begin].key();)
				++end;
			fn(begin, end);
		}
	}

	template <class RowOf> void find_axes(MemoryContext memory, std::size_t largest, RowOf row_of)
	{
		auto *unit = allocate<double>(memory, dimension_), *energy = allocate<double>(memory, dimension_);
		auto *order = allocate<std::uint32_t>(memory, dimension_);
		const auto for_each_sampled = [&](auto fn) {
			for (std::size_t i = 0; i < heads_.size(); i += std::max<std::size_t>(1, heads_.size() / sample)) {
				CHECK_FOR_INTERRUPTS();
				const Row row = row_of(0, heads_[i].row);
				core::make_unit_vector(row.vector, row.norm, unit);
				fn();
			}
		};
		if (largest >= least_turned && dimension_ > core::cosine_stage && dimension_ <= most_dimensions) {
			const std::size_t count = core::PrincipalAxes::memory_of(dimension_);
			auto *matrices = allocate<double>(memory, count);
			std::fill_n(matrices, count, 0.0);
			codes_.axes = core::PrincipalAxes(dimension_, matrices);
			for (int round = 0; round < core::PrincipalAxes::rounds; ++round) {
				codes_.axes.begin_round();
				for_each_sampled([&] { codes_.axes.add(unit); });
				codes_.axes.end_round();
			}
		}
		std::fill_n(energy, dimension_, 0.0);
		for_each_sampled([&] {
			codes_.axes.turn({unit, dimension_});
			for (std::size_t k = 0; k < dimension_; ++k)
				energy[k] += unit[k] * unit[k];
		});
		core::order_by_energy({energy, dimension_}, {order, dimension_});
		codes_.order = {order, dimension_};
	}

	template <class RowOf>
	void encode(
		JoinWorkers &workers, std::span<const core::KeyedRow> rows, unsigned worker, std::size_t task, RowOf &row_of)
	{
		core::JoinHost &host = workers.host(worker);
		auto *scratch = host.array<double>(dimension_);
		const std::size_t begin = task * core::exact_tile, end = std::min(begin + core::exact_tile, rows.size());
		for (std::size_t i = begin; i < end; ++i) {
			host.poll();
			if (i % core::cosine_tile == 0)
				codes_.clear_tile(i / core::cosine_tile);
			const Row row = row_of(worker, rows[i].row);
			core::encode_cosine(codes_, row.vector, row.norm, {scratch, dimension_}, i);
		}
		host.free(scratch);
	}

	template <class Fn>
	void compare(core::JoinHost &host, const core::RowOrder &order, std::span<const core::KeyedRow> rows,
		const core::TilePair &blocks, float threshold, Fn fn) const
	{
		constexpr std::size_t tile = core::cosine_tile;
		auto *found = host.array<core::CosineCandidate>(tile * core::exact_tile);
		for (std::size_t x = blocks.x / tile; x * tile < blocks.x_end; ++x) {
			host.poll();
			const std::size_t count = core::cosine_candidates(
				codes_, x, std::max(x, blocks.y / tile), core::CosineCodes::tiles_of(blocks.y_end), threshold, found);
			for (const core::CosineCandidate &pair : std::span(found, count))
				if (pair.y > pair.x && pair.y < rows.size() && order.is_pair(rows[pair.x].row, rows[pair.y].row))
					fn(rows[pair.x].row, rows[pair.y].row);
		}
		host.free(found);
		host.progress(1);
	}

	std::span<const core::KeyedRow> heads_;
	std::size_t dimension_ = 0;
	core::CosineCodes codes_{}; // of one group
};

} // namespace txtfp::pg
