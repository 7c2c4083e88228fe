/* SPDX-License-Identifier: BSD-2-Clause */
#include "lock_names.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "klockstat.h"

/* Where the kernel tells no symbol's size: a lock that is further from a variable's begin is not in it. */
#define VARIABLE_MAX (1 << 16)

struct lock_variable {
	uint64_t address;
	char *name;
};

void lock_names__open(struct lock_names *names)
{
	char name[NAMES_NAME_MAX];

	names__open(&names->names, true);
	names__open_places(&names->names);
	names->is_asked = names__ask_place(&names->names, 1, name);
}

void lock_names__close(struct lock_names *names)
{
	names__close(&names->names);
	for (size_t i = 0; i < names->count; i++)
		free(names->variables[i].name);
	free(names->variables);
	*names = (struct lock_names){ .variables = NULL };
}

/* ---- without the kernel's answers: before 5.16 */

/* The kernel's own, which come by rising address.  What has no room has no name. */
static int keep_variable(void *ctx, const struct ksym *sym)
{
	struct lock_names *names = ctx;
	struct lock_variable *grown;
	char *name;

	if (sym->module || !strchr("bBdD", sym->type))
		return 0;
	if (names->count == names->room) {
		grown = realloc(names->variables, (names->room + 4096) * sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		names->variables = grown;
		names->room += 4096;
	}
	name = strdup(sym->name);
	if (!name)
		return -ENOMEM;
	names->variables[names->count++] = (struct lock_variable){ sym->address, name };
	return 0;
}

static bool find_variable(struct lock_names *names, uint64_t lock, char name[NAMES_NAME_MAX])
{
	size_t low = 0, high;

	if (!names->is_read)
		ksyms__each(keep_variable, names);
	names->is_read = true;
	/* the first one behind the lock */
	for (high = names->count; low < high;) {
		size_t middle = low + (high - low) / 2;

		if (names->variables[middle].address > lock)
			high = middle;
		else
			low = middle + 1;
	}
	if (!low || lock - names->variables[low - 1].address >= VARIABLE_MAX)
		return false;
	snprintf(name, NAMES_NAME_MAX, "%s+0x%llx", names->variables[low - 1].name,
		 (unsigned long long)(lock - names->variables[low - 1].address));
	return true;
}

/* "NAME+0x0/0x20 [MODULE]" to "NAME [MODULE]" */
static void shorten(char *name)
{
	char *offset = strstr(name, "+0x"), *end = offset ? strpbrk(offset, "/ ") : NULL, *module;

	if (!offset)
		return;
	if (!end)
		end = offset + strlen(offset);
	module = *end == '/' ? end + strcspn(end, " ") : end;
	if (end - offset == 4 && offset[3] == '0')
		end = offset;
	memmove(end, module, strlen(module) + 1);
}

bool lock_names__of(struct lock_names *names, uint64_t lock, char name[NAMES_NAME_MAX])
{
	bool has_name = names->is_asked ? names__ask_place(&names->names, lock, name) && strncmp(name, "0x", 2)
					: find_variable(names, lock, name);

	if (has_name)
		shorten(name);
	return has_name;
}

/* ---- functions and types */

bool lock_names__is_taking(const char *function)
{
	static const char *const begins[] = {
		"mutex_lock", "__mutex_", "_mutex_lock", "ww_mutex_", "__ww_mutex_", "down_read", "down_write", "__down", "rwsem_", "percpu_down",
		"__percpu_", "_raw_", "__raw_", "do_raw_", "native_queued_", "queued_", "pv_queued_", "__pv_queued_", "resilient_", "rt_mutex_",
		"__rt_mutex_", "rt_spin_", "__rt_spin_", "rt_read_", "rt_write_", "rtlock_", "rwbase_", "__rwbase_", "__traceiter_contention",
		"trace_contention", "__bpf_trace_contention", "perf_trace_contention", "down_killable", "down_interruptible", "down_timeout",
	};

	for (size_t i = 0; i < sizeof(begins) / sizeof(*begins); i++)
		if (!strncmp(function, begins[i], strlen(begins[i])))
			return true;
	return !strcmp(function, "down");
}

const char *lock_names__type(uint32_t flags)
{
	static const char *const texts[KLOCK_FLAGS] = {
		[0] = "semaphore", [KLOCK_MUTEX] = "mutex", [KLOCK_MUTEX | KLOCK_SPIN] = "mutex",
		[KLOCK_READ] = "rwsem-read", [KLOCK_WRITE] = "rwsem-write",
		[KLOCK_SPIN] = "spin", [KLOCK_SPIN | KLOCK_READ] = "rwlock-read", [KLOCK_SPIN | KLOCK_WRITE] = "rwlock-write",
		[KLOCK_PERCPU | KLOCK_READ] = "percpu-read", [KLOCK_PERCPU | KLOCK_WRITE] = "percpu-write",
		[KLOCK_RT] = "rtmutex", [KLOCK_RT | KLOCK_READ] = "rt-read", [KLOCK_RT | KLOCK_WRITE] = "rt-write",
	};

	return flags < KLOCK_FLAGS && texts[flags] ? texts[flags] : "unknown";
}
