#include "pg/live_clusters/events.hpp"

#include <algorithm>

#include "pg/live_clusters/statements.hpp"

extern "C" {
#include "commands/async.h"
#include "utils/memutils.h"
}

namespace txtfp::pg {

struct EventLog {
	MemoryContext memory;
	Event *events;
	Size count, room;
};

namespace {

struct LeftRow { // an entry of a KeyTable
	Datum id;
	Event *event; // nullptr: it is back
};

// `what` of an event that is not told
constexpr auto nothing = static_cast<What>(-1);

void drop(Event &event) { event.what = nothing; }

// A row that has left a cluster and is back.
void drop_returns(const Clusters &clusters, EventLog &log)
{
	KeyTable rows;
	rows.open(clusters.key, sizeof(LeftRow), 16);
	for (Event *event = log.events; event != log.events + log.count; ++event) {
		bool found;
		if (event->what == What::left) {
			static_cast<LeftRow *>(rows.enter(*event->id, found))->event = event;
			continue;
		}
		if (event->what != What::joined)
			continue;
		auto *row = static_cast<LeftRow *>(rows.find(*event->id));
		if (row == nullptr || row->event == nullptr || row->event->cluster != event->cluster)
			continue;
		drop(*event);
		drop(*row->event);
		row->event = nullptr;
	}
	rows.close();
}

// A cluster that was split from another and is merged into it again.
void drop_detours(EventLog &log)
{
	Event *end = log.events + log.count;
	for (Event *merged = log.events; merged != end; ++merged) {
		if (merged->what != What::merged_into)
			continue;
		Event *split = std::find_if(log.events, merged, [&](const Event &event) {
			return event.what == What::split_from && event.cluster == merged->cluster && event.other == merged->other;
		});
		if (split == merged)
			continue;
		for (Event *event = split; event <= merged; ++event)
			if (event->cluster == merged->cluster)
				drop(*event);
	}
}

// The row that a cluster is named after may have changed twice, or have named a cluster that is none any more.
void unite_changes(const Clusters &clusters, EventLog &log)
{
	Event *end = log.events + log.count;
	for (Event *event = log.events; event != end; ++event) {
		if (event->what != What::kept_row_changed)
			continue;
		for (Event *later = event + 1; later != end; ++later) {
			if (later->cluster != event->cluster)
				continue;
			if (later->what == What::kept_row_changed) {
				later->before = event->before;
				drop(*event);
				break;
			}
			if (later->what == What::merged_into || later->what == What::dissolved)
				drop(*event);
		}
		if (compare_keys(clusters.key, *event->kept, *event->before) == 0)
			drop(*event);
	}
}

Datum nullable_keys(const KeyType &type, const Event *events, Size count, std::optional<Datum> Event::*member)
{
	auto *values = static_cast<Datum *>(palloc0(sizeof(Datum) * count));
	auto *nulls = static_cast<bool *>(palloc0(sizeof(bool) * count));
	for (Size i = 0; i < count; ++i) {
		nulls[i] = !(events[i].*member);
		if (!nulls[i])
			values[i] = *(events[i].*member);
	}
	return key_array(type, values, nulls, static_cast<int>(count));
}

void store(Clusters &clusters, const EventLog &log)
{
	auto *numbers = static_cast<int64 *>(palloc(sizeof(int64) * log.count * 3));
	int64 *whats = numbers + log.count, *others = whats + log.count;
	for (Size i = 0; i < log.count; ++i) {
		numbers[i] = log.events[i].cluster;
		whats[i] = static_cast<int64>(log.events[i].what) + 1;
		others[i] = log.events[i].other;
	}
	const auto n = static_cast<int>(log.count);
	const Datum values[] = {number_array(numbers, n), number_array(whats, n),
		nullable_keys(clusters.key, log.events, log.count, &Event::id), number_array(others, n),
		nullable_keys(clusters.key, log.events, log.count, &Event::kept),
		nullable_keys(clusters.key, log.events, log.count, &Event::before)};
	(void) write(clusters, Statement::tell, values);
}

std::optional<Datum> kept_key(const KeyType &type, const std::optional<Datum> &key)
{
	return key ? std::optional<Datum>(copy_key(type, *key)) : std::nullopt;
}

} // namespace

void begin_events(Clusters &clusters)
{
	clusters.log = nullptr;
	if (!clusters.has_events() && clusters.channel == nullptr)
		return;
	constexpr Size room = 16;
	clusters.log = static_cast<EventLog *>(palloc(sizeof(EventLog)));
	*clusters.log = {CurrentMemoryContext, static_cast<Event *>(palloc(sizeof(Event) * room)), 0, room};
}

void note(Clusters &clusters, const Event &event)
{
	if (clusters.log == nullptr || clusters.numbers != nullptr)
		return;
	EventLog &log = *clusters.log;
	const MemoryContext caller = MemoryContextSwitchTo(log.memory);
	if (log.count == log.room) {
		log.room *= 2;
		log.events = static_cast<Event *>(repalloc_huge(log.events, sizeof(Event) * log.room));
	}
	Event &noted = log.events[log.count++];
	noted = event;
	for (std::optional<Datum> Event::*member : {&Event::id, &Event::kept, &Event::before})
		noted.*member = kept_key(clusters.key, event.*member);
	MemoryContextSwitchTo(caller);
}

void tell_events(Clusters &clusters)
{
	if (clusters.log == nullptr || clusters.log->count == 0)
		return;
	EventLog &log = *clusters.log;
	drop_returns(clusters, log);
	drop_detours(log);
	unite_changes(clusters, log);
	Event *end =
		std::remove_if(log.events, log.events + log.count, [](const Event &event) { return event.what == nothing; });
	log.count = static_cast<Size>(end - log.events);
	if (log.count > 0 && clusters.has_events())
		store(clusters, log);
	if (log.count > 0)
		notify(clusters);
}

void notify(const Clusters &clusters)
{
	if (clusters.channel != nullptr)
		Async_Notify(clusters.channel, clusters.name);
}

} // namespace txtfp::pg
