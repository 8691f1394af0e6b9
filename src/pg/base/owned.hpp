// A C++ object that belongs to a memory context: it is deleted when the context is reset or deleted, also after an
// error.
#pragma once

#include <utility>

#include "pg/base/guard.hpp"

namespace txtfp::pg {

// The object itself lies in the context; what it allocates does not.
template <typename T, typename... Arguments> T *make_owned(MemoryContext context, Arguments &&...arguments)
{
	static_assert(alignof(T) <= MAXIMUM_ALIGNOF);
	struct Slot {
		MemoryContextCallback callback;
		T *object;
		alignas(T) std::byte memory[sizeof(T)];
	};
	auto *slot = static_cast<Slot *>(MemoryContextAllocZero(context, sizeof(Slot)));
	slot->callback.func = [](void *arg) noexcept {
		if (T *object = static_cast<Slot *>(arg)->object)
			object->~T();
	};
	slot->callback.arg = slot;
	MemoryContextRegisterResetCallback(context, &slot->callback);
	guarded([&] { slot->object = new (slot->memory) T(std::forward<Arguments>(arguments)...); });
	return slot->object;
}

// Where the states of the aggregate live that calls.
inline MemoryContext aggregate_context(FunctionCallInfo fcinfo)
{
	MemoryContext context;
	if (AggCheckCallContext(fcinfo, &context) == 0)
		elog(ERROR, "aggregate function called in non-aggregate context");
	return context;
}

} // namespace txtfp::pg
