#include "joins.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <mutex>
#include <numeric>
#include <unordered_map>

#include "core/base/keyed_rows.hpp"
#include "core/base/union_find.hpp"
#include "core/minhash/bucket_pairs.hpp"
#include "core/simhash/hamming_join.hpp"
#include "core/tlsh/tlsh.hpp"
#include "parallel.hpp"
#include "refused.hpp"

namespace txtfp::python {

namespace {

using core::KeyedRow;
using Emit = std::function<void(std::span<const Pair>)>; // called by one thread at a time

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
				static_cast<unsigned>(options.bound), options.banding, sketches.buffers());
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
					output.add({std::min(a, b), std::max(a, b), core::hamming(bits[i], bits[j])});
				},
				[](std::size_t) { stop_token.check(); });
			join.run();
			output.flush();
		});
}

void join_all(const Values &values, std::span<const std::uint32_t> heads, const JoinOptions &options, const Emit &emit)
{
	std::mutex mutex;
	Workers::for_each_block(heads.size(), 64, options.threads, [&](std::size_t first, std::size_t last, unsigned) {
		Output output(emit, mutex);
		for (std::size_t j = first; j < last; ++j) {
			stop_token.check();
			for (std::size_t i = 0; i < j; ++i) {
				const int measure = compare(values.kind, values.rows[heads[i]], values.rows[heads[j]]);
				if (has_distance(values.kind) ? measure <= options.bound : measure >= options.bound)
					output.add({heads[i], heads[j], measure});
			}
		}
		output.flush();
	});
}

// The first row with each value is its head. Only heads are joined.
struct Heads {
	std::vector<std::uint32_t> of;   // each row
	std::vector<std::uint32_t> rows; // the heads
};

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
			const auto head =
				values.rows[run[0].row]; // different values of one hash stay apart, improbable as they are
			for (const KeyedRow &row : run.subspan(1))
				if (std::ranges::equal(head, values.rows[row.row]))
					heads.of[row.row] = run[0].row;
		});
	});
	for (const std::uint32_t row : all)
		if (heads.of[row] == row)
			heads.rows.push_back(row);
	return heads;
}

// The one place that knows how values are joined.
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

void sort_pairs(std::vector<Pair> &pairs)
{
	std::sort(
		pairs.begin(), pairs.end(), [](const Pair &x, const Pair &y) { return x.a != y.a ? x.a < y.a : x.b < y.b; });
}

std::vector<Pair> head_pairs(const Values &values, const Heads &heads, const JoinOptions &options)
{
	std::vector<Pair> pairs;
	join_heads(values, heads, options,
		[&](std::span<const Pair> found) { pairs.insert(pairs.end(), found.begin(), found.end()); });
	sort_pairs(pairs);
	return pairs;
}

class Deduplication {
public:
	Deduplication(const Values &values, const JoinOptions &options, const Verification &verification)
		: values_(values), options_(options), verification_(verification), heads_(find_heads(values, options.threads)),
		  pairs_(head_pairs(values, heads_, options)), begin_(values.rows.size() + 1), kept_(values.rows.size())
	{
	}

	std::vector<Removal> run()
	{
		link_neighbours();
		if (verification_.verify != Verify::none)
			compare_ahead();
		for (std::uint32_t row = 0; row < values_.rows.size(); ++row) {
			if ((row & 0xFFFF) == 0 && PyErr_CheckSignals() != 0)
				throw nb::python_error();
			if (!remove(row))
				kept_[heads_.of[row]].push_back(row);
		}
		if (verification_.verify == Verify::none && verification_.compare)
			Workers::for_each_block(
				removals_.size(), 64, options_.threads, [&](std::size_t first, std::size_t last, unsigned) {
					for (std::size_t i = first; i < last; ++i)
						removals_[i].exact = verification_.compare(removals_[i].row, removals_[i].kept);
				});
		return std::move(removals_);
	}

private:
	struct Neighbour {
		std::uint32_t head;
		std::int32_t measure;
	};

