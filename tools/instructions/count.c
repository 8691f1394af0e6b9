/* A plugin of qemu-user (its version 1 interface, qemu 7) that prints how many instructions a program has executed:
 * "instructions N" to stderr. Of the interface only what is needed is declared here. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef uint64_t qemu_plugin_id_t;
struct qemu_plugin_tb;

extern void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t, void (*)(qemu_plugin_id_t, struct qemu_plugin_tb *));
extern void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb *, int operation, void *counter, uint64_t amount);
extern void qemu_plugin_register_atexit_cb(qemu_plugin_id_t, void (*)(qemu_plugin_id_t, void *), void *);
extern size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *);

#define EXPORT __attribute__((visibility("default")))
enum { add_u64 = 0 };

EXPORT int qemu_plugin_version = 1;

static uint64_t count;

/* Instructions of a block that a fault or a signal leaves early are counted, too; the programs measured have none. */
static void at_translation(qemu_plugin_id_t id, struct qemu_plugin_tb *block)
{
	(void) id;
	qemu_plugin_register_vcpu_tb_exec_inline(block, add_u64, &count, qemu_plugin_tb_n_insns(block));
}

static void at_exit(qemu_plugin_id_t id, void *data)
{
	(void) id;
	(void) data;
	fprintf(stderr, "instructions %llu\n", (unsigned long long) count);
}

EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const void *info, int argc, char **argv)
{
	(void) info;
	(void) argc;
	(void) argv;
	qemu_plugin_register_vcpu_tb_trans_cb(id, at_translation);
	qemu_plugin_register_atexit_cb(id, at_exit, NULL);
	return 0;
}
