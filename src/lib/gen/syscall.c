/* SPDX-License-Identifier: BSD-2-Clause */
#include "syscall.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "condition.h"
#include "lib/format/events.h"

#define CTX BPF_REG_6
#define SLOT (-CONDITION_STACK - 8)

/* A field of raw_syscalls:NAME, 8 bytes each. */
static int find(const struct format *format, const char *name, unsigned *offset, struct fault *fault)
{
	const struct format_field *field = format__field(format, name);

	if (!field || field->size % 8)
		return fault__set(fault, -ENOENT, "raw_syscalls:%s has no \"%s\" as it is known", format->name, name);
	*offset = field->offset;
	return 0;
}

static int read_event(const char *event, unsigned *number, const char *name, unsigned *value, struct fault *fault)
{
	struct format *format;
	int err = events__format("raw_syscalls", event, &format, fault);

	if (err)
		return err;
	err = find(format, "id", number, fault);
	if (!err)
		err = find(format, name, value, fault);
	format__free(format);
	return err;
}

int syscall_hooks__read(struct syscall_hooks *places, struct fault *fault)
{
	int err = read_event("sys_enter", &places->begin_number, "args", &places->begin_args, fault);

	if (!err)
		err = read_event("sys_exit", &places->end_number, "ret", &places->end_ret, fault);
	if (err)
		return err;
	err = compat_mark__find(&places->mark, COMPAT_MARK_BTF);
	return err ? fault__set(fault, err,
				"system calls: how 32-bit calls are marked cannot be read from the kernel's BTF ("
				COMPAT_MARK_BTF "): %s (syscalls:sys_enter_NAME shows others without it)",
				strerror(-err)) : 0;
}

/* Without the bit of x32 (arch/x86/include/uapi/asm/unistd.h): a number that both have means the same call. */
static void load_number(struct emit *emit, unsigned offset)
{
	emit__load(emit, BPF_REG_0, CTX, (int)offset, 8);
#if defined(__x86_64__)
	emit__alu(emit, BPF_AND, BPF_REG_0, ~0x40000000);
#endif
}

/* r0 = the mark of a 32-bit call, or 0. */
static void load_mark(struct emit *emit, const struct compat_mark *mark)
{
	emit__call(emit, BPF_FUNC_get_current_task);
	emit__copy(emit, BPF_REG_3, BPF_REG_0);
	emit__alu(emit, BPF_ADD, BPF_REG_3, mark->offset);
	emit__copy(emit, BPF_REG_1, BPF_REG_10);
	emit__alu(emit, BPF_ADD, BPF_REG_1, SLOT);
	emit__set(emit, BPF_REG_2, mark->size);
	emit__call(emit, BPF_FUNC_probe_read_kernel);
	emit__load(emit, BPF_REG_0, BPF_REG_10, SLOT, mark->size);
	emit__alu(emit, BPF_AND, BPF_REG_0, (int32_t)mark->bit);
}

static bool has(const int *list, size_t count, int number)
{
	for (size_t i = 0; i < count; i++)
		if (list[i] == number)
			return true;
	return false;
}

/* Where an answer is given. */
struct answers {
	emit_label none, own, compat, end;
};

static void add_answers(struct emit *emit, struct answers *to)
{
	*to = (struct answers){ emit__label(emit), emit__label(emit), emit__label(emit), emit__label(emit) };
}

static int put_answers(struct emit *emit, const struct answers *answers)
{
	emit__place(emit, answers->none);
	emit__set(emit, BPF_REG_0, 0);
	if (emit__is_used(emit, answers->compat)) {
		emit__go(emit, answers->end);
		emit__place(emit, answers->compat);
		emit__set(emit, BPF_REG_0, SYSCALL_COMPAT);
	}
	if (emit__is_used(emit, answers->own)) {
		emit__go(emit, answers->end);
		emit__place(emit, answers->own);
		emit__set(emit, BPF_REG_0, SYSCALL_OWN);
	}
	emit__place(emit, answers->end);
	return emit__finish(emit);
}

/* What a number means that was jumped to label with. */
static void put_decision(struct emit *emit, const struct compat_mark *mark, emit_label label, emit_label if_own, emit_label if_compat)
{
	if (!emit__is_used(emit, label))
		return;
	emit__place(emit, label);
	load_mark(emit, mark);
	emit__jump(emit, BPF_JEQ, BPF_REG_0, 0, if_own);
	emit__go(emit, if_compat);
}

int syscall__emit_begins(struct emit *emit, const struct syscall_numbers *numbers, const struct syscall_hooks *hooks)
{
	emit_label own = emit__label(emit), compat = emit__label(emit), either = emit__label(emit);
	struct answers answers;

	add_answers(emit, &answers);
	load_number(emit, hooks->begin_number);
	for (size_t i = 0; i < numbers->own_count; i++)
		emit__jump(emit, BPF_JEQ, BPF_REG_0, numbers->own[i],
			   has(numbers->compat, numbers->compat_count, numbers->own[i]) ? either : own);
	for (size_t i = 0; i < numbers->compat_count; i++)
		if (!has(numbers->own, numbers->own_count, numbers->compat[i]))
			emit__jump(emit, BPF_JEQ, BPF_REG_0, numbers->compat[i], compat);
	emit__go(emit, answers.none);
	put_decision(emit, &hooks->mark, own, answers.own, answers.none);
	put_decision(emit, &hooks->mark, compat, answers.none, answers.compat);
	put_decision(emit, &hooks->mark, either, answers.own, answers.compat);
	return put_answers(emit, &answers);
}

int syscall__emit_returns(struct emit *emit, const struct syscall_numbers *numbers, const struct syscall_hooks *hooks)
{
	struct answers answers;

	add_answers(emit, &answers);
	load_number(emit, hooks->end_number);
	for (size_t i = 0; i < numbers->own_count; i++)
		emit__jump(emit, BPF_JEQ, BPF_REG_0, numbers->own[i], answers.own);
	for (size_t i = 0; i < numbers->compat_count; i++)
		if (!has(numbers->own, numbers->own_count, numbers->compat[i]))
			emit__jump(emit, BPF_JEQ, BPF_REG_0, numbers->compat[i], answers.own);
	return put_answers(emit, &answers);
}
