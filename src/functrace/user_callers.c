/* SPDX-License-Identifier: BSD-2-Clause */
#include "user_callers.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "lib/loop/loop.h"
#include "lib/symbol/budget.h"
#include "lib/symbol/elf_symbols.h"
#include "lib/symbol/user_names.h"

static struct user_names *users;
static bool was_named;

int user_callers__open(void)
{
	users = user_names__new();
	budget__stop_with(loop__is_stopping);
	return users ? 0 : -ENOMEM;
}

void user_callers__close(void)
{
	user_names__free(users);
	users = NULL;
}

/* NULL: without memory, or the program could not read the address. */
static const struct user_frame *frame_of(const struct functrace_event *event)
{
	/* one byte before, as a call may be the last instruction of its function */
	const uint64_t address = event->caller - 1;
	const struct user_frame *frame;

	if (!event->caller)
		return NULL;
	if (user_names__are_many(users))
		user_names__sweep(users);
	return user_names__stack(users, event->task.pid, &event->program, &address, 1, &frame) ? NULL : frame;
}

/* "NAME [FILE]" of a function, as the kernel's has its module; names are untrusted bytes. */
static void put_name(struct out *out, const struct user_frame *frame)
{
	char text[ELF_SYMBOLS_NAME_MAX + NAME_MAX + 4];
	const char *file = frame->file ? strrchr(frame->file, '/') : NULL;

	if (!frame->is_named || !frame->file) {
		out__string(out, frame->name, strlen(frame->name));
		return;
	}
	file = file ? file + 1 : frame->file;
	snprintf(text, sizeof(text), *file == '[' ? "%.*s %.*s" : "%.*s [%.*s]", ELF_SYMBOLS_NAME_MAX, frame->name, NAME_MAX, file);
	out__string(out, text, strlen(text));
}

void user_callers__put(struct out *out, const struct functrace_event *event)
{
	const struct user_frame *frame = frame_of(event);
	char at[PATH_MAX + 24];

	was_named = frame && frame->is_named;
	if (!frame) {
		out__string(out, NULL, 0);
		out__none(out);
		return;
	}
	put_name(out, frame);
	if (!frame->file) {
		out__none(out);
		return;
	}
	snprintf(at, sizeof(at), "%.*s+0x%" PRIx64, PATH_MAX, frame->file, frame->offset);
	out__string(out, at, strlen(at));
}

bool user_callers__has_named(void)
{
	return was_named;
}

bool user_callers__is_same_program(const struct stack_program *one, const struct stack_program *other)
{
	return one->code_end == other->code_end && one->stack == other->stack;
}
