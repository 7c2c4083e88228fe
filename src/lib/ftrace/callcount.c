/* SPDX-License-Identifier: BSD-2-Clause */
#include "callcount.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/membarrier.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "lib/kernel/switches.h"
#include "record_fields.h"

#define ROOM_FIRST 1024

static int find_fields(struct callcount *calls)
{
	const struct record_field fields[] = {
		{ "ip", sizeof(uint64_t), &calls->ip },
		{ "common_pid", sizeof(int32_t), &calls->pid },
		{ NULL, 0, NULL },
	};

	return record_fields__find("function", fields, &calls->type, &calls->size_min);
}

/* This thread's own number, where it is what records have: in the initial pid namespace. */
static pid_t own_pid(void)
{
	char text[32];
	ssize_t length = readlink("/proc/self/ns/pid", text, sizeof(text) - 1);

	/* PROC_PID_INIT_INO in include/linux/proc_ns.h */
	if (length <= 0)
		return 0;
	text[length] = '\0';
	return strcmp(text, "pid:[4026531836]") ? 0 : getpid();
}

static int fail(int err, char *why, size_t size, const char *what)
{
	if (err == -EBUSY && switches__ftrace_is_off())
		snprintf(why, size, "function hooks are switched off: %s is 0 (sysctl kernel.ftrace_enabled=1)", SWITCHES_FTRACE);
	else
		snprintf(why, size, "%s: %s", what, strerror(-err));
	return err;
}

int callcount__open(struct callcount *calls, const struct instance *instance, char *why, size_t size)
{
	char number[16];
	int err;

	*calls = (struct callcount){ .instance = instance, .on_fd = -1, .self = own_pid(), .room = ROOM_FIRST };
	calls->cells = calloc(calls->room, sizeof(*calls->cells));
	if (!calls->cells)
		return fail(-ENOMEM, why, size, "counts");
	err = find_fields(calls);
	if (err)
		return fail(err, why, size, "events/ftrace/function/format in tracefs cannot be read (CONFIG_FUNCTION_TRACER)");
	err = instance__write(instance, "tracing_on", "0\n");
	if (err)
		return fail(err, why, size, "the instance in tracefs cannot be used");
	/* so that reading does not make more to be read; where that fails, or is not known, the reader leaves them out */
	snprintf(number, sizeof(number), "%d\n", calls->self);
	if (calls->self)
		instance__write(instance, "set_ftrace_notrace_pid", number);
	/* a hook that is made while the switch is off is none, and damages the kernel later: asked before and after */
	if (switches__ftrace_is_off())
		return fail(-EBUSY, why, size, "");
	err = instance__write(instance, "current_tracer", "function\n");
	if (!err && switches__ftrace_is_off())
		err = -EBUSY;
	if (err)
		return fail(err, why, size, "the function tracer cannot be started");
	/* not before: while they are open the kernel lets nobody change the tracer (EBUSY) */
	err = stream__open(&calls->stream, instance->path);
	if (!err) {
		calls->on_fd = instance__open(instance, "tracing_on", O_WRONLY);
		err = calls->on_fd < 0 ? calls->on_fd : 0;
	}
	return err ? fail(err, why, size, "the ring buffers in tracefs cannot be opened") : 0;
}

void callcount__close(struct callcount *calls)
{
	if (!calls->instance)
		return;
	stream__close(&calls->stream);
	if (calls->on_fd >= 0)
		close(calls->on_fd);
	calls->on_fd = -1;
	free(calls->cells);
	calls->cells = NULL;
	calls->room = calls->used = 0;
}

static int switch_recording(const struct callcount *calls, const char *value)
{
	return write(calls->on_fd, value, 1) == 1 ? 0 : -errno;
}

int callcount__start(struct callcount *calls)
{
	return switch_recording(calls, "1");
}

/* The cell of an address, where it is or where it would be. */
static struct callcount_cell *find(struct callcount_cell *cells, size_t room, uint64_t address)
{
	/* the upper bits of a product are well mixed */
	size_t at = (size_t)((address * 0x9e3779b97f4a7c15ull) >> 32) & (room - 1);

	while (cells[at].address && cells[at].address != address)
		at = (at + 1) & (room - 1);
	return &cells[at];
}

static int grow(struct callcount *calls)
{
	struct callcount_cell *larger = calloc(calls->room * 2, sizeof(*larger));

	if (!larger)
		return -ENOMEM;
	for (size_t i = 0; i < calls->room; i++)
		if (calls->cells[i].address)
			*find(larger, calls->room * 2, calls->cells[i].address) = calls->cells[i];
	free(calls->cells);
	calls->cells = larger;
	calls->room *= 2;
	return 0;
}

static int count(struct callcount *calls, const struct page_record *record)
{
	struct callcount_cell *cell;
	uint64_t address;
	int32_t pid;
	int err;

	if (record->type != calls->type || record->size < calls->size_min)
		return 0;
	memcpy(&address, record->data + calls->ip, sizeof(address));
	memcpy(&pid, record->data + calls->pid, sizeof(pid));
	if (!address || (calls->self && pid == calls->self))
		return 0;
	cell = find(calls->cells, calls->room, address);
	if (!cell->address) {
		if (calls->used * 2 >= calls->room) {
			err = grow(calls);
			if (err)
				return err;
			cell = find(calls->cells, calls->room, address);
		}
		cell->address = address;
		calls->used++;
	}
	cell->count++;
	calls->records++;
	return 0;
}

/* Those up to a time. */
static int read_until(struct callcount *calls, uint64_t until_ns)
{
	struct stream_record record;
	int more, err;

	while ((more = stream__next_of_any(&calls->stream, until_ns, &record)) > 0) {
		err = count(calls, &record.record);
		if (err)
			return err;
	}
	return more;
}

int callcount__read(struct callcount *calls)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return read_until(calls, (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec);
}

int callcount__stop(struct callcount *calls)
{
	int err = switch_recording(calls, "0"), failed;

	/* a record that another CPU was writing is finished after this (synchronize_rcu(); not on kernels booted with nohz_full) */
	syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0);
	failed = read_until(calls, UINT64_MAX);
	if (!err)
		err = failed;
	failed = stream__stats(&calls->stream, &calls->stats);
	if (!err)
		err = failed;
	calls->stopped = true;
	stream__close(&calls->stream);
	close(calls->on_fd);
	calls->on_fd = -1;
	return err;
}

void callcount__cut(struct callcount *calls)
{
	for (size_t i = 0; i < calls->room; i++) {
		calls->cells[i].shown = calls->cells[i].count;
		calls->cells[i].count = 0;
	}
}

uint64_t callcount__lost(struct callcount *calls)
{
	if (!calls->stopped)
		stream__stats(&calls->stream, &calls->stats);
	return calls->stats.overrun + calls->stats.refused;
}
