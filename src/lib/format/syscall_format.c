/* SPDX-License-Identifier: BSD-2-Clause */
#include "syscall_format.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "events.h"
#include "lib/btf/prototype.h"
#include "lib/print/near.h"
#include "lib/print/syscall_names.h"
#include "lib/print/text_buffer.h"
#include "made_format.h"
#include "syscall_args.h"

#define ARGS 6

/*
 * Names of <asm/unistd.h> whose event, and function, the kernel names otherwise: arch/x86/entry/syscalls/syscall_64.tbl and
 * syscall_32.tbl, include/uapi/asm-generic/unistd.h. Of 32-bit names ("chown32", "futex_time64") only those with the same arguments.
 */
static const struct {
	const char *name, *event;
} aliases[] = {
	{ "stat", "newstat" }, { "lstat", "newlstat" }, { "fstat", "newfstat" }, { "uname", "newuname" }, { "umount2", "umount" },
	{ "sendfile", "sendfile64" }, { "mmap2", "mmap_pgoff" }, { "_llseek", "llseek" }, { "ugetrlimit", "getrlimit" },
	{ "chown32", "chown" }, { "lchown32", "lchown" }, { "fchown32", "fchown" }, { "getuid32", "getuid" }, { "getgid32", "getgid" },
	{ "geteuid32", "geteuid" }, { "getegid32", "getegid" }, { "setuid32", "setuid" }, { "setgid32", "setgid" },
	{ "setreuid32", "setreuid" }, { "setregid32", "setregid" }, { "setresuid32", "setresuid" }, { "getresuid32", "getresuid" },
	{ "setresgid32", "setresgid" }, { "getresgid32", "getresgid" }, { "setfsuid32", "setfsuid" }, { "setfsgid32", "setfsgid" },
	{ "getgroups32", "getgroups" }, { "setgroups32", "setgroups" }, { "fcntl64", "fcntl" }, { "fstatat64", "newfstatat" },
	{ "stat64", "newstat" }, { "lstat64", "newlstat" }, { "fstat64", "newfstat" },
	{ "clock_gettime64", "clock_gettime" }, { "clock_settime64", "clock_settime" }, { "clock_adjtime64", "clock_adjtime" },
	{ "clock_getres_time64", "clock_getres" }, { "clock_nanosleep_time64", "clock_nanosleep" }, { "timer_gettime64", "timer_gettime" },
	{ "timer_settime64", "timer_settime" }, { "timerfd_gettime64", "timerfd_gettime" }, { "timerfd_settime64", "timerfd_settime" },
	{ "utimensat_time64", "utimensat" }, { "pselect6_time64", "pselect6" }, { "ppoll_time64", "ppoll" },
	{ "io_pgetevents_time64", "io_pgetevents" }, { "recvmmsg_time64", "recvmmsg" }, { "mq_timedsend_time64", "mq_timedsend" },
	{ "mq_timedreceive_time64", "mq_timedreceive" }, { "semtimedop_time64", "semtimedop" },
	{ "rt_sigtimedwait_time64", "rt_sigtimedwait" }, { "futex_time64", "futex" },
	{ "sched_rr_get_interval_time64", "sched_rr_get_interval" },
#if defined(__x86_64__)
	/* their arguments are elsewhere (compat_args.h) */
	{ "truncate64", "truncate" }, { "ftruncate64", "ftruncate" }, { "fadvise64_64", "fadvise64" },
#elif defined(__aarch64__)
	{ "truncate64", "truncate" }, { "ftruncate64", "ftruncate" }, { "arm_fadvise64_64", "fadvise64" },
	{ "arm_sync_file_range", "sync_file_range" },
#endif
};

/* 32-bit calls that no other ABI has, and the kernel no events of: include/linux/compat.h */
static const struct {
	const char *name;
	const char *arguments[ARGS];
} compat_calls[] = {
	{ "socketcall", { "call", "args" } },
	{ "ipc", { "call", "first", "second", "third", "ptr", "fifth" } },
};

/* Calls that do not return, or whose return has another number (the kernel restores all registers). */
static const char *const endless[] = { "exit", "exit_group", "rt_sigreturn", "sigreturn" };

