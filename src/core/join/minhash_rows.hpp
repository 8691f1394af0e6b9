// Joins of MinHash sketches. As rows arrive, each sketch goes to a spool and its band keys go to partitions, with one
// bit of each slot (core/minhash/slot_marks.hpp): the caller collects sketches to pieces of the spool, and workers
// compute the keys of a piece, add them to partitions of their own, and write the piece. Then the partitions are sorted
// one by one, in one worker or in several. The rows of a bucket that their marks do not tell apart are compared
// (core/minhash/bucket_pairs.hpp, core/minhash/minhash_join.hpp); candidates are not stored. Where the sketches are in
// a file, the sketches of several buckets are read together (sketch_batch.hpp). Rows with equal sketches are found first, by a
// hash of all slots, and only the first of them (the head) takes part in the comparisons. Rows of different groups are
// never compared: a bucket that has rows of several is cut. Of two parts each has heads of its own; rows of the second
// part that have no key in common with the first are not stored (second_part.hpp).
//
// The results depend neither on the number of workers nor on the order of their work: a pair is found in its first
// common band, and the connections that a bucket adds do not depend on other buckets.
#pragma once

#include <atomic>
#include <cstring>
#include <new>

#include "core/join/minhash_worker.hpp"
#include "core/join/partitions.hpp"
#include "core/join/row_order.hpp"
#include "core/join/second_part.hpp"
#include "core/minhash/slot_marks.hpp"

