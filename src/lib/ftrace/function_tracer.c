/* SPDX-License-Identifier: BSD-2-Clause */
#include "function_tracer.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/membarrier.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/kernel/switches.h"
#include "record_fields.h"

static int find_fields(struct function_tracer *tracer)
{
	const struct record_field fields[] = {
		{ "ip", sizeof(uint64_t), &tracer->ip },
		{ "parent_ip", sizeof(uint64_t), &tracer->parent_ip },
		{ "common_pid", sizeof(int32_t), &tracer->pid },
		{ NULL, 0, NULL },
	};

	return record_fields__find("function", fields, &tracer->type, &tracer->size_min);
}

int function_tracer__open(struct function_tracer *tracer, const struct instance *instance, bool records, char *why, size_t size)
{
	int err;

	*tracer = (struct function_tracer){ .instance = instance, .on_fd = -1 };
	err = find_fields(tracer);
	if (err)
		return switches__explain(err, why, size, "events/ftrace/function/format in tracefs cannot be read (CONFIG_FUNCTION_TRACER)");
	err = records ? 0 : instance__write(instance, "tracing_on", "0\n");
	if (err)
		return switches__explain(err, why, size, "the instance in tracefs cannot be used");
	tracer->self = instance__leave_out_self(instance);
	/* a hook that is made while the switch is off is none, and damages the kernel later: asked before and after */
	if (switches__ftrace_is_off())
		return switches__explain(-EBUSY, why, size, "");
	err = instance__write(instance, "current_tracer", "function\n");
	if (!err && switches__ftrace_is_off())
		err = -EBUSY;
	if (err)
		return switches__explain(err, why, size, "the function tracer cannot be started");
	/* not before: while they are open the kernel lets nobody change the tracer (EBUSY) */
	err = stream__open(&tracer->stream, instance->path);
	if (!err) {
		tracer->on_fd = instance__open(instance, "tracing_on", O_WRONLY);
		err = tracer->on_fd < 0 ? tracer->on_fd : 0;
	}
	return err ? switches__explain(err, why, size, "the ring buffers in tracefs cannot be opened") : 0;
}

static int switch_recording(const struct function_tracer *tracer, const char *value)
{
	return write(tracer->on_fd, value, 1) == 1 ? 0 : -errno;
}

int function_tracer__start(const struct function_tracer *tracer)
{
	return switch_recording(tracer, "1");
}

int function_tracer__stop(const struct function_tracer *tracer)
{
	int err = switch_recording(tracer, "0");

	/* a record that another CPU was writing is finished after this (synchronize_rcu(); not on kernels booted with nohz_full) */
	syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0);
	return err;
}

bool function_tracer__call(const struct function_tracer *tracer, const struct page_record *record, struct function_call *call)
{
	if (record->type != tracer->type || record->size < tracer->size_min)
		return false;
	call->time_ns = record->time;
	memcpy(&call->function, record->data + tracer->ip, sizeof(call->function));
	memcpy(&call->caller, record->data + tracer->parent_ip, sizeof(call->caller));
	memcpy(&call->tid, record->data + tracer->pid, sizeof(call->tid));
	return call->function && (!tracer->self || call->tid != (uint32_t)tracer->self);
}

void function_tracer__close(struct function_tracer *tracer)
{
	if (!tracer->instance)
		return;
	stream__close(&tracer->stream);
	if (tracer->on_fd >= 0)
		close(tracer->on_fd);
	tracer->on_fd = -1;
}
