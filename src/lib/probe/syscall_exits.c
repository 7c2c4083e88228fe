/* SPDX-License-Identifier: BSD-2-Clause */
#include "syscall_exits.h"

#include <stdio.h>
#include <string.h>

#include "lib/kernel/kernel.h"
#include "lib/kernel/names.h"
#include "lib/kernel/tracefs.h"
#include "links.h"
#include "missed.h"
#include "refusals.h"

#define NAME_MAX_SIZE 64	/* of a program: a call's name and a suffix */

struct call {
	const char *name;
	unsigned int number, number32;		/* NR_NONE: the architecture does not have it */
	const char *function, *function32;
};

#define CALL(name, number, number32, prefix32) \
	[SYSCALL_##name] = { #name, number, number32, SYSCALL_PREFIX #name, prefix32 #name },
static const struct call all_calls[SYSCALLS_END] = { SYSCALLS(CALL) };

/* Where the kernel's function and event are named otherwise than the system call. */
static const char *const other_names[SYSCALLS_END] = {
	[SYSCALL_newstat] = "stat",
	[SYSCALL_newlstat] = "lstat",
	[SYSCALL_newfstat] = "fstat",
	[SYSCALL_stat] = "oldstat",
	[SYSCALL_lstat] = "oldlstat",
	[SYSCALL_fstat] = "oldfstat",
	[SYSCALL_umount] = "umount2",
	[SYSCALL_oldumount] = "umount",
};

static struct bpf_prog_skeleton *find(const struct bpf_object_skeleton *skeleton, const char *name)
{
	for (int i = 0; i < skeleton->prog_cnt; i++) {
		struct bpf_prog_skeleton *entry = links__entry(skeleton, i);

		if (!strcmp(entry->name, name))
			return entry;
	}
	return NULL;
}

/* The program of one call; suffix: "_exit_64", "_exit_32", "_enter_64" or "_enter_32". */
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

/* Whether this kernel has the call, as far as can be known: some are younger than others. */
static bool exists(const struct call *call)
{
	char event[sizeof("syscalls/sys_exit_") + NAME_MAX_SIZE];

	if (call->number == NR_NONE || !tracefs__mount_point())
		return true;
	snprintf(event, sizeof(event), "syscalls/sys_exit_%s", call->name);
	return tracefs__has_event(event);
}

enum syscall_exits_way syscall_exits__choose(const struct bpf_object_skeleton *skeleton, const struct attach *attach,
			     const enum syscall_id *calls, bool has_types)
{
	bool has_compat = kernel__has_compat();
	enum syscall_exits_way way = SYSCALL_EXITS_SINGLE;

	if (has_types && !kernel__preempts_programs())
		way = SYSCALL_EXITS_ANY_EXIT;
	else if (has_types && attach__may_all(attach))
		way = SYSCALL_EXITS_ANY_RETURN;
	refusals__choose_suppressed(skeleton, has_types);
	set_autoload(find(skeleton, "any_exit"), way == SYSCALL_EXITS_ANY_EXIT);
	set_autoload(find(skeleton, "any_enter"), way == SYSCALL_EXITS_ANY_EXIT);
	set_autoload(find(skeleton, "any_return"), way == SYSCALL_EXITS_ANY_RETURN);
	set_autoload(find(skeleton, "any_call"), way == SYSCALL_EXITS_ANY_RETURN);
	for (; *calls; calls++) {
		const struct call *call = &all_calls[*calls];
		bool load = way == SYSCALL_EXITS_SINGLE && exists(call);

		set_autoload(find_single(skeleton, *calls, "_exit_64"), load && call->number != NR_NONE);
		set_autoload(find_single(skeleton, *calls, "_enter_64"), load && call->number != NR_NONE);
		set_autoload(find_single(skeleton, *calls, "_exit_32"), load && has_compat && call->number32 != NR_NONE);
		set_autoload(find_single(skeleton, *calls, "_enter_32"), load && has_compat && call->number32 != NR_NONE);
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

/* Asks for the addresses that the link takes, and for that of the function that refuses calls; all at once, as each time costs. */
static struct refused_by ask_addresses(struct attach *attach, const enum syscall_id *calls)
{
	static struct attach_address known[2 * SYSCALLS_END + 1];
	const char *functions[2 * SYSCALLS_END + 1];
	struct refused_by by;
	struct names names;
	size_t count = 0;

	list_functions(calls, functions);
	names__open(&names, false);
	for (; functions[count]; count++)
		known[count] = (struct attach_address){ functions[count], names__ask_address(&names, functions[count]) };
	by = refusals__find(&names);
	names__close(&names);
	known[count++] = (struct attach_address){ refusals__function(), by.address };
	attach->known = known;
	attach->known_count = count;
	return by;
}

struct refused_by syscall_exits__see_refused(struct attach *attach, enum syscall_exits_way way, const enum syscall_id *calls)
{
	struct refused_by by = { 0 };

	if (!refusals__exist())
		return by;
	if (way == SYSCALL_EXITS_SINGLE && kernel__has_compat())
		missed__tell_unseen("calls of 32-bit programs that seccomp refuses are not seen");
	if (way != SYSCALL_EXITS_ANY_RETURN)
		return by;
	by = ask_addresses(attach, calls);
	if (by.address)
		attach->also = refusals__function();
	else
		missed__tell_unseen(REFUSALS_UNSEEN);
	return by;
}

static void attach_all(const struct bpf_object_skeleton *skeleton, struct attach *attach, const char *name,
		       const char *const *functions)
{
	const struct bpf_prog_skeleton *entry = find(skeleton, name);

	if (entry)
		attach__all(attach, *entry->prog, entry->link, functions);
}

static void attach_single(const struct bpf_object_skeleton *skeleton, struct attach *attach, enum syscall_id call,
			  const char *suffix)
{
	const struct bpf_prog_skeleton *entry = find_single(skeleton, call, suffix);

	if (entry)
		attach__kprobe(attach, *entry->prog, entry->link, (const char *const[]){ all_calls[call].function32, NULL });
}

/* The returns first: a call that is seen to begin is then seen to end. */
int syscall_exits__attach(const struct bpf_object_skeleton *skeleton, struct attach *attach, const enum syscall_id *calls)
{
	const char *functions[2 * SYSCALLS_END + 1];
	bool refused = attach->also;

	list_functions(calls, functions);
	attach_all(skeleton, attach, "any_return", functions);
	if (refused && !attach->also)
		missed__tell_unseen(REFUSALS_UNSEEN);
	attach->also = NULL;
	attach_all(skeleton, attach, "any_call", functions);
	for (const enum syscall_id *call = calls; *call; call++)
		attach_single(skeleton, attach, *call, "_exit_32");
	for (const enum syscall_id *call = calls; *call; call++)
		attach_single(skeleton, attach, *call, "_enter_32");
	return attach->err;
}

const char *syscall_exits__call_name(enum syscall_id call)
{
	return other_names[call] ? other_names[call] : all_calls[call].name;
}

bool syscall_exits__is_call(unsigned int number)
{
	return number > SYSCALL_NONE && number < SYSCALLS_END;
}
