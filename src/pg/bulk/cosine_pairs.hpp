// All pairs of vectors that may have a cosine of at least a threshold, for the exact join of embeddings: codes of the
// vectors are compared with each other, block by block (core/embedding/cosine_codes.hpp). All memory is palloc'd and
// freed with the context.
#pragma once

#include <algorithm>
#include <span>

#include "core/base/keyed_rows.hpp"
#include "core/embedding/cosine_codes.hpp"
#include "pg/base/large_array.hpp"
#include "pg/bulk/memory_budget.hpp"
#include "pg/bulk/near_duplicates.hpp"

namespace txtfp::pg {

class CosinePairs {
public:
	struct Row {
		core::Vector vector;
		float norm;
	};

	// `heads`: the rows by rank, their group as the key, sorted. row_of(rank) returns a Row that is valid until the
	// next call.
	template <class RowOf>
	void prepare(const JoinContext &context, std::span<const core::KeyedRow> heads, std::size_t dimension, RowOf row_of)
	{
		heads_ = heads;
		auto *energy = allocate<double>(context.memory, dimension);
		auto *order = allocate<std::uint32_t>(context.memory, dimension);
		std::fill_n(energy, dimension, 0.0);
		for (std::size_t i = 0; i < heads.size(); i += std::max<std::size_t>(1, heads.size() / sample)) {
			const Row row = row_of(heads[i].row);
			for (std::size_t k = 0; k < dimension; ++k) {
				const double value = static_cast<double>(row.vector[k]) / row.norm;
				energy[k] += value == value ? value * value : 0;
			}
		}
		core::order_by_energy({energy, dimension}, {order, dimension});
		std::size_t largest = 0;
		for_each_group([&](std::size_t begin, std::size_t end) { largest = std::max(largest, end - begin); });
		const std::size_t tiles = tiles_of(largest), limit = share_of(context.limit, Share::codes);
		std::size_t stages = core::CosineLayout::stages_of(dimension);
		while (stages > 1 && tiles * core::CosineLayout::tile_bytes(stages) > limit)
			--stages;
		layout_ = {{order, dimension}, stages};
		tiles_ = allocate<std::uint8_t>(context.memory, tiles * layout_.tile_bytes());
		query_.groups = allocate<std::int32_t>(context.memory, stages * core::cosine_stage / 4);
		query_.offsets = allocate<std::int32_t>(context.memory, stages);
		query_.rest = allocate<float>(context.memory, stages);
		found_ = allocate<std::uint32_t>(context.memory, block_rows);
	}

	// Calls fn(x, y), x < y, for rows of one group and, if there are two queries, of different ones.
	template <class RowOf, class Fn>
	void for_each_pair(const JoinContext &context, float threshold, RowOf row_of, Fn fn)
	{
		std::uint64_t steps = 0;
		for_each_group([&](std::size_t begin, std::size_t end) {
			for_each_block(end - begin, [&](std::size_t, std::size_t block_end) { steps += block_end; });
		});
		context.progress->begin(BulkPhase::distinct_values, steps);
		for_each_group([&](std::size_t begin, std::size_t end) {
			const std::span<const core::KeyedRow> rows = heads_.subspan(begin, end - begin);
			encode(rows, row_of);
			for_each_block(rows.size(), [&](std::size_t block, std::size_t block_end) {
				for (std::size_t x = 0; x < block_end; ++x) {
					CHECK_FOR_INTERRUPTS();
					pairs_of(context, rows, x, std::max(block, x / core::cosine_tile * core::cosine_tile), block_end,
						threshold, fn);
					context.progress->add(1);
				}
			});
		});
		context.progress->end();
	}

private:
	static constexpr std::size_t sample = 1024;     // rows whose elements tell which have the most energy
	static constexpr std::size_t block_rows = 2048; // whose codes stay in the processor's cache

	static std::size_t tiles_of(std::size_t rows) { return (rows + core::cosine_tile - 1) / core::cosine_tile; }

	template <class Fn> void for_each_group(Fn fn) const
	{
		for (std::size_t begin = 0, end; begin < heads_.size(); begin = end) {
			for (end = begin + 1; end < heads_.size() && heads_[end].key() == heads_[begin].key();)
				++end;
			fn(begin, end);
		}
	}

	template <class Fn> static void for_each_block(std::size_t rows, Fn fn)
	{
		for (std::size_t block = 0; block < rows; block += block_rows)
			fn(block, std::min(block + block_rows, rows));
	}

	template <class RowOf> void encode(std::span<const core::KeyedRow> rows, RowOf &row_of)
	{
		for (std::size_t i = 0; i < rows.size(); ++i) {
			CHECK_FOR_INTERRUPTS();
			std::uint8_t *tile = tiles_ + i / core::cosine_tile * layout_.tile_bytes();
			if (i % core::cosine_tile == 0)
				memset(tile, 0, layout_.tile_bytes());
			const Row row = row_of(rows[i].row);
			core::encode_cosine(layout_, row.vector, row.norm, tile, i % core::cosine_tile);
		}
	}

	// Compares row x with the rows from `first`, which begins a tile, to `end`.
	template <class Fn>
	void pairs_of(const JoinContext &context, std::span<const core::KeyedRow> rows, std::size_t x, std::size_t first,
		std::size_t end, float threshold, Fn &fn)
	{
		const auto tile = [this](std::size_t row) { return tiles_ + row / core::cosine_tile * layout_.tile_bytes(); };
		core::load_cosine_query(layout_, tile(x), x % core::cosine_tile, query_);
		const std::size_t count =
			core::cosine_candidates(layout_, query_, tile(first), tiles_of(end - first), threshold, found_);
		for (std::size_t i = 0; i < count; ++i) {
			const std::size_t y = first + found_[i];
			if (y > x && y < end && context.ids->is_pair(rows[x].row, rows[y].row))
				fn(rows[x].row, rows[y].row);
		}
	}

	std::span<const core::KeyedRow> heads_;
	core::CosineLayout layout_{};
	std::uint8_t *tiles_ = nullptr; // of one group
	core::CosineQuery query_{};
	std::uint32_t *found_ = nullptr;
};

} // namespace txtfp::pg
