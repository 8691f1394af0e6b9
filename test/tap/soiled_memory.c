/*
 * Memory that was used before, to be preloaded into a server: malloc fills it with words of which the one half is 0 and the other looks like the OID of a type,
 * as the upper half of a pointer does.
 */
#include <stddef.h>
#include <stdint.h>

extern void *__libc_malloc(size_t size);

void *malloc(size_t size)
{
	uint64_t *memory = __libc_malloc(size);

	if (memory != NULL)
		for (size_t i = 0; i < size / sizeof *memory; ++i)
			memory[i] = UINT64_C(21848) << 32;
	return memory;
}