#define COUNT(list) (sizeof(list) / sizeof(*(list)))

static bool is_among(const char *const *list, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(list[i], name))
			return true;
	return false;
}

const char *syscall_format__event(const char *name)
{
	for (size_t i = 0; i < COUNT(aliases); i++)
		if (!strcmp(aliases[i].name, name))
			return aliases[i].event;
	return name;
}

/* ---- numbers */

static size_t add_numbers(int *list, size_t count, const char *name, bool compat)
{
	for (unsigned int i = 0; i < SYSCALL_NUMBERS && count < SYSCALL_NUMBERS_MAX; i++) {
		const char *known = syscall_name(i, compat);

		if (known && !strcmp(known, name))
			list[count++] = (int)i;
	}
	return count;
}

static void add_name(struct syscall_numbers *numbers, const char *name)
{
	numbers->own_count = add_numbers(numbers->own, numbers->own_count, name, false);
	numbers->compat_count = add_numbers(numbers->compat, numbers->compat_count, name, true);
}

bool syscall_numbers__find(struct syscall_numbers *numbers, const char *name)
{
	*numbers = (struct syscall_numbers){ .compat_args = compat_args__find(name) };
	/* the kernel's name of a call that has another one in programs; 32-bit "umount" has one argument only */
	for (size_t i = 0; i < COUNT(aliases); i++)
		if (!strcmp(aliases[i].event, name) && syscall_number(name, false) < 0 && syscall_number(aliases[i].name, false) >= 0)
			name = aliases[i].name;
	add_name(numbers, name);
	return numbers->own_count || numbers->compat_count;
}

bool syscall_numbers__find_returns(struct syscall_numbers *numbers, const char *name)
{
	bool found = syscall_numbers__find(numbers, name);

	if (!strcmp(name, "execveat"))
		add_name(numbers, "execve");
	return found;
}

bool syscall_format__returns(const char *name)
{
	return !is_among(endless, COUNT(endless), name);
}

const char *syscall_format__name(size_t number)
{
	bool compat = number >= SYSCALL_NUMBERS;
	size_t within = compat ? number - SYSCALL_NUMBERS : number;
	const char *name = within < SYSCALL_NUMBERS ? syscall_name((unsigned int)within, compat) : NULL;

	/* where it has several numbers, at the first one */
	if (!name || syscall_number(name, compat) != (int)within || (compat && syscall_number(name, false) >= 0))
		return NULL;
	return name;
}

/* ---- fields */

struct maker {
	struct made_field fields[ARGS + 2];
	char names[ARGS + 2][32];
	size_t count;
	const struct syscall_places *places;
	const char *call;
};

/* The argument number index. size: of a number; is_text: what it points to is shown. */
static void add(struct maker *maker, const char *name, const char *type, size_t index, unsigned size, bool is_signed)
{
	struct made_field *field = &maker->fields[maker->count];
	bool is_text = strchr(type, '*') && syscall_args__is_text(name, type);

	snprintf(maker->names[maker->count], sizeof(maker->names[0]), "%s", name);
	*field = (struct made_field){ .name = maker->names[maker->count], .offset = maker->places->args + 8 * (unsigned)index,
				      .size = is_text ? 0 : size, .is_signed = is_signed, .hops.count = is_text,
				      .meaning = is_text ? NULL : syscall_args__meaning(maker->call, name, type) };
	snprintf(field->type, sizeof(field->type), "%s", type);
	maker->count++;
}

/* From the kernel's own event of the call's begin: behind the fields that all have, the number and the arguments. */
static int add_fields(struct maker *maker, const char *event)
{
	struct fault fault;
	char name[FORMAT_NAME_MAX + 1];
	struct format *format;
	int err;

	snprintf(name, sizeof(name), "sys_enter_%s", event);
	err = events__format("syscalls", name, &format, &fault);
	if (err)
		return err;
	for (unsigned i = format->common_count + 1; i < format->fields_count && maker->count < ARGS; i++) {
		const struct format_field *field = &format->fields[i];
		bool is_signed = false;
		unsigned size = format__type_size(field->type, &is_signed);

		/* copies of the texts, since 7.1 */
		if (field->loc != FORMAT_PLAIN)
			continue;
		if (size != 1 && size != 2 && size != 4)
			size = 8;
		add(maker, field->name, field->type, maker->count, size, is_signed);
	}
	format__free(format);
	return 0;
}

