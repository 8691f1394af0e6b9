#include "core/passages/repeats.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>

#include "core/base/splitmix.hpp"

namespace txtfp::core {

namespace {

constexpr std::uint32_t block_rows = 64;           // texts of one task
constexpr std::uint32_t none = 0xFFFFFFFF;         // of a place: no rank has this value
constexpr std::uint64_t gram_factor = SplitMix64::step;

// What a window and the sorts behind it carry beside the key and a row.
struct WindowPayload {
	std::uint32_t low[2], place; // low: the second half of the hash
};
struct OccurrencePayload {
	std::uint32_t kept_place;
};
struct RequestPayload {
	std::uint32_t piece_rank, piece_place; // name the piece
	std::uint32_t units;                   // 0: where the first occurrence begins is asked for
};
struct PlacePayload {
	std::uint32_t start, length;
};

std::uint64_t key_of(std::uint32_t row, std::uint32_t place) { return std::uint64_t{row} << 32 | place; }

template <class Payload> Payload payload_of(const SortedRows &sorted, const KeyedRow &row)
{
	Payload payload;
	std::memcpy(&payload, sorted.payload(row), sizeof payload);
	return payload;
}

// A window that was read, among those with the same first half of the hash.
struct Found {
	std::uint64_t low;
	std::uint32_t rank, place, number;

