/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions that programs must not be attached to. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "lib/ftrace/exclusions.h"
#include "lib/ftrace/functions.h"

/*
 * What the kernel calls when a program ends: rcu_read_unlock(), and in an interrupt what that calls to have the end of a grace period
 * reported later.  A program on one of these would run itself without end.
 */
static const char *const of_rcu[] = {
	"rcu_read_unlock_strict", "__rcu_read_unlock", "__rcu_read_lock", "raise_softirq", "raise_softirq_irqoff",
	"__raise_softirq_irqoff", "irq_work_queue", "irq_work_queue_on", "__irq_work_queue_local", "arch_irq_work_raise",
	"invoke_rcu_core", "__trace_set_need_resched",
};

/* What the trampolines and the map functions run. */
static const char *const of_bpf[] = {
	"migrate_disable", "migrate_enable", "__bpf_prog_enter", "__bpf_prog_exit_recur", "__bpf_tramp_exit", "preempt_count_add",
	"_raw_spin_lock_irqsave", "queued_spin_lock_slowpath", "__htab_map_lookup_elem", "htab_map_update_elem",
	"bpf_ringbuf_map_lookup_elem", "array_map_lookup_elem", "rethook_trampoline_handler", "trace_call_bpf",
};

static const char *const others[] = { "vfs_read", "do_softirq", "irq_work_run", "rcu_sched_clock_irq", "resched_curr", "raise_signal" };

/* Adds the names, and takes out what is denied: how many. */
static size_t denied_of(const char *const *names, size_t count, char first[KSYMS_NAME_MAX], size_t *left)
{
	struct functions functions = {};
	size_t denied;

	for (size_t i = 0; i < count; i++)
		CHECK_INT(functions__add(&functions, names[i], NULL), 0);
	denied = functions__deny(&functions, first);
	*left = functions.count;
	functions__free(&functions);
	return denied;
}

static void all_are_denied(const char *const *names, size_t count)
{
	char first[KSYMS_NAME_MAX];
	size_t left;

	for (size_t i = 0; i < count; i++) {
		*first = '\0';
		denied_of(&names[i], 1, first, &left);
		CHECK_STR(first, names[i]);
		CHECK_INT(left, 0);
	}
}

/* Of a sorted list, also where names begin alike, and where a module has a function of the same name. */
static void finds_by_text(void)
{
	static const struct { const char *name, *module; } those[] = {
		{ "vfs_read", NULL }, { "show", "ext4" }, { "show", NULL }, { "vfs_readv", NULL }, { "show", "ext" }, { "vfs", NULL },
	};
	struct functions functions = {};

	CHECK(functions__find(&functions, "vfs_read") == SIZE_MAX);
	for (size_t i = 0; i < sizeof(those) / sizeof(*those); i++)
		CHECK_INT(functions__add(&functions, those[i].name, those[i].module), 0);
	qsort(functions.list, functions.count, sizeof(*functions.list), function__compare);
	CHECK_INT(functions__find(&functions, "show"), 0);
	CHECK_INT(functions__find(&functions, "show [ext]"), 1);
	CHECK_INT(functions__find(&functions, "show [ext4]"), 2);
	CHECK_INT(functions__find(&functions, "vfs"), 3);
	CHECK_INT(functions__find(&functions, "vfs_read"), 4);
	CHECK_INT(functions__find(&functions, "vfs_readv"), 5);
	CHECK(functions__find(&functions, "vfs_") == SIZE_MAX);
	CHECK(functions__find(&functions, "vfs_reads") == SIZE_MAX);
	CHECK(functions__find(&functions, "vfs_read [ext4]") == SIZE_MAX);
	CHECK(functions__find(&functions, "show [ex]") == SIZE_MAX);
	functions__free(&functions);
}

/* "!PATTERN": what it takes out of a list; of plain names the kernel would be asked for others, so only patterns are tried here. */
static void excludes(void)
{
	static const char *const patterns[] = { "vfs_*", "!vfs_w*e", "!ext4:*_a", "!*_none", "!vfs_r?ad" };
	static const char *const left[] = { "vfs_readv", "ext4_a", "ext4_b" };
	struct functions functions = {};

	CHECK_INT(functions__add(&functions, "vfs_read", NULL), 0);
	CHECK_INT(functions__add(&functions, "vfs_readv", NULL), 0);
	CHECK_INT(functions__add(&functions, "vfs_write", NULL), 0);
	CHECK_INT(functions__add(&functions, "ext4_a", NULL), 0);
	CHECK_INT(functions__add(&functions, "ext4_a", "ext4"), 0);
	CHECK_INT(functions__add(&functions, "ext4_b", "ext4"), 0);
	CHECK_INT(exclusions__apply(&functions, NULL, patterns, 5), 3);
	CHECK_INT(functions.count, 3);
	for (size_t i = 0; i < functions.count && i < 3; i++)
		CHECK_STR(functions.list[i].name, left[i]);
	CHECK(!functions.list[1].module);
	CHECK_INT(functions.unmatched, 1);
	CHECK_STR(functions.fault.text, "'!*_none' excludes none of the functions that match");
	functions__free(&functions);
	CHECK(exclusions__have(NULL, patterns, 5, "vfs_write", NULL));
	CHECK(exclusions__have(NULL, patterns, 5, "ext4_a", "ext4"));
	CHECK(!exclusions__have(NULL, patterns, 5, "ext4_a", NULL));
	CHECK(!exclusions__have(NULL, patterns, 5, "vfs_open", NULL));
	CHECK(!exclusions__have("ext4", patterns, 5, "vfs_write", NULL));
}

/* The nearest of what is there, of a name that was mistyped. */
static void names_the_nearest(void)
{
	static const char *const patterns[] = { "!vfs_re?dd" };
	struct functions functions = {};

	CHECK_INT(functions__add(&functions, "vfs_read", NULL), 0);
	CHECK_INT(functions__add(&functions, "ext4_sync_file", NULL), 0);
	CHECK_INT(exclusions__apply(&functions, NULL, patterns, 1), 0);
	CHECK_INT(functions.count, 2);
	CHECK(strstr(functions.fault.text, "; the nearest is vfs_read"));
	functions__free(&functions);
}

int main(void)
{
	static const char *const mixed[] = { "vfs_read", "irq_work_queue", "vfs_write", "migrate_disable" };
	char first[KSYMS_NAME_MAX] = "";
	size_t left;

	all_are_denied(of_rcu, sizeof(of_rcu) / sizeof(*of_rcu));
	all_are_denied(of_bpf, sizeof(of_bpf) / sizeof(*of_bpf));
	CHECK_INT(denied_of(others, sizeof(others) / sizeof(*others), first, &left), 0);
	CHECK_INT(left, sizeof(others) / sizeof(*others));
	CHECK_INT(denied_of(mixed, 4, first, &left), 2);
	CHECK_INT(left, 2);
	CHECK_STR(first, "irq_work_queue");
	finds_by_text();
	excludes();
	names_the_nearest();
	return check_done();
}
