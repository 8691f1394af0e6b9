// The one place that knows how values are joined.
#include "join_engine.hpp"

#include <cstring>
#include <memory>
#include <mutex>
#include <numeric>

#include "core/base/keyed_rows.hpp"
#include "core/minhash/bucket_pairs.hpp"
#include "core/simhash/hamming_join.hpp"
#include "parallel.hpp"
#include "refused.hpp"

namespace txtfp::python {

namespace {

using core::KeyedRow;

// Collects the pairs of one thread.
class Output {
public:
	Output(const Emit &emit, std::mutex &mutex) : emit_(emit), mutex_(mutex) {}
	void add(const Pair &pair)
	{
		pairs_.push_back(pair);
		if (pairs_.size() == 1 << 14)
			flush();
	}
	void flush()
	{
		stop_token.check();
		const std::lock_guard lock(mutex_);
		emit_(pairs_);
		pairs_.clear();
	}

private:
	const Emit &emit_;
	std::mutex &mutex_;
	std::vector<Pair> pairs_;
};

// Gives the core's join access to sketches; each thread has its own.
template <class SlotType> class Sketches {
public:
	explicit Sketches(const Values &values)
		: values_(values), buffers_((core::pair_bucket_limit + 2) * slots(values.kind))
	{
	}

	const SlotType *sketch(std::uint32_t row, [[maybe_unused]] SlotType *buffer) const noexcept
	{
		const std::uint8_t *binary = values_.rows[row].data();
		if constexpr (sizeof(SlotType) == 8)
			return full_slots(values_.kind, binary, buffer);
		else
			return compact_slots(binary);
	}
	std::span<KeyedRow> scratch(std::size_t rows)
	{
		scratch_.resize(std::max(scratch_.size(), 4 * rows));
		return scratch_;
	}
	void poll()
	{
		if ((++polls_ & 0xFF) == 0)
			stop_token.check();
	}
	void *allocate(std::size_t bytes) { return allocated_.emplace_back(new char[bytes]).get(); }
	void release(void *memory)
	{
		std::erase_if(allocated_, [memory](const auto &owned) { return owned.get() == memory; });
	}
	SlotType *buffers() noexcept { return buffers_.data(); }

private:
	const Values &values_;
	std::vector<SlotType> buffers_;
	std::vector<KeyedRow> scratch_;
	std::vector<std::unique_ptr<char[]>> allocated_;
	unsigned polls_ = 0;
};

// Rows whose key another row has, sorted by key.
template <class Key> std::vector<KeyedRow> repeated(std::span<const std::uint32_t> rows, Key key)
{
	std::vector<KeyedRow> keyed;
	keyed.reserve(rows.size());
	for (const std::uint32_t row : rows) {
		if ((keyed.size() & 0xFFFF) == 0)
			stop_token.check();
		keyed.push_back(KeyedRow::of(key(row), row));
	}
	std::vector<std::uint64_t> words(core::repeated_words(keyed.size()));
	keyed.resize(core::keep_repeated(keyed, words.data()));
	core::sort_rows(keyed);
	return keyed;
}

// The bands are independent: a pair is reported in the first band that it shares.
template <class SlotType>
void join_sketches(
	const Values &values, std::span<const std::uint32_t> heads, const JoinOptions &options, const Emit &emit)
{
	std::mutex mutex;
	Workers::for_each(
		static_cast<std::size_t>(options.banding.bands), options.threads, [&](std::size_t band, unsigned) {
			Sketches<SlotType> sketches(values);
			SlotType *buffer = sketches.buffers();
			std::vector<KeyedRow> keyed = repeated(heads, [&](std::uint32_t row) {
				return core::band_key(std::span<const SlotType>(sketches.sketch(row, buffer), slots(values.kind)),
					options.banding.rows, static_cast<int>(band));
			});
			Output output(emit, mutex);
			core::BucketPairs<Sketches<SlotType>> join(sketches, slots(values.kind),
				static_cast<unsigned>(options.bound), options.banding, sketches.buffers(), values.second);
			core::for_each_run(std::span(keyed), [&](std::span<KeyedRow> bucket) {
				join.find(bucket, [&](std::uint32_t a, std::uint32_t b, unsigned equal) {
					output.add({std::min(a, b), std::max(a, b), static_cast<std::int32_t>(equal)});
				});
			});
			output.flush();
		});
}

void join_simhashes(
	const Values &values, std::span<const std::uint32_t> heads, const JoinOptions &options, const Emit &emit)
{
	std::vector<std::uint64_t> bits, space(heads.size());
	for (const std::uint32_t row : heads)
		bits.push_back(simhash_bits(values.rows[row].data()));
	std::vector<std::uint32_t> places(heads.size()), offsets(core::hamming_block_values + 1);
	std::mutex mutex;
	Workers::for_each(
		2, 1, [&](std::size_t i, unsigned) { // of two, so that a thread of its own does it and signals are seen
			if (i > 0)
				return;
			Output output(emit, mutex);
			core::HammingJoin join(
				bits, options.bound, {space.data(), places.data(), offsets.data()},
				[&](std::uint32_t i, std::uint32_t j) {
					const std::uint32_t a = heads[i], b = heads[j];
					if (values.is_pair(a, b))
						output.add({std::min(a, b), std::max(a, b), core::hamming(bits[i], bits[j])});
				},
				[](std::size_t) { stop_token.check(); });
			join.run();
			output.flush();
		});
}

void join_all(const Values &values, std::span<const std::uint32_t> heads, const JoinOptions &options, const Emit &emit)
{
	const auto first_of_second =
		static_cast<std::size_t>(std::lower_bound(heads.begin(), heads.end(), values.second) - heads.begin());
	std::mutex mutex;
	Workers::for_each_block(heads.size(), 64, options.threads, [&](std::size_t first, std::size_t last, unsigned) {
		Output output(emit, mutex);
		for (std::size_t j = first; j < last; ++j) {
			stop_token.check();
			const std::size_t others = !values.has_parts() ? j
				: heads[j] >= values.second                ? std::min(j, first_of_second)
														   : 0;
			for (std::size_t i = 0; i < others; ++i) {
				const int measure = compare_rows(values, heads[i], heads[j]);
				if (is_similar(values.kind, options, measure))
					output.add({heads[i], heads[j], measure});
			}
		}
		output.flush();
	});
}

} // namespace

Heads find_heads(const Values &values, unsigned threads)
{
	Heads heads;
	heads.of.resize(values.rows.size());
	std::iota(heads.of.begin(), heads.of.end(), 0u);
	std::vector<std::uint32_t> all = heads.of;
	Workers::for_each(2, threads, [&](std::size_t i, unsigned) {
		if (i > 0)
			return;
		std::vector<KeyedRow> keyed = repeated(
			all, [&](std::uint32_t row) { return core::xxh3_64(values.rows[row].data(), values.rows[row].size(), 0); });
		core::for_each_run(std::span(keyed), [&](std::span<KeyedRow> run) {
			std::uint32_t head = run[0].row; // the rows ascend
			for (const KeyedRow &row : run.subspan(1))
				if (head < values.second && row.row >= values.second)
					head = row.row;
				else if (std::ranges::equal(values.rows[head], values.rows[row.row])) // hashes may be equal by chance
					heads.of[row.row] = head;
		});
	});
	for (const std::uint32_t row : all)
		if (heads.of[row] == row)
			heads.rows.push_back(row);
	return heads;
}

void join_heads(const Values &values, const Heads &heads, const JoinOptions &options, const Emit &emit)
{
	if (is_full(values.kind))
		join_sketches<std::uint64_t>(values, heads.rows, options, emit);
	else if (is_minhash(values.kind))
		join_sketches<std::uint8_t>(values, heads.rows, options, emit);
	else if (is_simhash(values.kind))
		join_simhashes(values, heads.rows, options, emit);
	else
		join_all(values, heads.rows, options, emit);
}

int best_measure(Kind kind) noexcept
{
	return has_distance(kind) ? 0 : is_lavinhash(kind) ? 100 : static_cast<int>(slots(kind));
}

std::vector<Pair> head_pairs(const Values &values, const Heads &heads, const JoinOptions &options)
{
	std::vector<Pair> pairs;
	join_heads(values, heads, options,
		[&](std::span<const Pair> found) { pairs.insert(pairs.end(), found.begin(), found.end()); });
	sort_pairs(pairs);
	return pairs;
}

std::vector<Pair> candidates(const Values &values, std::span<const std::int64_t> keys, const JoinOptions &options)
{
	std::vector<KeyedRow> keyed;
	for (std::uint32_t row = 0; row < keys.size(); ++row)
		keyed.push_back(KeyedRow::of(static_cast<std::uint64_t>(keys[row]), row));
	core::sort_rows(keyed);
	Sketches<std::uint8_t> sketches(values);
	core::BucketPairs<Sketches<std::uint8_t>> join(
		sketches, slots(values.kind), static_cast<unsigned>(options.bound), options.banding, sketches.buffers());
	std::vector<Pair> pairs;
	core::for_each_run(std::span(keyed), [&](std::span<KeyedRow> bucket) {
		if (bucket.size() > options.cap)
			throw Refused(Refusal::invalid_parameter,
				std::to_string(bucket.size()) + " different sketches share a band, more than the cap of " +
					std::to_string(options.cap),
				{},
				"Boilerplate does that: remove it, ask for a greater threshold or for less recall, or raise the cap.");
		join.find(bucket, [&](std::uint32_t a, std::uint32_t b, unsigned equal) {
			pairs.push_back({a, b, static_cast<std::int32_t>(equal)});
		});
	});
	return pairs;
}

} // namespace txtfp::python
