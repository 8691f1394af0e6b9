// A C++ object whose life belongs to a memory context: deleted when the context goes, by whatever way.
#pragma once

#include "pg/guard.hpp"

namespace txtfp::pg {

template <typename T> T *make_owned(MemoryContext context)
{
	struct Slot {
		MemoryContextCallback callback;
		T *object;
	};
	auto *slot = static_cast<Slot *>(MemoryContextAllocZero(context, sizeof(Slot)));
	slot->callback.func = [](void *arg) noexcept { delete static_cast<Slot *>(arg)->object; };
	slot->callback.arg = slot;
	MemoryContextRegisterResetCallback(context, &slot->callback);
	guarded([slot] { slot->object = new T(); });
	return slot->object;
}

} // namespace txtfp::pg
