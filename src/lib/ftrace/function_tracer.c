/* SPDX-License-Identifier: BSD-2-Clause */
#include "function_tracer.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/membarrier.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "function_options.h"
#include "lib/kernel/switches.h"
#include "lib/probe/attached.h"
#include "record_fields.h"

static int find_fields(struct function_tracer *tracer, unsigned int how)
{
	const struct record_field fields[] = {
		{ "ip", sizeof(uint64_t), &tracer->ip },
		{ "parent_ip", sizeof(uint64_t), &tracer->parent_ip },
		{ "common_pid", sizeof(int32_t), &tracer->pid },
		/* the last one, which older kernels do not have */
		{ how & FUNCTION_TRACER_ARGS ? "args" : NULL, 0, &tracer->args },
		{ NULL, 0, NULL },
	};

	return record_fields__find("function", fields, &tracer->type, &tracer->size_min);
}

/* 0 or -errno with a line in fault. */
static int start_tracer(struct function_tracer *tracer, unsigned int how, struct fault *fault)
{
	const char *option = how & FUNCTION_TRACER_STACKS ? FUNCTION_OPTION_STACKS :
			     how & FUNCTION_TRACER_ARGS ? FUNCTION_OPTION_ARGS : NULL;
	struct lease lease = { .held = false };
	int err, back;

	err = option ? function_options__set(&lease, tracer->instance, option, fault) : 0;
	if (!err) {
		tracer->has_stacks = function_options__give_stacks(tracer->instance);
		err = instance__start_tracer(tracer->instance, "function", "the function tracer cannot be started", fault);
	}
	if (!err)
		attached__note(NULL, "tracer", "function");
	back = function_options__set_back(&lease);
	if (err || !back)
		return err;
	return fault__set(fault, back, "options/%s in tracefs cannot be set back: %s", option, strerror(-back));
}

int function_tracer__open(struct function_tracer *tracer, const struct instance *instance, unsigned int how,
			  struct fault *fault)
{
	int err;

	*tracer = (struct function_tracer){ .instance = instance, .on_fd = -1 };
	err = find_fields(tracer, how);
	if (err)
		return switches__explain(fault, err,
					 "events/ftrace/function/format in tracefs cannot be read (CONFIG_FUNCTION_TRACER)");
	err = how & FUNCTION_TRACER_RECORDS ? 0 : instance__write(instance, "tracing_on", "0\n");
	if (err)
		return switches__explain(fault, err, "the instance in tracefs cannot be used");
	tracer->self = instance__leave_out_self(instance);
	err = start_tracer(tracer, how, fault);
	if (err)
		return err;
	err = tracer->has_stacks ? stack_layout__read(&tracer->stack) : 0;
	if (err)
		return switches__explain(fault, err, "events/ftrace/kernel_stack/format in tracefs cannot be read");
	/* not before: while they are open the kernel lets nobody change the tracer (EBUSY) */
	err = stream__open(&tracer->stream, instance->path);
	if (!err) {
		tracer->on_fd = instance__open(instance, "tracing_on", O_WRONLY);
		err = tracer->on_fd < 0 ? tracer->on_fd : 0;
	}
	return err ? switches__explain(fault, err, "the ring buffers in tracefs cannot be opened") : 0;
}

static int switch_recording(const struct function_tracer *tracer, const char *value)
{
	return write(tracer->on_fd, value, 1) == 1 ? 0 : -errno;
}

int function_tracer__start(struct function_tracer *tracer)
{
	int err = switch_recording(tracer, "1");

	return err ? err : function_tracer__watch(tracer);
}

int function_tracer__watch(struct function_tracer *tracer)
{
	intact__begin(&tracer->intact, tracer->instance, &tracer->stream);
	return intact__add_tracer(&tracer->intact);
}

int function_tracer__stop(struct function_tracer *tracer)
{
	int err;

	intact__finish(&tracer->intact);
	err = switch_recording(tracer, "0");
	/* a record that another CPU was writing is finished after this (synchronize_rcu(); not on kernels booted with nohz_full) */
	syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0);
	return err;
}

size_t function_tracer__args(const struct function_tracer *tracer, const struct page_record *record, uint64_t args[CALL_ARGS])
{
	return tracer->args ? page_record__args(record, tracer->args, args) : 0;
}

void function_tracer__close(struct function_tracer *tracer)
{
	if (!tracer->instance)
		return;
	stream__close(&tracer->stream);
	intact__end(&tracer->intact);
	if (tracer->on_fd >= 0)
		close(tracer->on_fd);
	tracer->on_fd = -1;
}