namespace txtfp::core {

struct MinhashJoinOptions {
	std::size_t slots;
	Banding banding;
	unsigned matches; // the least number of equal slots
};

// Bytes, of all workers together.
struct MinhashJoinMemory {
	std::size_t sketches, equal_rows, sort, bands, bands_sort, batch, file_batch, scratch, key_filter;
};

// Of full sketches (Slot = std::uint64_t) or compact ones (std::uint8_t). The marks of all bands would be larger than a
// compact sketch, so compact ones have none.
template <class Slot> class MinhashRows {
	static constexpr bool has_marks = sizeof(Slot) > 1;

public:
	using Worker = MinhashWorker<Slot>;

	MinhashRows(
		JoinHost &host, JoinExecutor &executor, const MinhashJoinOptions &options, const MinhashJoinMemory &memory)
		: host_(&host), executor_(executor), slots_(options.slots), size_(sizeof(Slot) * options.slots),
		  banding_(options.banding), matches_(options.matches), memory_(memory), batch_memory_(memory.batch)
	{
		sketches_.open(host, memory.sketches);
		const unsigned parts = executor.streams();
		writers_ = host.array<Writer>(parts);
		for (unsigned i = 0; i < parts; ++i) {
			JoinHost &own = i == 0 ? host : executor.host(i);
			writers_[i].copies.open(own, 64, memory.equal_rows, 0, parts);
			writers_[i].bands.open(own, 64, memory.bands, has_marks ? 8 * mark_words(slots_) : 0, parts);
			if (i > 0) {
				copies().append(writers_[i].copies);
				bands().append(writers_[i].bands);
			}
		}
		most_pieces_ = 2 * parts;
	}

	void add(std::span<const Slot> sketch)
	{
		if (piece_ == nullptr)
			begin_piece();
		std::memcpy(piece_->place.bytes + piece_->rows * size_, sketch.data(), size_);
		++rows_;
		if (++piece_->rows == piece_size() / size_)
			end_piece();
	}
	// In place of add(), for rows that threads of the caller have prepared, each computing a hash of its sketch, its
	// marks and its keys.
	std::size_t entry_words() const { return 1 + mark_count() + band_count(); }
	void prepare(std::span<const Slot> sketch, std::uint64_t *entry) const
	{
		prepare_keys(sketch, entry);
		prepare_marks(sketch, entry);
	}
	void add(std::span<const Slot> sketch, const std::uint64_t *entry)
	{
		sketches_.append(sketch.data(), size_);
		writers_[0].add(entry, rows_++, mark_count(), band_count());
	}
	// The rows that add(sketch) adds from now on are of a second part.
	void begin_second_part()
	{
		second_.open(*host_, rows_, rows_ * band_count(), memory_.key_filter);
		if (!second_.is_filtered())
			return;
		if (piece_ != nullptr)
			end_piece();
		executor_.drain();
		Slot *buffer = host_->array<Slot>(slots_);
		for (std::uint32_t row = 0; row < rows_; ++row) {
			host_->poll();
			const std::span sketch(stored(row, buffer), slots_);
			for (int band = 0; band < banding_.bands; ++band)
				second_.add_first(band_key(sketch, banding_.rows, band));
		}
		host_->free(buffer);
	}
	// A row that is similar to none. `sketch` takes its place.
	void add_absent(std::span<const Slot> sketch)
	{
		sketches_.append(sketch.data(), size_);
		++rows_;
	}
	const Slot *stored(std::uint32_t place, Slot *buffer)
	{
		return static_cast<const Slot *>(sketches_.read(std::uint64_t{place} * size_, size_, buffer));
	}

	std::uint32_t rows() const { return rows_; }
	std::uint64_t band_count() const { return static_cast<std::uint64_t>(banding_.bands); }
	std::uint64_t key_count() const { return bands().rows(); }
	bool are_copies(std::uint32_t a, std::uint32_t b) const { return first_[a] == first_[b]; }
	std::uint32_t head(std::uint32_t row) const { return first_[row]; } // the first row with the same sketch

	// After the last row. Finds the rows with equal sketches.
	void finish(const RowOrder &order, JoinExecutor &executor)
	{
		if (piece_ != nullptr)
			end_piece();
		if (pieces_ != nullptr) {
			executor_.finish();
			for (std::size_t i = 0; i < most_pieces_; ++i)
				keep_rows(pieces_[begun_pieces_++ % most_pieces_]);
		}
		second_.close_filter(*host_);
		order_ = order;
		first_ = host_->array<std::uint32_t>(rows_);
		for (std::uint32_t i = 0; i < rows_; ++i)
			first_[i] = i;
		writers_[0].flush();
		if (sketches_.exceeds_cache() && sketches_.size() > 4 * memory_.sketches) {
			sketches_.unload();
			batch_memory_ = memory_.file_batch;
		}
		sketches_.map();
		with_workers(executor, [&](Worker *workers) {
			const auto compare_in = [&](unsigned number) {
				return [this, worker = workers + number](std::span<KeyedRow> same) { find_copies(*worker, same); };
			};
			copies().for_each_shared(executor, memory_.sort, [&](unsigned number, const SortedRows &sorted) {
				auto compare = compare_in(number);
				for_each_run(sorted.rows, [&](std::span<KeyedRow> run) {
					rank_rows(run);
					order_.for_each_class(
						run, true, [&](std::span<KeyedRow> same) { workers[number].compare_later(same, compare); });
				});
				end_task(workers[number], compare);
				executor.host(number).progress(sorted.loaded);
			});
			auto compare = compare_in(0);
			workers[0].run_batch(compare);
		});
	}

	// Unites the rows of the components. Several workers do so at once.
	void connect(JoinExecutor &executor, UnionFind &components)
	{
		for (std::uint32_t row = 0; row < rows_; ++row)
			if (first_[row] != row)
				components.unite(first_[row], row);
		for_each_bucket(
			executor, [&](std::uint32_t rank) { components.prefetch(rank); },
			[&](std::span<Member> members) {
				for (Member &member : members)
					member.root = components.find(member.rank);
				choose(members, [](const Member &a, const Member &b) { return a.root != b.root; });
			},
			[&](Worker &worker, unsigned, std::span<const KeyedRow> bucket) {
				BucketJoin<Worker>(worker, slots_, matches_, worker.buffers()).connect(bucket, components);
			});
	}

	// Calls emit(worker, a, b, number of equal slots) for each similar pair of ranks a < b. `nearest`: of the rows of
	// the second part with equal sketches only for the first.
	template <class Emit> void pairs(JoinExecutor &executor, Emit emit, bool nearest = false)
	{
		next_ = host_->array<std::uint32_t>(rows_);
		chain_groups({first_, rows_}, next_);
		if (!order_.has_parts())
			pair_copies(executor.host(0), emit);
		pairs_of_heads(executor, [&](unsigned number, std::uint32_t x, std::uint32_t y, unsigned equal) {
			for (std::uint32_t a = x; a != no_element; a = next_[a])
				for (std::uint32_t b = y; b != no_element; b = nearest ? no_element : next_[b])
					emit(number, std::min(a, b), std::max(a, b), equal);
		});
	}

	// The same for rows whose sketches differ: of equal ones only the first takes part.
	template <class Emit> void pairs_of_heads(JoinExecutor &executor, Emit emit)
	{
		for_each_bucket(
			executor, [](std::uint32_t) {},
			[&](std::span<Member> members) {
				choose(members, [this](const Member &a, const Member &b) { return order_.is_pair(a.rank, b.rank); });
			},
			[&](Worker &worker, unsigned number, std::span<const KeyedRow> bucket) {
				BucketPairs<Worker> join(worker, slots_, matches_, banding_, worker.buffers(), order_.second_part);
				join.find(bucket, [&](std::uint32_t x, std::uint32_t y, unsigned equal) {
					emit(number, std::min(x, y), std::max(x, y), equal);
				});
			});
	}

	// Writes the keys of the bands; returns their number.
	std::size_t keys(Worker &worker, std::uint32_t rank, std::uint64_t *keys)
	{
		const std::span slots(worker.sketch(rank, worker.buffers()), slots_);
		for (int band = 0; band < banding_.bands; ++band)
			keys[band] = band_key(slots, banding_.rows, band);
		return static_cast<std::size_t>(banding_.bands);
	}

	void close() { sketches_.close(); }

private:
	friend Worker;
	static constexpr std::size_t max_entry_words = 1 + max_mark_words + minhash_max_slots;
	std::size_t mark_count() const { return has_marks ? mark_words(slots_) : 0; }
	std::uint32_t place_of(std::uint32_t rank) const { return second_.place_of(order_.number_of(rank)); }

	// An entry has the hash of the sketch, its marks and its keys.
	void prepare_keys(std::span<const Slot> sketch, std::uint64_t *entry) const
	{
		std::uint64_t *keys = entry + 1 + mark_count();
		for (int band = 0; band < banding_.bands; ++band)
			*keys++ = band_key(sketch, banding_.rows, band);
	}
	void prepare_marks(std::span<const Slot> sketch, std::uint64_t *entry) const
	{
		*entry = xxh3_64(sketch.data(), size_, 0);
		if constexpr (has_marks)
			mark_slots(sketch, entry + 1);
	}

	// The partitions of a worker.
	struct Writer {
		Partitions copies, bands;

		void add(const std::uint64_t *entry, std::uint32_t row, std::size_t marks, std::uint64_t keys)
		{
			copies.add(KeyedRow::of(*entry++, row));
			const std::uint64_t *payload = marks > 0 ? entry : nullptr;
			entry += marks;
			for (std::uint64_t i = 0; i < keys; ++i)
				bands.add(KeyedRow::of(entry[i], row), payload);
		}
		void flush()
		{
			copies.flush();
			bands.flush();
		}
	};
	Partitions &copies() const { return writers_[0].copies; }
	Partitions &bands() const { return writers_[0].bands; }

	// Rows on their way to a worker. A filtered piece is in no spool: the worker moves the rows that are kept to its front,
	// and the caller stores them.
	struct Piece {
		Spool::Piece place;
		char *buffer;
		bool *kept; // of each row; nullptr if no such piece came yet
		std::uint32_t first_row, rows;
		bool is_filtered;
	};
	std::size_t piece_size() const
	{
		return memory_.sketches >= 16 * Spool::chunk_size ? Spool::chunk_size : Spool::chunk_size / 4;
	}

	void begin_piece()
	{
		if (pieces_ == nullptr) {
			pieces_ = host_->array<Piece>(most_pieces_);
			std::fill_n(pieces_, most_pieces_, Piece{});
			executor_.begin(
				[](void *rows, unsigned worker, std::size_t number) {
					static_cast<MinhashRows *>(rows)->prepare_piece(worker, number);
				},
				this, most_pieces_ - 1, executor_.streams());
		}
		piece_ = &pieces_[begun_pieces_++ % most_pieces_];
		keep_rows(*piece_);
		if (piece_->is_filtered = second_.is_filtered(); piece_->is_filtered)
			piece_->place = {filtered_buffer(*piece_), nullptr, 0};
		else
			piece_->place = sketches_.next_piece(piece_->buffer, piece_size());
		piece_->first_row = rows_;
		piece_->rows = 0;
	}
	void end_piece()
	{
		const std::size_t bytes = piece_->rows * size_;
		if (!piece_->is_filtered)
			sketches_.end_piece(piece_->place, bytes);
		piece_ = nullptr;
		executor_.post(bytes);
	}
	char *filtered_buffer(Piece &piece)
	{
		if (piece.buffer == nullptr)
			piece.buffer = host_->array<char>(piece_size());
		if (piece.kept == nullptr)
			piece.kept = host_->array<bool>(piece_size() / size_);
		return piece.buffer;
	}
	// Of a piece that a worker is done with
	void keep_rows(Piece &piece)
	{
		if (!piece.is_filtered)
			return;
		std::size_t n = 0;
		for (std::uint32_t i = 0; i < piece.rows; ++i) {
			second_.add(*host_, piece.kept[i]);
			n += piece.kept[i];
		}
		sketches_.append(piece.buffer, n * size_);
		piece.is_filtered = false;
	}

	// In a worker.
	void prepare_piece(unsigned worker, std::size_t number)
	{
		if (number == JoinExecutor::none)
			return writers_[worker].flush();
		const Piece &piece = pieces_[number % most_pieces_];
		if (piece.is_filtered)
			return filter_piece(worker, piece);
		std::uint64_t entry[max_entry_words];
		for (std::uint32_t i = 0; i < piece.rows; ++i) {
			poll_between_rows(worker, i);
			prepare({sketch_of(piece, i), slots_}, entry);
			writers_[worker].add(entry, piece.first_row + i, mark_count(), band_count());
		}
		const std::size_t bytes = piece.rows * size_;
		if (JoinFile *file = piece.place.file; file != nullptr)
			worker == 0 ? file->write(piece.place.place, piece.place.bytes, bytes)
						: file->write_reserved(piece.place.place, piece.place.bytes, bytes);
	}
	void filter_piece(unsigned worker, const Piece &piece)
	{
		std::uint64_t entry[max_entry_words];
		std::uint32_t n = 0;
		for (std::uint32_t i = 0; i < piece.rows; ++i) {
			poll_between_rows(worker, i);
			const std::span sketch(sketch_of(piece, i), slots_);
			prepare_keys(sketch, entry);
			piece.kept[i] = second_.may_meet({entry + 1 + mark_count(), band_count()});
			if (!piece.kept[i])
				continue;
			prepare_marks(sketch, entry);
			writers_[worker].add(entry, piece.first_row + i, mark_count(), band_count());
			std::memmove(piece.buffer + n++ * size_, sketch.data(), size_);
		}
	}
	const Slot *sketch_of(const Piece &piece, std::uint32_t i) const
	{
		return reinterpret_cast<const Slot *>(piece.place.bytes + i * size_);
	}
	void poll_between_rows(unsigned worker, std::uint32_t i)
	{
		constexpr std::uint32_t rows_between_polls = 64;
		if (i % rows_between_polls == 0)
			executor_.host(worker).poll();
	}

	// A row of a bucket, with its marks. `chosen` if some other row is to be compared with it.
	struct Member {
		std::uint32_t rank, root;
		const char *marks;
		bool chosen;
	};

	// Calls fn(workers) with a worker for each of the executor's.
	template <class Fn> void with_workers(JoinExecutor &executor, Fn fn)
	{
		workers_ = executor.workers();
		auto *workers = host_->array<Worker>(workers_);
		for (unsigned i = 0; i < workers_; ++i)
			new (workers + i) Worker(executor.host(i), *this);
		fn(workers);
		for (unsigned i = 0; i < workers_; ++i)
			workers[i].close();
		host_->free(workers);
	}

	// Several workers finish their batches with each task, so that none is left when they have ended. One keeps it for
	// the next task.
	template <class Compare> void end_task(Worker &worker, Compare &compare) const
	{
		if (workers_ > 1)
			worker.run_batch(compare);
	}

	// `run` has rows of one hash and class. Different sketches with the same hash are very unlikely, but they are kept
	// apart.
	void find_copies(Worker &worker, std::span<KeyedRow> run)
	{
		const Slot *head = worker.sketch(run[0].row, worker.buffer(0));
		for (const KeyedRow &row : run.subspan(1)) {
			worker.poll();
			if (std::equal(head, head + slots_, worker.sketch(row.row, worker.buffer(1))))
				first_[row.row] = run[0].row;
		}
	}

	template <class Emit> void pair_copies(JoinHost &host, Emit &emit) const
	{
		for (std::uint32_t head = 0; head < rows_; ++head) {
			host.poll();
			if (first_[head] == head)
				for (std::uint32_t a = head; a != no_element; a = next_[a])
					for (std::uint32_t b = next_[a]; b != no_element; b = next_[b])
						emit(0u, a, b, static_cast<unsigned>(slots_));
		}
	}

	// Replaces numbers by ranks.
	void rank_rows(std::span<KeyedRow> run) const
	{
		for (KeyedRow &row : run)
			row.row = order_.rank_of(row.row);
	}

	// Chooses the rows of pairs that `wanted` says are of use, and whose equal marks are enough that they may be
	// similar.
	template <class Wanted> void choose(std::span<Member> members, Wanted wanted) const
	{
		for (std::size_t j = 1; j < members.size(); ++j)
			for (std::size_t i = 0; i < j; ++i)
				if (!(members[i].chosen && members[j].chosen) && wanted(members[i], members[j]) &&
					(!has_marks || matching_marks(members[i].marks, members[j].marks, slots_) >= matches_))
					members[i].chosen = members[j].chosen = true;
	}

	// Requests from memory what will be needed of the rows after entry `at`, in three steps, because each address
	// depends on the step before. prefetch(rank) requests what the caller needs of a row.
	template <class Prefetch>
	void prefetch_rows(const SortedRows &sorted, std::size_t at, const Prefetch &prefetch) const
	{
		constexpr std::size_t record_step = 96, rank_step = 64, last_step = 32; // entries
		const std::span<const KeyedRow> entries = sorted.rows;
		if (at + record_step >= entries.size())
			return;
		sorted.prefetch(entries[at + record_step]);
		order_.prefetch_rank(sorted.row(entries[at + rank_step]));
		const std::uint32_t rank = order_.rank_of(sorted.row(entries[at + last_step]));
		__builtin_prefetch(first_ + rank);
		prefetch(rank);
	}

	// Calls filter(members), which chooses some, for each small bucket, and compare(worker, number, bucket) for those
	// that are left and for large ones.
	template <class Prefetch, class Filter, class Compare>
	void for_each_bucket(JoinExecutor &executor, Prefetch prefetch, Filter filter, Compare compare)
	{
		std::atomic<std::uint64_t> keys = 0;
		with_workers(executor, [&](Worker *workers) {
			const auto compare_in = [&](unsigned number) {
				return [&compare, worker = workers + number, number](
						   std::span<const KeyedRow> bucket) { compare(*worker, number, bucket); };
			};
			bands().for_each_shared(executor, memory_.bands_sort, [&](unsigned number, const SortedRows &sorted) {
				Worker &worker = workers[number];
				auto own_compare = compare_in(number);
				for_each_run(sorted.rows, [&](std::span<KeyedRow> run) {
					const auto begin = static_cast<std::size_t>(run.data() - sorted.rows.data());
					for (std::size_t i = 0; i < run.size(); ++i)
						prefetch_rows(sorted, begin + i, prefetch);
					if (run.size() <= bucket_limit)
						filter_bucket(worker, sorted, run, filter, own_compare);
					else
						compare_large(sorted, run, own_compare);
				});
				end_task(worker, own_compare);
				const std::uint64_t before = keys.fetch_add(sorted.loaded);
				executor.host(number).progress((before + sorted.loaded) / band_count() - before / band_count());
			});
			auto own_compare = compare_in(0);
			workers[0].run_batch(own_compare);
		});
	}

	template <class Filter, class Compare>
	void filter_bucket(
		Worker &worker, const SortedRows &sorted, std::span<const KeyedRow> run, Filter &filter, Compare &compare)
	{
		Member members[bucket_limit];
		std::size_t n = 0;
		for (const KeyedRow &entry : run)
			if (const std::uint32_t rank = order_.rank_of(sorted.row(entry)); first_[rank] == rank)
				members[n++] = {rank, 0, sorted.payload(entry), false};
		const bool classes = order_.has_classes(false);
		const auto class_of = [&](const Member &member) { return classes ? order_.class_of(member.rank, false) : 0; };
		std::sort(members, members + n, [&](const Member &a, const Member &b) {
			const std::uint64_t x = class_of(a), y = class_of(b);
			return x != y ? x < y : a.rank < b.rank;
		});
		for (std::size_t begin = 0, end; begin < n; begin = end) {
			for (end = begin + 1; end < n && class_of(members[end]) == class_of(members[begin]);)
				++end;
			const std::span<Member> same(members + begin, members + end);
			if (same.size() > 1)
				filter(same);
			compare_chosen(worker, run[0].key(), same, compare);
		}
	}

	template <class Compare>
	void compare_chosen(Worker &worker, std::uint64_t key, std::span<const Member> members, Compare &compare)
	{
		KeyedRow bucket[bucket_limit];
		std::size_t n = 0;
		for (const Member &member : members)
			if (member.chosen)
				bucket[n++] = KeyedRow::of(key, member.rank);
		if (n > 1)
			worker.compare_later({bucket, n}, compare);
	}

	template <class Compare> void compare_large(const SortedRows &sorted, std::span<KeyedRow> run, Compare &compare)
	{
		std::size_t n = 0;
		for (const KeyedRow &entry : run)
			if (const std::uint32_t rank = order_.rank_of(sorted.row(entry)); first_[rank] == rank)
				run[n++] = KeyedRow::of(entry.key(), rank);
		order_.for_each_class(run.first(n), false, compare);
	}

	JoinHost *host_;
	JoinExecutor &executor_;   // of the rows that arrive
	std::size_t slots_, size_; // size_: of a sketch, in bytes
	Banding banding_;
	unsigned matches_;
	MinhashJoinMemory memory_;
	std::size_t batch_memory_;
	unsigned workers_ = 1;
	std::uint32_t rows_ = 0;
	SecondPart second_;
	RowOrder order_;
	Spool sketches_;
	Writer *writers_; // one for each worker
	Piece *pieces_ = nullptr, *piece_ = nullptr;
	std::size_t most_pieces_, begun_pieces_ = 0;
	std::uint32_t *first_ = nullptr, *next_ = nullptr; // the first row with the same sketch, and the next one
};

} // namespace txtfp::core
