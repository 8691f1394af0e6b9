#include "core/set_join.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "core/base/cpu.hpp"

namespace txtfp::trgm {

namespace {

constexpr std::uint32_t sets_of_chunk = 256; // that one task searches for
constexpr std::uint32_t term_mask = (1u << term_bits) - 1;

// One to one. Its leading bits are a hash of the term.
std::uint32_t mixed_term(std::uint32_t term) noexcept
{
	std::uint32_t x = term & term_mask;
	x ^= x >> 12;
	x = x * 0x9E3779B1u & term_mask;
	x ^= x >> 12;
	x = x * 0x85EBCA6Bu & term_mask;
	return x ^ x >> 12;
}

void sign(std::span<const std::uint32_t> terms, std::uint64_t *signature) noexcept
{
	signature[0] = signature[1] = 0;
	for (const std::uint32_t term : terms) {
		const std::uint32_t bit = term * 0x9E3779B1u >> 25;
		signature[bit >> 6] |= std::uint64_t{1} << (bit & 63);
	}
}

// A set that searches in the index for a term of its prefix
struct Search {
	const SimilarityLimit *limit;
	const IndexedSet *sets;
	std::uint64_t signature[2];
	std::uint32_t size, place, rest;
	int rest_bits;
};

// Writes the postings that may belong to a similar set, of at most most_at_once, and returns their number.
constexpr std::size_t most_at_once = 256;
TXTFP_KERNEL std::size_t select_kernel(
	const Search *search, const Posting *postings, std::size_t n, const Posting **selected) noexcept
{
	constexpr std::size_t ahead = 16;
	const Search &x = *search;
	const std::uint32_t rest_mask = (1u << x.rest_bits) - 1;
	std::size_t found = 0;
	for (std::size_t k = 0; k < n; ++k) {
		const Posting &posting = postings[k];
		if (k + ahead < n)
			__builtin_prefetch(x.sets + postings[k + ahead].set);
		if ((posting.place_rest & rest_mask) != x.rest)
			continue;
		const IndexedSet &y = x.sets[posting.set];
		const std::uint32_t sum = x.size + y.size, least = x.limit->least_common(sum);
		const std::uint32_t left = std::min(x.size - x.place, y.size - (posting.place_rest >> x.rest_bits));
		if (left < least)
			continue;
		const auto different = static_cast<std::uint32_t>(
			std::popcount(x.signature[0] ^ y.signature[0]) + std::popcount(x.signature[1] ^ y.signature[1]));
		if (different + 2 * least <= sum)
			selected[found++] = &posting;
	}
	return found;
}

std::size_t select(const Search &search, std::span<const Posting> postings, const Posting **selected) noexcept
{
	return core::dispatch<select_kernel>(core::simd_level(), &search, postings.data(), postings.size(), selected);
}

// The number of common terms, of which the first must be x[place]; 0 if it is another one, or they are fewer than `least`.
std::uint32_t count_common(
	std::span<const std::uint32_t> x, std::size_t place, std::span<const std::uint32_t> y, std::uint32_t least) noexcept
{
	std::size_t i = 0, j = 0;
	while (x[i] != y[j])
		(x[i] < y[j] ? i : j)++;
	if (i != place)
		return 0;
	constexpr std::size_t steps = 8;
	std::uint32_t common = 0;
	const auto step = [&] {
		const std::uint32_t a = x[i], b = y[j];
		common += a == b;
		i += a <= b;
		j += b <= a;
	};
	while (i + steps <= x.size() && j + steps <= y.size()) {
		if (common + std::min(x.size() - i, y.size() - j) < least)
			return 0;
		for (std::size_t k = 0; k < steps; ++k)
			step();
	}
	while (i < x.size() && j < y.size())
		step();
	return common >= least ? common : 0;
}

} // namespace

SimilarityLimit::SimilarityLimit(double threshold) noexcept : threshold_(threshold)
{
	// A float is rounded by less than 1e-7 of its value.
	const double lower = threshold * (1 - 1e-6);
	share_ = lower / (1 + lower);
	for (std::uint32_t sum = 0; sum < known; ++sum)
		least_[sum] = static_cast<std::uint16_t>(compute(sum));
}

std::uint32_t SimilarityLimit::compute(std::uint32_t sum) const noexcept
{
	auto common = std::max<std::uint32_t>(1, static_cast<std::uint32_t>(share_ * sum));
	while (2 * common <= sum && static_cast<double>(similarity_of(common, sum)) < threshold_)
		++common;
	return common;
}

std::uint32_t SimilarityLimit::least_size(std::uint32_t size) const noexcept
{
	std::uint32_t none = 0, some = size; // binary search
	while (some - none > 1) {
		const std::uint32_t middle = none + (some - none) / 2;
		(may_be_similar(middle, size) ? some : none) = middle;
	}
	return some;
}

SetJoin::SetJoin(JoinHost &host, double threshold, const SetJoinMemory &memory)
	: host_(&host), limit_(threshold), memory_(memory)
{
	// The number of buckets bounds what counting takes. Different terms of one bucket are told apart later.
	const auto counters = std::max<std::size_t>(memory.block / 32 / sizeof *buckets_, 1 << 12);
	const int bucket_bits = std::min(static_cast<int>(std::bit_width(counters)) - 1, 20);
	rest_bits_ = term_bits - bucket_bits;
	buckets_ = host.array<std::uint32_t>(std::size_t{1} << bucket_bits);
	std::memset(buckets_, 0, sizeof *buckets_ << bucket_bits);
	terms_.open(host, memory.terms);
	sets_.open(host, memory.sets);
}

void SetJoin::add(std::span<std::uint32_t> terms)
{
	if (count_ == capacity_) {
		capacity_ = std::max<std::size_t>(1024, 2 * capacity_);
		sizes_ = host_->enlarged(sizes_, capacity_);
	}
	sizes_[count_++] = static_cast<std::uint32_t>(terms.size());
	for (std::uint32_t &term : terms) {
		term = mixed_term(term);
		std::uint32_t &times = buckets_[bucket_of(term)];
		times += times != 0xFFFFFFFF;
	}
	terms_.append(terms.data(), terms.size_bytes());
}

// From now on buckets_ says where a bucket stands in the order of the frequency.
void SetJoin::order_buckets()
{
	const std::size_t n = bucket_count();
	auto *order = host_->array<std::uint32_t>(n);
	for (std::uint32_t i = 0; i < n; ++i)
		order[i] = i;
	std::sort(order, order + n, [this](std::uint32_t a, std::uint32_t b) {
		return buckets_[a] != buckets_[b] ? buckets_[a] < buckets_[b] : a < b;
	});
	for (std::uint32_t i = 0; i < n; ++i)
		buckets_[order[i]] = i;
	host_->free(order);
}

void SetJoin::order_by_size()
{
	numbers_ = host_->array<std::uint32_t>(count_);
	for (std::uint32_t number = 0; number < count_; ++number)
		if (sizes_[number] > 0) // an empty set is similar to none
			numbers_[used_++] = number;
	std::sort(numbers_, numbers_ + used_,
		[this](std::uint32_t a, std::uint32_t b) { return sizes_[a] != sizes_[b] ? sizes_[a] < sizes_[b] : a < b; });
	host_->poll();
}

void SetJoin::finish()
{
	order_buckets();
	order_by_size();
	auto *begins = host_->array<std::uint64_t>(count_);
	std::uint64_t begin = 0;
	for (std::uint32_t number = 0; number < count_; ++number)
		begins[number] = std::exchange(begin, begin + sizes_[number]);
	terms_.map();
	write_sets(begins);
	host_->free(begins);
	terms_.close();
	if (sizes_ != nullptr)
		host_->free(sizes_);
	sizes_ = nullptr;
	sets_.flush();
}

// In the order of sizes, with the terms of each in the order of their frequency
void SetJoin::write_sets(const std::uint64_t *begins)
{
	std::uint32_t *terms = nullptr;
	std::size_t room = 0;
	for (std::uint32_t set = 0; set < used_; ++set) {
		host_->poll();
		host_->progress(1);
		const std::uint32_t number = numbers_[set], size = sizes_[number];
		if (run_count_ == 0 || runs_[run_count_ - 1].size != size) {
			if (run_count_ == run_capacity_)
				runs_ = host_->enlarged(runs_, run_capacity_ = std::max<std::size_t>(64, 2 * run_capacity_));
			runs_[run_count_++] = {size, set, sets_.size() / sizeof *terms};
		}
		if (size > room)
			terms = host_->enlarged(terms, room = std::size_t{2} * size);
		terms_.copy(begins[number] * sizeof *terms, size * sizeof *terms, terms);
		for (std::uint32_t i = 0; i < size; ++i)
			terms[i] = buckets_[bucket_of(terms[i])] << rest_bits_ | (terms[i] & ((1u << rest_bits_) - 1));
		std::sort(terms, terms + size);
		sets_.append(terms, size * sizeof *terms);
	}
	if (terms != nullptr)
		host_->free(terms);
}

std::size_t SetJoin::run_of(std::uint32_t set) const
{
	const Run *after = std::upper_bound(
		runs_, runs_ + run_count_, set, [](std::uint32_t value, const Run &run) { return value < run.begin; });
	return static_cast<std::size_t>(after - runs_) - 1;
}

std::uint32_t SetJoin::first_of_size(std::uint32_t size) const
{
	const Run *run = std::lower_bound(
		runs_, runs_ + run_count_, size, [](const Run &other, std::uint32_t value) { return other.size < value; });
	return run == runs_ + run_count_ ? used_ : run->begin;
}

SetJoin::Block SetJoin::next_block(std::uint32_t first) const
{
	constexpr std::size_t most = std::size_t{8} << 30; // so that 32 bits number the terms and the postings
	const std::size_t lists = bucket_count() * sizeof(std::uint32_t);
	std::size_t left = std::min(memory_.block, most);
	left -= std::min(left, lists);
	std::size_t run = run_of(first);
	Block block{first, first, 0};
	for (; run < run_count_; ++run) {
		const std::uint32_t size = runs_[run].size, sets = end_of(run) - block.end;
		const std::size_t each =
			sizeof(IndexedSet) + std::size_t{size} * sizeof(std::uint32_t) + index_prefix(size) * sizeof(Posting);
		const auto room = static_cast<std::uint32_t>(std::min<std::size_t>(left / each, sets));
		block.end += room;
		left -= room * each;
		if (room < sets)
			break;
	}
	block.end = std::max(block.end, first + 1);
	run = run_of(block.end - 1);
	const std::uint32_t largest = runs_[run].size;
	while (run + 1 < run_count_ && limit_.may_be_similar(largest, runs_[run + 1].size))
		++run;
	block.probe_end = end_of(run);
	return block;
}

std::uint64_t SetJoin::steps() const
{
	std::uint64_t steps = 0;
	for (Block block{}; block.end < used_; steps += block.probe_end - block.first)
		block = next_block(block.end);
	return steps;
}

SetJoin::Index SetJoin::make_index(const Block &block)
{
	const std::uint64_t first_term = terms_before(block.first);
	const std::uint64_t terms =
		(block.end == used_ ? sets_.size() / sizeof(std::uint32_t) : terms_before(block.end)) - first_term;
	Index index{};
	index.block = block;
	index.sets = host_->array<IndexedSet>(block.end - block.first);
	index.terms = host_->array<std::uint32_t>(terms);
	constexpr std::uint64_t at_once = 1 << 20;
	for (std::uint64_t done = 0; done < terms; done += at_once) {
		host_->poll();
		sets_.copy((first_term + done) * sizeof(std::uint32_t), std::min(at_once, terms - done) * sizeof(std::uint32_t),
			index.terms + done);
	}
	std::uint64_t postings = 0;
	std::uint32_t begin = 0;
	for (std::size_t run = run_of(block.first); run < run_count_ && runs_[run].begin < block.end; ++run) {
		const std::uint32_t size = runs_[run].size;
		for (std::uint32_t set = std::max(block.first, runs_[run].begin); set < std::min(block.end, end_of(run));
			 ++set) {
			IndexedSet &indexed = index.sets[set - block.first];
			indexed = {{}, size, begin};
			sign({index.terms + begin, size}, indexed.signature);
			begin += size;
			postings += index_prefix(size);
		}
	}
	fill_lists(index, postings);
	return index;
}

void SetJoin::fill_lists(Index &index, std::uint64_t postings)
{
	const std::size_t n = bucket_count();
	const std::uint32_t sets = index.block.end - index.block.first, most_place = 0xFFFFFFFF >> rest_bits_;
	index.postings = host_->array<Posting>(postings);
	index.lists = host_->array<std::uint32_t>(n);
	std::memset(index.lists, 0, n * sizeof *index.lists);
	const auto for_each_posting = [&](auto fn) {
		for (std::uint32_t set = 0; set < sets; ++set) {
			host_->poll();
			const std::uint32_t *terms = index.terms + index.sets[set].begin;
			for (std::uint32_t place = 0, end = index_prefix(index.sets[set].size); place < end; ++place)
				fn(set, place, terms[place]);
		}
	};
	for_each_posting([&](std::uint32_t, std::uint32_t, std::uint32_t term) { ++index.lists[bucket_of(term)]; });
	std::uint32_t before = 0;
	for (std::size_t bucket = 0; bucket < n; ++bucket)
		before += std::exchange(index.lists[bucket], before);
	for_each_posting([&](std::uint32_t set, std::uint32_t place, std::uint32_t term) {
		index.postings[index.lists[bucket_of(term)]++] = {
			set, std::min(place, most_place) << rest_bits_ | (term & ((1u << rest_bits_) - 1))};
	});
}

void SetJoin::find_pairs(JoinExecutor &executor, Sink sink, void *fn)
{
	for (Block block{}; block.end < used_;) {
		block = next_block(block.end);
		const Index index = make_index(block);
		executor.for_each((block.probe_end - block.first + sets_of_chunk - 1) / sets_of_chunk,
			[&](unsigned worker, std::size_t chunk) {
				search_chunk(index, executor.host(worker), chunk, {sink, fn, worker});
			});
		for (void *memory : {static_cast<void *>(index.sets), static_cast<void *>(index.terms),
				 static_cast<void *>(index.lists), static_cast<void *>(index.postings)})
			host_->free(memory);
	}
}

// The sets of a chunk are read in pieces of one size.
void SetJoin::search_chunk(const Index &index, JoinHost &host, std::size_t chunk, const Receiver &receiver)
{
	constexpr std::uint32_t terms_at_once = 1 << 15;
	const Block &block = index.block;
	const auto begin = static_cast<std::uint32_t>(block.first + chunk * sets_of_chunk);
	const std::uint32_t end = std::min<std::uint32_t>(begin + sets_of_chunk, block.probe_end);
	std::uint32_t *buffer = nullptr;
	std::size_t room = 0;
	for (std::uint32_t set = begin, stop; set < end; set = stop) {
		const std::size_t run = run_of(set);
		const std::uint32_t size = runs_[run].size,
							first = std::max(block.first, first_of_size(limit_.least_size(size)));
		stop =
			std::min({end, end_of(run), set + std::max(1u, terms_at_once / size), set < block.end ? block.end : end});
		const std::uint32_t *terms = index.terms + (set < block.end ? index.sets[set - block.first].begin : 0);
		if (set >= block.end) {
			const std::size_t n = std::size_t{stop - set} * size;
			if (n > room)
				buffer = host.enlarged(buffer, room = n);
			sets_.copy(terms_before(set) * sizeof *terms, n * sizeof *terms, buffer);
			terms = buffer;
		}
		for (std::uint32_t i = set; i < stop; ++i, terms += size)
			search_set(index, host, i, {terms, size}, first, receiver);
	}
	if (buffer != nullptr)
		host.free(buffer);
	host.progress(end - begin);
}

// Looks for similar sets among those from `first` on that stand before this one.
void SetJoin::search_set(const Index &index, JoinHost &host, std::uint32_t set, std::span<const std::uint32_t> terms,
	std::uint32_t first, const Receiver &receiver) const
{
	const std::uint32_t begin = first - index.block.first, end = std::min(set, index.block.end) - index.block.first;
	if (begin >= end)
		return;
	const auto size = static_cast<std::uint32_t>(terms.size());
	const std::uint32_t prefix = size - limit_.least_common(size + index.sets[begin].size) + 1;
	Search search{&limit_, index.sets, {}, size, 0, 0, rest_bits_};
	sign(terms, search.signature);
	const auto is_before = [](const Posting &posting, std::uint32_t value) { return posting.set < value; };
	for (search.place = 0; search.place < prefix; ++search.place) {
		const std::uint32_t term = terms[search.place], bucket = bucket_of(term);
		search.rest = term & ((1u << rest_bits_) - 1);
		const Posting *list = index.postings + (bucket == 0 ? 0 : index.lists[bucket - 1]),
					  *list_end = index.postings + index.lists[bucket];
		list = std::lower_bound(list, list_end, begin, is_before);
		list_end = std::lower_bound(list, list_end, end, is_before);
		while (list < list_end) {
			host.poll();
			const Posting *selected[most_at_once];
			const std::size_t n = std::min<std::size_t>(list_end - list, most_at_once),
							  found = select(search, {list, n}, selected);
			for (std::size_t i = 0; i < found; ++i) {
				const IndexedSet &other = index.sets[selected[i]->set];
				const std::uint32_t sum = size + other.size;
				const std::uint32_t common = count_common(
					terms, search.place, {index.terms + other.begin, other.size}, limit_.least_common(sum));
				if (common > 0)
					receiver.sink(receiver.fn, receiver.worker, numbers_[set],
						numbers_[index.block.first + selected[i]->set], similarity_of(common, sum));
			}
			list += n;
		}
	}
}

void SetJoin::close()
{
	sets_.close();
	for (void *memory : {static_cast<void *>(buckets_), static_cast<void *>(numbers_), static_cast<void *>(runs_)})
		if (memory != nullptr)
			host_->free(memory);
}

} // namespace txtfp::trgm