	bool operator<(const Found &other) const
	{
		return low != other.low ? low < other.low : rank != other.rank ? rank < other.rank : place < other.place;
	}
};

struct Request { // as the spool has it
	std::uint32_t number, place, row;
	RequestPayload payload;
};

struct UnitRun {
	std::uint32_t first, end;
};

// Adds a run to ascending ones; runs that touch or overlap are joined.
void add_run(UnitRun *runs, std::size_t &count, UnitRun run)
{
	if (count > 0 && run.first <= runs[count - 1].end)
		runs[count - 1].end = std::max(runs[count - 1].end, run.end);
	else
		runs[count++] = run;
}

} // namespace

Repeats::Repeats(JoinHost &host, JoinExecutor &executor, PassageTexts &texts, RepeatScratch *scratch, const UnitOptions &options,
	const RowOrder &order, std::uint32_t rows, std::uint64_t bytes, std::size_t memory)
	: host_(host), executor_(executor), texts_(texts), scratch_(scratch), options_(options), order_(order), rows_(rows),
	  window_(options.window()), gram_(std::max<std::uint32_t>(1, (2 * options.window() + 2) / 3)), bytes_(bytes), memory_(memory),
	  row_bits_(32 + std::bit_width(rows))
{
}

// One worker's. Keys have this many bits.
void Repeats::Parts::open(Repeats &repeats, int bits, std::size_t memory, std::size_t payload)
{
	const unsigned workers = repeats.executor_.workers();
	parts = repeats.host_.array<Partitions>(workers);
	for (unsigned worker = 0; worker < workers; ++worker) {
		parts[worker].open(repeats.executor_.host(worker), bits, memory, payload, workers);
		if (worker > 0)
			parts[0].append(parts[worker]);
	}
}

template <class T> T *Repeats::ready(unsigned worker, Room &room, std::size_t n)
{
	if (room.size < n * sizeof(T)) {
		room.size = (n + n / 2 + 64) * sizeof(T);
		room.bytes = executor_.host(worker).enlarged(room.bytes, room.size);
	}
	return reinterpret_cast<T *>(room.bytes);
}

template <class Fn> void Repeats::for_each_block(Fn fn)
{
	executor_.for_each((std::size_t{rows_} + block_rows - 1) / block_rows, [&](unsigned worker, std::size_t block) {
		const auto first = static_cast<std::uint32_t>(block * block_rows);
		fn(worker, first, first + std::min(block_rows, rows_ - first));
	});
}

void Repeats::run(CutSink &sink)
{
	if (rows_ == 0)
		return;
	rooms_ = host_.array<Room>(executor_.workers());
	std::fill_n(rooms_, executor_.workers(), Room{});
	if (window_ > 1)
		count_grams();
	add_windows();
	find_occurrences();
	find_pieces();
	find_places();
	deliver(sink);
}

void Repeats::hash_units(unsigned worker, std::uint32_t number)
{
	executor_.host(worker).poll();
	RepeatScratch &own = scratch_[worker];
	const std::string_view text = texts_.text(number, worker);
	texts_.compute(worker, [&] {
		own.units = unit_hashes(text, options_, texts_.stop());
		if (window_ > 1)
			choose_grams(own);
	});
}

// The hash of a gram is a polynomial of the hashes of its words modulo 2^64.
void Repeats::choose_grams(RepeatScratch &own) const
{
	own.grams.clear();
	own.choices.clear();
	if (own.units.size() < window_)
		return;
	std::uint64_t leading = 1, hash = 0;
	for (std::uint32_t i = 1; i < gram_; ++i)
		leading *= gram_factor;
	for (std::size_t i = 0; i < own.units.size(); ++i) {
		if (i >= gram_)
			hash -= own.units[i - gram_].lo * leading;
		hash = hash * gram_factor + own.units[i].lo;
		if (i + 1 >= gram_)
			own.grams.push_back(SplitMix64::mixed(hash));
	}
	own.choices = winnow_choices(own.grams, window_ - gram_ + 1);
}

std::uint64_t Repeats::slot_of(std::uint64_t gram) const noexcept { return SplitMix64::at(gram) & (slots_ - 1); }

bool Repeats::is_repeated(std::uint64_t gram) const noexcept
{
	const std::uint64_t slot = slot_of(gram);
	return (counts_[slot / 4] >> 2 * (slot % 4) & 2) != 0;
}

// The first bit of a slot says that a gram was seen, the second that one was seen again.
void Repeats::count_grams()
{
	constexpr std::size_t least = 1 << 16;
	const std::size_t bytes = std::bit_floor(std::max<std::uint64_t>(least, std::min<std::uint64_t>(memory_, bytes_) / 2));
	counts_ = host_.array<std::uint8_t>(bytes);
	slots_ = 4 * bytes;
	for (std::size_t i = 0; i < bytes; i += least) {
		host_.poll();
		std::memset(counts_ + i, 0, least);
	}
	for_each_block([&](unsigned worker, std::uint32_t first, std::uint32_t end) {
		for (std::uint32_t number = first; number < end; ++number) {
			hash_units(worker, number);
			const RepeatScratch &own = scratch_[worker];
			constexpr std::size_t ahead = 8;
			for (std::size_t i = 0; i < own.choices.size(); ++i) {
				if (i + ahead < own.choices.size())
					__builtin_prefetch(counts_ + slot_of(own.grams[own.choices[i + ahead].place]) / 4, 1);
				const std::uint64_t slot = slot_of(own.grams[own.choices[i].place]);
				const auto seen = static_cast<std::uint8_t>(1 << 2 * (slot % 4));
				const std::atomic_ref<std::uint8_t> count(counts_[slot / 4]);
				if ((count.fetch_or(seen, std::memory_order_relaxed) & seen) != 0)
					count.fetch_or(static_cast<std::uint8_t>(seen << 1), std::memory_order_relaxed);
			}
		}
		executor_.host(worker).progress(end - first);
	});
}

void Repeats::add_windows()
{
	windows_.open(*this, 64, memory_ / 4, sizeof(WindowPayload));
	for_each_block([&](unsigned worker, std::uint32_t first, std::uint32_t end) {
		for (std::uint32_t number = first; number < end; ++number)
			add_text(worker, number);
		executor_.host(worker).progress(end - first);
	});
	if (counts_ != nullptr)
		host_.free(counts_);
	counts_ = nullptr;
}

void Repeats::add_text(unsigned worker, std::uint32_t number)
{
	hash_units(worker, number);
	const RepeatScratch &own = scratch_[worker];
	const auto units = static_cast<std::uint32_t>(own.units.size());
	const auto add = [&](std::uint32_t place) {
		add_window(worker, number, place, window_hash({own.units.data() + place, window_}));
	};
	if (window_ == 1) {
		for (std::uint32_t place = 0; place < units; ++place)
			if (!is_none(own.units[place]))
				add(place);
		return;
	}
	for (std::size_t i = 0; i < own.choices.size(); ++i) {
		if (!is_repeated(own.grams[own.choices[i].place]))
			continue;
		const std::uint32_t end = i + 1 < own.choices.size() ? own.choices[i + 1].first : units - window_ + 1;
		for (std::uint32_t place = own.choices[i].first; place < end; ++place)
			add(place);
	}
}

void Repeats::add_window(unsigned worker, std::uint32_t number, std::uint32_t place, Hash128 hash)
{
	executor_.host(worker).poll();
	if (order_.groups != nullptr)
		hash.hi ^= SplitMix64::at(order_.groups[number]);
	const WindowPayload payload{{static_cast<std::uint32_t>(hash.lo), static_cast<std::uint32_t>(hash.lo >> 32)}, place};
	windows_.parts[worker].add(KeyedRow::of(hash.hi, number), &payload);
}

void Repeats::find_occurrences()
{
	occurrences_.open(*this, row_bits_, memory_ / 4, sizeof(OccurrencePayload));
	windows_.parts[0].for_each_shared(executor_, memory_ / 2,
		[&](unsigned worker, const SortedRows &sorted) { find_occurrences(worker, sorted); });
}

// Sorted rows agree in the first half of the hash where they are equal.
void Repeats::find_occurrences(unsigned worker, const SortedRows &sorted)
{
	JoinHost &host = executor_.host(worker);
	const auto found_of = [&](const KeyedRow &row) {
		host.poll();
		const auto payload = payload_of<WindowPayload>(sorted, row);
		const std::uint32_t number = sorted.row(row);
		return Found{std::uint64_t{payload.low[1]} << 32 | payload.low[0], order_.rank_of(number), payload.place, number};
	};
	const auto is_cut = [&](std::uint32_t rank) { return !order_.has_parts() || order_.is_second(rank); };
	for_each_run(sorted.rows, [&](std::span<KeyedRow> run) {
		if (run.size() == 1)
			return;
		// Nearly always all of a run have the same second half, and a run may be long: it is read again for each half, not copied.
		Found first{};
		for (std::size_t done = 0; done < run.size();) {
			const std::uint64_t before = first.low;
			std::size_t same = 0;
			for (const KeyedRow &row : run) {
				const Found found = found_of(row);
				if ((done > 0 && found.low <= before) || (same > 0 && found.low > first.low))
					continue;
				same = same > 0 && found.low == first.low ? same + 1 : 1;
				if (same == 1 || found < first)
					first = found;
			}
			done += same;
			if (same == 1 || (order_.has_parts() && order_.is_second(first.rank)))
				continue;
			const OccurrencePayload payload{first.place};
			for (const KeyedRow &row : run)
				if (const Found found = found_of(row); found.low == first.low && is_cut(found.rank))
					occurrences_.parts[worker].add(KeyedRow::of(key_of(found.number, found.place), first.rank), &payload);
		}
	});
}

// Texts with many occurrences may come in several calls.
void Repeats::find_pieces()
{
	requests_.open(*this, row_bits_, memory_ / 4, sizeof(RequestPayload));
	Room room{};
	std::size_t count = 0;
	std::uint32_t number = 0;
	const auto end_text = [&] {
		if (count > 0)
			add_pieces(number, {reinterpret_cast<Occurrence *>(room.bytes), count});
		count = 0;
	};
	occurrences_.parts[0].for_each_sorted_record(memory_ / 4, [&](const SortedRows &sorted) {
		for (const KeyedRow &row : sorted.rows) {
			host_.poll();
			if (const auto next = static_cast<std::uint32_t>(row.key() >> 32); next != number) {
				end_text();
				number = next;
			}
			auto *occurrences = ready<Occurrence>(0, room, count + 1);
			occurrences[count++] = {static_cast<std::uint32_t>(row.key()), sorted.row(row),
				payload_of<OccurrencePayload>(sorted, row).kept_place};
		}
	});
	end_text();
	if (room.bytes != nullptr)
		host_.free(room.bytes);
}

void Repeats::add_pieces(std::uint32_t number, std::span<Occurrence> occurrences)
{
	host_.poll();
	const std::uint32_t rank = order_.rank_of(number);
	auto *runs = ready<UnitRun>(0, rooms_[0], 2 * occurrences.size());
	UnitRun *covered = runs, *kept = runs + occurrences.size(); // what is covered, and what is protected
	std::size_t covered_count = 0, kept_count = 0, count = 0;
	for (const Occurrence &occurrence : occurrences) {
		const UnitRun run{occurrence.place, occurrence.place + window_};
		if (occurrence.kept == rank && occurrence.kept_place == occurrence.place) {
			add_run(kept, kept_count, run);
		} else {
			add_run(covered, covered_count, run);
			occurrences[count++] = occurrence; // only those that cover are left
		}
	}
	const std::span<const Occurrence> covering = occurrences.first(count);
	const auto cut = [&](std::uint32_t first, std::uint32_t end) {
		if (end < first + window_)
			return;
		for (std::uint32_t next; first < end; first = next) {
			auto by = std::upper_bound(covering.begin(), covering.end(), first,
						  [](std::uint32_t place, const Occurrence &occurrence) { return place < occurrence.place; }) -
				1;
			const Occurrence &begin = *by;
			for (next = begin.place + window_; next < end && ++by != covering.end() && by->place <= next;)
				if (by->kept == begin.kept && by->kept_place - begin.kept_place == by->place - begin.place)
					next = by->place + window_;
			next = std::min(next, end);
			add_piece(number, first, next, begin);
		}
	};
	std::size_t k = 0;
	for (const UnitRun &run : std::span(covered, covered_count)) {
		std::uint32_t first = run.first;
		for (; k < kept_count && kept[k].end <= first; ++k)
			;
		for (std::size_t i = k; i < kept_count && kept[i].first < run.end; ++i) {
			if (kept[i].first > first)
				cut(first, kept[i].first);
			first = std::max(first, kept[i].end);
		}
		if (first < run.end)
			cut(first, run.end);
	}
}

void Repeats::add_piece(std::uint32_t number, std::uint32_t first, std::uint32_t end, const Occurrence &by)
{
	const std::uint32_t rank = order_.rank_of(number), kept = by.kept;
	const RequestPayload own{rank, first, end - first}, other{rank, first, 0};
	requests_.parts[0].add(KeyedRow::of(key_of(number, first), kept), &own);
	requests_.parts[0].add(
		KeyedRow::of(key_of(order_.number_of(kept), by.kept_place + (first - by.place)), none), &other);
}

void Repeats::find_places()
{
	places_.open(*this, row_bits_, memory_ / 4, sizeof(PlacePayload));
	sorted_requests_.open(host_, memory_ / 4);
	requests_.parts[0].for_each_sorted_record(memory_ / 4, [&](const SortedRows &sorted) {
		for (const KeyedRow &row : sorted.rows) {
			host_.poll();
			const Request request{static_cast<std::uint32_t>(row.key() >> 32), static_cast<std::uint32_t>(row.key()),
				sorted.row(row), payload_of<RequestPayload>(sorted, row)};
			sorted_requests_.append(&request, sizeof request);
			++request_count_;
		}
	});
	sorted_requests_.flush();
	for_each_block([&](unsigned worker, std::uint32_t first, std::uint32_t end) {
		find_places(worker, first, end);
		executor_.host(worker).progress(end - first);
	});
	sorted_requests_.close();
}

// Of the texts of a block that are asked for.
void Repeats::find_places(unsigned worker, std::uint32_t first_number, std::uint32_t end_number)
{
	Request request;
	const auto read = [&](std::uint64_t i) { sorted_requests_.copy(i * sizeof request, sizeof request, &request); };
	std::uint64_t at = 0;
	for (std::uint64_t left = request_count_; left > 0;) { // the first request of the block
		const std::uint64_t half = left / 2;
		read(at + half);
		const bool before = request.number < first_number;
		at += before ? half + 1 : 0;
		left = before ? left - half - 1 : half;
	}
	RepeatScratch &own = scratch_[worker];
	while (at < request_count_) {
		read(at);
		const std::uint32_t number = request.number;
		if (number >= end_number)
			return;
		executor_.host(worker).poll();
		std::uint64_t end = at;
		auto *requests = ready<Request>(worker, rooms_[worker], 1);
		for (; end < request_count_ && (read(end), request.number == number); ++end) {
			executor_.host(worker).poll();
			requests = ready<Request>(worker, rooms_[worker], end - at + 1);
			requests[end - at] = request;
		}
		const std::span<const Request> asked(requests, end - at);
		// Thousands of texts may ask for the same place, which is found once.
		const auto is_new = [&](std::size_t i) {
			return i == 0 || asked[i - 1].place != asked[i].place || asked[i - 1].payload.units != asked[i].payload.units;
		};
		const std::string_view text = texts_.text(number, worker);
		texts_.compute(worker, [&] {
			UnitPlaces places(text, options_, texts_.stop());
			own.ranges.clear();
			for (std::size_t i = 0; i < asked.size(); ++i) {
				const Request &one = asked[i];
				if (!is_new(i))
					continue;
				const std::size_t last = one.place + std::max<std::size_t>(1, one.payload.units) - 1;
				if (last >= places.count())
					throw Error(ErrorKind::internal, "a text has fewer units than when it was read first");
				own.ranges.push_back(places.range(one.place, last));
			}
		});
		auto range = own.ranges.begin();
		for (std::size_t i = 0; i < asked.size(); ++i) {
			executor_.host(worker).poll();
			range += i > 0 && is_new(i);
			const RequestPayload &piece = asked[i].payload;
			const PlacePayload payload{static_cast<std::uint32_t>(range->character),
				piece.units == 0 ? 0 : static_cast<std::uint32_t>(range->characters)};
			places_.parts[worker].add(KeyedRow::of(key_of(piece.piece_rank, piece.piece_place), asked[i].row), &payload);
		}
		at = end;
	}
}

// The two places of a piece follow each other.
void Repeats::deliver(CutSink &sink)
{
	PassageCut cut{};
	bool is_half = false;
	places_.parts[0].for_each_sorted_record(memory_ / 4, [&](const SortedRows &sorted) {
		for (const KeyedRow &row : sorted.rows) {
			host_.poll();
			const auto place = payload_of<PlacePayload>(sorted, row);
			const std::uint32_t kept = sorted.row(row);
			if (kept == none) {
				cut.kept_start = place.start;
			} else {
				cut.rank = static_cast<std::uint32_t>(row.key() >> 32);
				cut.kept = kept;
				cut.start = place.start;
				cut.length = place.length;
			}
			if (is_half)
				sink.cut(cut);
			is_half = !is_half;
		}
	});
	for (unsigned worker = 0; worker < executor_.workers(); ++worker)
		if (rooms_[worker].bytes != nullptr)
			executor_.host(worker).free(rooms_[worker].bytes);
	host_.free(rooms_);
	for (const Parts &parts : {windows_, occurrences_, requests_, places_})
		host_.free(parts.parts);
}

} // namespace txtfp::core