	void link_neighbours()
	{
		for (const Pair &pair : pairs_) {
			++begin_[pair.a + 1];
			++begin_[pair.b + 1];
		}
		std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
		neighbours_.resize(2 * pairs_.size());
		std::vector<std::size_t> next(begin_.begin(), begin_.end() - 1);
		for (const Pair &pair : pairs_) {
			neighbours_[next[pair.a]++] = {pair.b, pair.measure};
			neighbours_[next[pair.b]++] = {pair.a, pair.measure};
		}
	}

	static std::uint64_t key(std::uint32_t row, std::uint32_t kept) noexcept { return std::uint64_t{row} << 32 | kept; }

	// The comparisons that are probably needed, on all threads: of a copy with its head, of a head with the heads
	// before it.
	void compare_ahead()
	{
		std::vector<std::pair<std::uint32_t, std::uint32_t>> wanted;
		for (const Pair &pair : pairs_)
			wanted.emplace_back(pair.b, pair.a);
		for (std::uint32_t row = 0; row < heads_.of.size(); ++row)
			if (heads_.of[row] != row)
				wanted.emplace_back(row, heads_.of[row]);
		std::vector<Exact> results(wanted.size());
		Workers::for_each_block(
			wanted.size(), 64, options_.threads, [&](std::size_t first, std::size_t last, unsigned) {
				for (std::size_t i = first; i < last; ++i) {
					stop_token.check();
					results[i] = verification_.compare(wanted[i].first, wanted[i].second);
				}
			});
		compared_.reserve(wanted.size());
		for (std::size_t i = 0; i < wanted.size(); ++i)
			compared_.emplace(key(wanted[i].first, wanted[i].second), results[i]);
	}

	Exact exact(std::uint32_t row, std::uint32_t kept)
	{
		const auto found = compared_.find(key(row, kept));
		return found != compared_.end() ? found->second : verification_.compare(row, kept);
	}

	bool remove(std::uint32_t row)
	{
		const std::uint32_t head = heads_.of[row];
		candidates_.clear();
		add_candidates(head, best_measure(values_.kind));
		for (std::size_t i = begin_[head]; i < begin_[head + 1]; ++i)
			add_candidates(neighbours_[i].head, neighbours_[i].measure);
		std::sort(candidates_.begin(), candidates_.end(),
			[](const Neighbour &x, const Neighbour &y) { return x.head < y.head; });
		for (const Neighbour &candidate : candidates_) {
			Removal removal{row, candidate.head, similarity(values_.kind, candidate.measure), {}};
			if (verification_.verify != Verify::none) {
				removal.exact = exact(row, candidate.head);
				const double value =
					verification_.verify == Verify::jaccard ? removal.exact.jaccard : removal.exact.containment;
				if (!removal.exact.has_measures || value < verification_.least)
					continue;
			}
			removals_.push_back(removal);
			return true;
		}
		return false;
	}

	void add_candidates(std::uint32_t head, std::int32_t measure)
	{
		for (const std::uint32_t kept : kept_[head])
			candidates_.push_back({kept, measure});
	}

	const Values &values_;
	const JoinOptions &options_;
	const Verification &verification_;
	Heads heads_;
	std::vector<Pair> pairs_;
	std::vector<std::size_t> begin_;
	std::vector<Neighbour> neighbours_, candidates_;
	std::vector<std::vector<std::uint32_t>> kept_; // of each head: the kept rows with its value
	std::unordered_map<std::uint64_t, Exact> compared_;
	std::vector<Removal> removals_;
};

[[noreturn]] void refuse(const std::string &message, const std::string &hint = {})
{
	throw Refused(Refusal::invalid_parameter, message, {}, hint);
}

core::Banding banding_for(Kind kind, double threshold, double recall, int bands, int rows)
{
	const auto all = static_cast<int>(slots(kind));
	if ((bands != 0) != (rows != 0))
		refuse("bands and rows must be given together");
	if (bands != 0) {
		if (bands < 1 || rows < 1 || bands > all || rows > all || bands * rows > all)
			refuse("bands times rows must be between 1 and " + std::to_string(all));
		return {bands, rows};
	}
	if (!(recall > 0 && recall < 1))
		refuse("recall must be greater than 0 and less than 1");
	const core::Banding banding = core::banding_for_recall(threshold, recall, all);
	if (banding.bands == 0)
		refuse("no banding of " + std::to_string(all) + " slots finds pairs at that threshold with that recall",
			"Ask for less recall, or use sketches of more slots.");
	return banding;
}

} // namespace