/* From BTF, where the compiler kept the function that has the arguments as they were written. */
static bool add_parameters(struct maker *maker, const char *event)
{
	char function[2][64];
	const char *names[] = { function[0], function[1] };
	struct prototypes *prototypes;
	char number[8];
	bool found = false;

	snprintf(function[0], sizeof(function[0]), "__do_sys_%s", event);
	snprintf(function[1], sizeof(function[1]), "__se_sys_%s", event);
	prototypes = prototypes__load(PROTOTYPES_BTF, names, NULL, 2);
	for (size_t f = 0; f < 2 && prototypes && !found; f++) {
		const struct prototype *prototype = prototypes__at(prototypes, f);

		found = prototype->known;
		for (size_t i = 0; found && i < prototype->count && i < ARGS; i++) {
			const struct prototype_value *value = &prototype->params[i];

			snprintf(number, sizeof(number), "arg%zu", i);
			add(maker, value->name ? value->name : number, value->is_pointer ? "void *" : "long", i,
			    value->bytes == 1 || value->bytes == 2 || value->bytes == 4 ? value->bytes : 8, value->is_signed);
		}
	}
	prototypes__free(prototypes);
	return found;
}

static bool add_compat(struct maker *maker)
{
	for (size_t i = 0; i < COUNT(compat_calls); i++) {
		if (strcmp(compat_calls[i].name, maker->call))
			continue;
		for (size_t j = 0; j < ARGS && compat_calls[i].arguments[j]; j++)
			add(maker, compat_calls[i].arguments[j], "unsigned int", j, 4, false);
		return true;
	}
	return false;
}

static void add_unknown(struct maker *maker)
{
	char name[8];

	for (unsigned i = 0; i < ARGS; i++) {
		snprintf(name, sizeof(name), "arg%u", i);
		add(maker, name, "unsigned long", i, 8, false);
		maker->fields[i].is_hex = true;
	}
}

static void add_result(struct maker *maker)
{
	maker->fields[maker->count++] = (struct made_field){ .name = "ret", .type = "long", .offset = maker->places->ret, .size = 8,
							     .is_signed = true, .meaning = syscall_args__result() };
	maker->fields[maker->count++] = (struct made_field){ .name = "duration", .type = "u64", .offset = maker->places->duration,
							     .size = 8 };
}

static int explain_missing(const char *system, const char *wanted, struct fault *fault)
{
	struct text_buffer text = fault__begin(fault, -ENOENT);
	struct near near;

	near__init(&near, 3 + (unsigned)strlen(wanted) / 6, 3);
	for (size_t i = 0; i < SYSCALL_FORMAT_NAMES; i++) {
		const char *name = syscall_format__name(i);

		if (name)
			near__add(&near, name, near__edits(name, wanted, near__limit(&near)));
	}
	text_buffer__add(&text, "%s:%s: there is no such system call", system, wanted);
	near__put(&near, &text);
	return -ENOENT;
}

int syscall_format__make(struct format **format, const char *system, const char *name, const struct syscall_places *places,
			 struct fault *fault)
{
	bool is_return = !strcmp(system, SYSCALL_RETURN);
	struct syscall_numbers numbers;
	struct maker maker = { .places = places, .call = syscall_format__event(name) };
	int err;

	*format = NULL;
	if (!syscall_numbers__find(&numbers, name))
		return explain_missing(system, name, fault);
	if (is_return && !syscall_format__returns(name))
		return fault__set(fault, -ENOENT, "%s:%s: this call does not return (" SYSCALL_ENTER ":%s shows it begin)",
				  system, name, name);
	err = add_fields(&maker, maker.call);
	if (err && !add_compat(&maker) && !add_parameters(&maker, maker.call))
		add_unknown(&maker);
	if (is_return)
		add_result(&maker);
	err = made_format__pack(format, &(struct made_format){ system, name, "\"\"", NULL, maker.fields, maker.count });
	return err ? fault__set(fault, err, "no memory") : 0;
}
