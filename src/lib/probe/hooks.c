/* SPDX-License-Identifier: BSD-2-Clause */
#include "hooks.h"

#include <stdio.h>
#include <string.h>

#include "lib/kernel/kernel.h"
#include "links.h"

#define NAME_MAX_SIZE 64	/* of a program: a call's name and a suffix */

struct call {
	const char *name;
	unsigned int number, number32;		/* NR_NONE: the architecture does not have it */
	const char *function, *function32;
};

#define CALL(name, number, number32, prefix32) \
	[SYSCALL_##name] = { #name, number, number32, SYSCALL_PREFIX #name, prefix32 #name },
static const struct call all_calls[SYSCALLS_END] = { SYSCALLS(CALL) };

static struct bpf_prog_skeleton *find(const struct bpf_object_skeleton *skeleton, const char *name)
{
	for (int i = 0; i < skeleton->prog_cnt; i++) {
		struct bpf_prog_skeleton *entry = links__entry(skeleton, i);

		if (!strcmp(entry->name, name))
			return entry;
	}
	return NULL;
}

/* The program of one call; suffix: "_exit_64" or "_exit_32". */
static struct bpf_prog_skeleton *find_single(const struct bpf_object_skeleton *skeleton, enum syscall_id call, const char *suffix)
{
	char name[NAME_MAX_SIZE];

	snprintf(name, sizeof(name), "%s%s", all_calls[call].name, suffix);
	return find(skeleton, name);
}

static void set_autoload(const struct bpf_prog_skeleton *entry, bool load)
{
	if (entry)
		bpf_program__set_autoload(*entry->prog, load);
}

enum hooks_way hooks__choose(const struct bpf_object_skeleton *skeleton, const struct attach *attach,
			     const enum syscall_id *calls, bool has_types)
{
	bool has_compat = kernel__has_compat();
	enum hooks_way way = HOOKS_SINGLE;

	if (has_types && !kernel__preempts_programs())
		way = HOOKS_ANY_EXIT;
	else if (has_types && attach__may_all(attach))
		way = HOOKS_ANY_RETURN;
	set_autoload(find(skeleton, "any_exit"), way == HOOKS_ANY_EXIT);
	set_autoload(find(skeleton, "any_return"), way == HOOKS_ANY_RETURN);
	for (; *calls; calls++) {
		const struct call *call = &all_calls[*calls];

		set_autoload(find_single(skeleton, *calls, "_exit_64"), way == HOOKS_SINGLE && call->number != NR_NONE);
		set_autoload(find_single(skeleton, *calls, "_exit_32"),
			     way == HOOKS_SINGLE && has_compat && call->number32 != NR_NONE);
	}
	return way;
}

/* All functions that do the calls, in functions, which has room for two a call and the NULL at the end. */
static void list_functions(const enum syscall_id *calls, const char **functions)
{
	bool has_compat = kernel__has_compat();

	for (; *calls; calls++) {
		const struct call *call = &all_calls[*calls];

		if (call->number != NR_NONE)
			*functions++ = call->function;
		/* one function may serve both ABIs */
		if (has_compat && call->number32 != NR_NONE &&
		    (call->number == NR_NONE || strcmp(call->function, call->function32)))
			*functions++ = call->function32;
	}
	*functions = NULL;
}

int hooks__attach(const struct bpf_object_skeleton *skeleton, struct attach *attach, const enum syscall_id *calls)
{
	const struct bpf_prog_skeleton *any_return = find(skeleton, "any_return"), *single;
	const char *functions[2 * SYSCALLS_END + 1];

	if (any_return) {
		list_functions(calls, functions);
		attach__all(attach, *any_return->prog, any_return->link, functions);
	}
	for (; *calls; calls++) {
		single = find_single(skeleton, *calls, "_exit_32");
		if (single)
			attach__kprobe(attach, *single->prog, single->link,
				       (const char *const[]){ all_calls[*calls].function32, NULL });
	}
	return attach->err;
}

const char *hooks__call_name(enum syscall_id call)
{
	return all_calls[call].name;
}