double similarity(Kind kind, int measure) noexcept
{
	if (is_minhash(kind))
		return jaccard(kind, measure);
	if (is_simhash(kind))
		return core::cosine_estimate(0, measure == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << measure) - 1);
	if (is_lavinhash(kind))
		return measure / 100.0;
	return core::tlsh_similarity(measure);
}

JoinOptions join_options(Kind kind, const Limit &limit, double recall, int bands, int rows, unsigned threads)
{
	for (const auto &[name, given] :
		{std::pair("threshold", limit.threshold.has_value()), std::pair("max_distance", limit.max_distance.has_value()),
			std::pair("min_score", limit.min_score.has_value())})
		if (given && std::string_view(name) != kind->limit)
			refuse("the limit of " + std::string(kind->type) + " is not called " + name,
				"Use " + std::string(kind->limit) + ".");
	JoinOptions options;
	options.threads = threads;
	if (!is_minhash(kind)) {
		options.bound =
			(has_distance(kind) ? limit.max_distance : limit.min_score).value_or(static_cast<int>(kind->default_limit));
		const auto most = static_cast<int>(kind->max_limit);
		if (options.bound < 0 || options.bound > most)
			refuse(std::string(kind->limit) + " must be between 0 and " + std::to_string(most) + ", not " +
				std::to_string(options.bound));
		return options;
	}
	const double least = limit.threshold.value_or(kind->default_limit);
	if (!(least > 0 && least <= 1))
		refuse("threshold must be greater than 0 and at most 1");
	options.bound = static_cast<int>(is_full(kind) ? core::least_matches_of<std::uint64_t>(least, slots(kind))
												   : core::least_matches_of<std::uint8_t>(least, slots(kind)));
	options.banding = banding_for(kind, least, recall, bands, rows);
	return options;
}

std::vector<Pair> similar_pairs(const Values &values, const JoinOptions &options)
{
	const Heads heads = find_heads(values, options.threads);
	std::vector<std::uint32_t> next(values.rows.size());
	core::chain_groups(heads.of, next.data());
	std::vector<Pair> pairs;
	const auto add_copies = [&](std::uint32_t x, std::uint32_t y, std::int32_t measure) {
		for (std::uint32_t a = x; a != core::no_element; a = next[a])
			for (std::uint32_t b = y == x ? next[a] : y; b != core::no_element; b = next[b])
				pairs.push_back({std::min(a, b), std::max(a, b), measure});
	};
	for (const std::uint32_t head : heads.rows)
		add_copies(head, head, best_measure(values.kind));
	join_heads(values, heads, options, [&](std::span<const Pair> found) {
		for (const Pair &pair : found)
			add_copies(pair.a, pair.b, pair.measure);
	});
	sort_pairs(pairs);
	return pairs;
}

std::vector<std::uint32_t> components(const Values &values, const JoinOptions &options)
{
	const Heads heads = find_heads(values, options.threads);
	std::vector<std::uint32_t> labels = heads.of;
	core::UnionFind sets(labels.data());
	join_heads(values, heads, options, [&](std::span<const Pair> found) {
		for (const Pair &pair : found)
			sets.unite(pair.a, pair.b);
	});
	for (std::uint32_t row = 0; row < labels.size(); ++row)
		labels[row] = sets.find(row);
	return labels;
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
			refuse(std::to_string(bucket.size()) + " different sketches share a band, more than the cap of " +
					std::to_string(options.cap),
				"Boilerplate does that: remove it, ask for a greater threshold or for less recall, or raise the cap.");
		join.find(bucket, [&](std::uint32_t a, std::uint32_t b, unsigned equal) {
			pairs.push_back({a, b, static_cast<std::int32_t>(equal)});
		});
	});
	return pairs;
}

std::vector<Removal> deduplicate(const Values &values, const JoinOptions &options, const Verification &verification)
{
	return Deduplication(values, options, verification).run();
}

} // namespace txtfp::python
