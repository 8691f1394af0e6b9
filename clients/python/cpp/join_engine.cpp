// The one place that knows how values are joined.
#include "join_engine.hpp"

#include <cstring>
#include <memory>
#include <numeric>
#include <optional>

#include "core/base/keyed_rows.hpp"
#include "core/minhash/bucket_pairs.hpp"
#include "core/minhash/minhash_join.hpp"
#include "core/simhash/hamming_join.hpp"
#include "core/simhash/simhash_pieces.hpp"
#include "refused.hpp"

namespace txtfp::python {

namespace {

using core::KeyedRow;

bool is_hashed(Kind kind) { return kind->join == core::JoinWay::bits; }
bool is_full(Kind kind) { return kind->is_sketch() && !kind->compact; }
std::uint64_t simhash_bits(const std::uint8_t *row)
{
	std::uint64_t bits;
	std::memcpy(&bits, row, sizeof bits);
	return bits;
}

// Gives the core's join access to sketches; each thread has its own.
template <class SlotType> class Sketches {
public:
	Sketches(const Values &values, core::JoinHost &host)
		: values_(values), host_(host), buffers_((core::bucket_limit + 2) * values.kind->slots)
	{
	}

	const SlotType *sketch(std::uint32_t row, SlotType *) const noexcept
	{
		return reinterpret_cast<const SlotType *>(values_.rows[row]);
	}
	std::span<KeyedRow> scratch(std::size_t rows)
	{
		constexpr std::size_t enough = std::size_t{1} << 19; // 6 MB: then a bucket of thousands is read once for all its cuts
		scratch_.resize(std::max({scratch_.size(), 4 * rows, enough}));
		return scratch_;
	}
	void poll() { host_.poll(); }
	void *allocate(std::size_t bytes) { return allocated_.emplace_back(new char[bytes]).get(); }
	void release(void *memory)
	{
		std::erase_if(allocated_, [memory](const auto &owned) { return owned.get() == memory; });
	}
	SlotType *buffers() noexcept { return buffers_.data(); }

private:
	const Values &values_;
	core::JoinHost &host_;
	std::vector<SlotType> buffers_;
	std::vector<KeyedRow> scratch_;
	std::vector<std::unique_ptr<char[]>> allocated_;
};

// Rows whose key another row has, sorted by key.
template <class Key> std::vector<KeyedRow> repeated(core::JoinHost &host, std::span<const std::uint32_t> rows, Key key)
{
	std::vector<KeyedRow> keyed;
	keyed.reserve(rows.size());
	for (const std::uint32_t row : rows) {
		host.poll();
		keyed.push_back(KeyedRow::of(key(row), row));
	}
	std::vector<std::uint64_t> words(core::repeated_words(keyed.size()));
	keyed.resize(core::keep_repeated(keyed, words.data()));
	core::sort_rows(keyed);
	return keyed;
}

// Calls fn(worker, sketches, bucket) for the rows that share a band. The bands are independent.
template <class SlotType, class Fn>
void for_each_bucket(const Values &values, std::span<const std::uint32_t> heads, const JoinOptions &options,
	core::JoinExecutor &executor, Fn fn)
{
	std::vector<std::optional<Sketches<SlotType>>> of_workers(executor.workers());
	executor.for_each(static_cast<std::size_t>(options.banding.bands), [&](unsigned worker, std::size_t band) {
		if (!of_workers[worker])
			of_workers[worker].emplace(values, executor.host(worker));
		Sketches<SlotType> &sketches = *of_workers[worker];
		SlotType *buffer = sketches.buffers();
		std::vector<KeyedRow> keyed = repeated(executor.host(worker), heads, [&](std::uint32_t row) {
			return core::band_key(std::span<const SlotType>(sketches.sketch(row, buffer), values.kind->slots),
				options.banding.rows, static_cast<int>(band));
		});
		core::for_each_run(std::span(keyed), [&](std::span<KeyedRow> bucket) { fn(worker, sketches, bucket); });
	});
}

// A pair is reported in the first band that it shares.
template <class SlotType>
void join_sketches(const Values &values, std::span<const std::uint32_t> heads, const JoinOptions &options,
	core::JoinExecutor &executor)
{
	for_each_bucket<SlotType>(values, heads, options, executor,
		[&](unsigned worker, Sketches<SlotType> &sketches, std::span<KeyedRow> bucket) {
			core::BucketPairs<Sketches<SlotType>>(sketches, values.kind->slots, static_cast<unsigned>(options.bound),
				options.banding, sketches.buffers(), values.second)
				.find(bucket, [&](std::uint32_t a, std::uint32_t b, unsigned equal) {
					executor.pair(worker, std::min(a, b), std::max(a, b), equal);
				});
		});
}

template <class SlotType>
void connect_sketches(const Values &values, std::span<const std::uint32_t> heads, const JoinOptions &options,
	core::JoinExecutor &executor, core::UnionFind &components)
{
	for_each_bucket<SlotType>(values, heads, options, executor,
		[&](unsigned, Sketches<SlotType> &sketches, std::span<KeyedRow> bucket) {
			core::BucketJoin<Sketches<SlotType>>(
				sketches, values.kind->slots, static_cast<unsigned>(options.bound), sketches.buffers())
				.connect(bucket, components);
		});
}

void join_simhashes(const Values &values, std::span<const std::uint32_t> heads, const JoinOptions &options,
	core::JoinExecutor &executor)
{
	std::vector<std::uint64_t> bits, space(heads.size());
	for (const std::uint32_t row : heads)
		bits.push_back(simhash_bits(values.rows[row]));
	std::vector<std::uint32_t> places(heads.size()), offsets(core::hamming_block_values + 1);
	core::HammingJoin join(
		bits, options.bound, {space.data(), places.data(), offsets.data()},
		[&](std::uint32_t i, std::uint32_t j) {
			const std::uint32_t a = heads[i], b = heads[j];
			if (values.is_pair(a, b))
				executor.pair(0, std::min(a, b), std::max(a, b), core::hamming(bits[i], bits[j]));
		},
		[&](std::size_t) { executor.host(0).poll(); });
	join.run();
}

void join_all(const Values &values, std::span<const std::uint32_t> heads, const JoinOptions &options,
	core::JoinExecutor &executor)
{
	constexpr std::size_t block = 64;
	const auto first_of_second =
		static_cast<std::size_t>(std::lower_bound(heads.begin(), heads.end(), values.second) - heads.begin());
	executor.for_each((heads.size() + block - 1) / block, [&](unsigned worker, std::size_t task) {
		for (std::size_t j = task * block; j < std::min(heads.size(), (task + 1) * block); ++j) {
			executor.host(worker).poll();
			const std::size_t others = !values.has_parts() ? j
				: heads[j] >= values.second                ? std::min(j, first_of_second)
														   : 0;
			for (std::size_t i = 0; i < others; ++i) {
				const int measure = values.kind->measure_of(values.rows[heads[i]], values.rows[heads[j]]);
				if (values.kind->is_similar(measure, options.bound))
					executor.pair(worker, heads[i], heads[j], measure);
			}
		}
	});
}

// Gives similarities where a join gives measures.
class Similarities final : public core::PairSink {
public:
	Similarities(Kind kind, core::PairSink &sink) : kind_(kind), sink_(sink) {}
	void pair(std::uint32_t a, std::uint32_t b, double measure) override
	{
		sink_.pair(a, b, kind_->similarity_of(static_cast<int>(measure)));
	}

private:
	Kind kind_;
	core::PairSink &sink_;
};

class Connections final : public core::PairSink {
public:
	explicit Connections(core::UnionFind &components) : components_(components) {}
	void pair(std::uint32_t a, std::uint32_t b, double) override { components_.unite(a, b); }

private:
	core::UnionFind &components_;
};

} // namespace

Heads find_heads(const Values &values, core::JoinHost &host)
{
	Heads heads;
	heads.of.resize(values.rows.size());
	std::iota(heads.of.begin(), heads.of.end(), 0u);
	std::vector<std::uint32_t> all = heads.of;
	std::vector<KeyedRow> keyed = repeated(host, all,
		[&](std::uint32_t row) { return core::xxh3_64(values.rows[row], values.kind->row_bytes, 0); });
	core::for_each_run(std::span(keyed), [&](std::span<KeyedRow> run) {
		std::uint32_t head = run[0].row; // the rows ascend
		for (const KeyedRow &row : run.subspan(1))
			if (head < values.second && row.row >= values.second)
				head = row.row;
			else if (std::ranges::equal(values.bytes(head), values.bytes(row.row))) // hashes may be equal by chance
				heads.of[row.row] = head;
	});
	for (const std::uint32_t row : all)
		if (heads.of[row] == row)
			heads.rows.push_back(row);
	return heads;
}

void join_heads(const Values &values, const Heads &heads, const JoinOptions &options, core::JoinExecutor &executor,
	core::PairSink &sink)
{
	executor.deliver_to(sink);
	if (is_full(values.kind))
		join_sketches<std::uint64_t>(values, heads.rows, options, executor);
	else if (values.kind->is_sketch())
		join_sketches<std::uint8_t>(values, heads.rows, options, executor);
	else if (is_hashed(values.kind))
		join_simhashes(values, heads.rows, options, executor);
	else
		join_all(values, heads.rows, options, executor);
}

void JoinedValues::connect(core::UnionFind &components)
{
	for (std::uint32_t row = 0; row < heads_.of.size(); ++row)
		components.unite(heads_.of[row], row);
	if (is_full(values_.kind))
		return connect_sketches<std::uint64_t>(values_, heads_.rows, options_, executor_, components);
	if (values_.kind->is_sketch())
		return connect_sketches<std::uint8_t>(values_, heads_.rows, options_, executor_, components);
	Connections connections(components);
	join_heads(values_, heads_, options_, executor_, connections);
}

void JoinedValues::pairs_of_heads(core::PairSink &sink)
{
	Similarities similarities(values_.kind, sink);
	join_heads(values_, heads_, options_, executor_, similarities);
}

// Those of the server
std::size_t JoinedValues::keys(std::uint32_t row, std::uint64_t *keys)
{
	const std::uint8_t *value = values_.rows[row];
	if (is_hashed(values_.kind))
		return core::simhash_pieces(simhash_bits(value), options_.bound, keys);
	if (!values_.kind->is_sketch())
		return 0;
	if (values_.kind->compact)
		core::band_keys(core::ConstCompactSlots(value, values_.kind->slots), options_.banding, keys);
	else
		core::band_keys(core::ConstSlots(reinterpret_cast<const std::uint64_t *>(value), values_.kind->slots),
			options_.banding, keys);
	return static_cast<std::size_t>(options_.banding.bands);
}

std::vector<Pair> candidates(const Values &values, std::span<const std::int64_t> keys, const JoinOptions &options)
{
	std::vector<KeyedRow> keyed;
	for (std::uint32_t row = 0; row < keys.size(); ++row)
		keyed.push_back(KeyedRow::of(static_cast<std::uint64_t>(keys[row]), row));
	core::sort_rows(keyed);
	std::vector<Pair> pairs;
	JoinThreads::run(1, [&](JoinThreads &threads) {
		Sketches<std::uint8_t> sketches(values, threads.host(0));
		core::BucketPairs<Sketches<std::uint8_t>> join(
			sketches, values.kind->slots, static_cast<unsigned>(options.bound), options.banding, sketches.buffers());
		core::for_each_run(std::span(keyed), [&](std::span<KeyedRow> bucket) {
			if (bucket.size() > options.cap)
				throw Refused(Refusal::invalid_parameter,
					std::to_string(bucket.size()) + " different sketches share a band, more than the cap of " +
						std::to_string(options.cap),
					{},
					"Boilerplate does that: remove it, ask for a greater threshold or for less recall, or raise the "
					"cap.");
			join.find(bucket, [&](std::uint32_t a, std::uint32_t b, unsigned equal) {
				pairs.push_back({a, b, static_cast<std::int32_t>(equal)});
			});
		});
	});
	return pairs;
}

} // namespace txtfp::python
