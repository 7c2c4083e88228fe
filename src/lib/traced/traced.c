/* SPDX-License-Identifier: BSD-2-Clause */
#include "traced.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/ftrace/exclusions.h"
#include "lib/ftrace/matches.h"
#include "lib/kernel/rights.h"
#include "lib/kernel/tracefs.h"
#include "lib/probe/attach.h"
#include "lib/probe/attach_many.h"
#include "lib/probe/attempt.h"
#include "lib/probe/links.h"
#include "lib/probe/shared_names.h"
#include "lib/probe/tracing.h"
#include "lib/probe/trampoline.h"
#include "lib/run/gone_modules.h"
#include "traced_conflict.h"
#include "traced_user.h"

static void add_pattern(struct traced *traced, const char *pattern)
{
	bool is_of_program = traced_user__is_pattern(pattern);

	if (is_of_program && !traced->takes_programs)
		usage_error("\"%s\": functions of programs are for funccount, funclatency, functrace and anysnoop", pattern);
	if (!is_of_program && !function_pattern__is_valid(pattern + exclusion__is(pattern)))
		usage_error("\"%s\": no name or pattern of functions, such as vfs_read, 'tcp_*', ext4:ext4_sync_file or '!tcp_v6_*' (all but)",
			    pattern);
	if (traced->patterns_count == TRACED_PATTERNS_MAX)
		usage_error("too many patterns: %d at most", TRACED_PATTERNS_MAX);
	traced->patterns[traced->patterns_count++] = pattern;
}

static void set_module(struct traced *traced, const char *module)
{
	if (!*module || strlen(module) >= KSYMS_MODULE_MAX || strpbrk(module, " \t\n:*?[]"))
		usage_error("--module \"%s\": no name of a module", module);
	traced->module = module;
}

/* Whether a pattern names functions, and not only ones to leave out. */
static bool has_any(const struct traced *traced)
{
	for (size_t i = 0; i < traced->patterns_count; i++)
		if (!exclusion__is(traced->patterns[i]))
			return true;
	return false;
}

bool traced__excludes(const struct traced *traced, const char *name, const char *module)
{
	return exclusions__have(traced->module, traced->patterns, traced->patterns_count, name, module);
}

error_t traced__parse(struct traced *traced, int key, char *arg, int module_key, const char *by_default)
{
	if (key == module_key) {
		set_module(traced, arg);
		return 0;
	}
	switch (key) {
	case 'e':
	case ARGP_KEY_ARG:
		add_pattern(traced, arg);
		return 0;
	case TRACED_KEY_FORCE:
		traced->force = true;
		return 0;
	case ARGP_KEY_END:
		if (!has_any(traced))
			add_pattern(traced, traced->module ? "*" : by_default);
		return ARGP_ERR_UNKNOWN;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

bool traced__are_few_names(const struct traced *traced)
{
	for (size_t i = 0; i < traced->patterns_count; i++)
		if (exclusion__is(traced->patterns[i]) || !function_pattern__is_name(traced->patterns[i]))
			return false;
	return traced->patterns_count <= TRACED_FEW;
}

/* Whether the same name was given before. */
static bool is_repeated(const struct traced *traced, size_t number)
{
	for (size_t i = 0; i < number; i++)
		if (!strcmp(traced->patterns[i], traced->patterns[number]))
			return true;
	return false;
}

static void watch_modules(const struct traced *traced)
{
	for (size_t i = 0; i < traced->functions.count; i++)
		if (traced->functions.list[i].module)
			gone_modules__watch(traced->functions.list[i].module);
}

int traced__take_names(struct traced *traced, struct tool *tool)
{
	int err = 0;

	for (size_t i = 0; i < traced->patterns_count && !err; i++) {
		const char *colon = strchr(traced->patterns[i], ':');
		char module[KSYMS_MODULE_MAX] = "";

		if (is_repeated(traced, i))
			continue;
		if (colon)
			snprintf(module, sizeof(module), "%.*s", (int)(colon - traced->patterns[i]), traced->patterns[i]);
		err = functions__add(&traced->functions, colon ? colon + 1 : traced->patterns[i], colon ? module : traced->module);
	}
	watch_modules(traced);
	return err ? tool__fail(tool, err, "no memory for the names of functions") : 0;
}

bool traced__share_names(const struct traced *traced)
{
	const struct functions *functions = &traced->functions;

	for (size_t i = 0; i < functions->count && functions->count <= TRACED_FEW; i++)
		if (!functions->list[i].module && shared_names__has(functions->list[i].name) == 1)
			return true;
	return false;
}

/* An instance cannot be made, or those of others cannot be looked at.  tool->err. */
static int explain_instance(struct tool *tool, int err)
{
	bool is_refused = err == -EACCES || err == -EPERM;

	if (err == -ENOENT && tracefs__mount_point())
		return tool__fail(tool, err, "this kernel has no instances in tracefs (CONFIG_FUNCTION_TRACER)");
	if (err == -ENOENT || err == -EROFS || (err == -EACCES && !tracefs__mount_point()))
		return tool__fail(tool, err, "%s", tracefs__why(err));
	return tool__fail(tool, err, "no instance can be made in tracefs: %s%s%s%s", strerror(-err), is_refused ? " (" : "",
			  is_refused ? rights__advice() : "", is_refused ? ")" : "");
}

static void tell(const char *why)
{
	say("%s", why);
}

/* Has the kernel match them, in an instance; are_known: the list is there already.  tool->err. */
static int match(struct traced *traced, struct tool *tool, enum traced_wants wants, bool are_known)
{
	int (*ask)(struct functions *, struct instance *, bool, const char *, const char *const *, size_t) =
		are_known ? functions__filter : functions__match;
	int err = instance__make(&traced->instance, 0);

	if (err)
		return explain_instance(tool, err);
	traced->functions.tell = tell;
	err = ask(&traced->functions, &traced->instance, wants == TRACED_RECORDS, traced->module, traced->patterns, traced->patterns_count);
	if (err)
		return tool__fail(tool, err, "%s", traced->functions.fault.text);
	if (wants == TRACED_RECORDS)
		err = instance__set_clock(&traced->instance);
	if (err)
		return tool__fail(tool, err, "the clock of an instance in tracefs cannot be set: %s", strerror(-err));
	if (traced->functions.unmatched)
		say("%s", traced->functions.fault.text);
	return 0;
}

bool traced__are_few(const struct traced *traced)
{
	return traced->functions.count <= TRACED_FEW && !traced__share_names(traced);
}

int traced__match(struct traced *traced, struct tool *tool, enum traced_wants wants, bool few_have_programs)
{
	struct matches matches;
	bool are_known = !matches__read(&matches, &traced->functions, traced->module, traced->patterns, traced->patterns_count);

	if (!are_known) {
		if (match(traced, tool, wants, false))
			return tool->err;
		matches__keep(&matches, &traced->functions);
	}
	traced__resolve_aliases(traced);
	/* the same words whether or not the kernel has to match */
	if (are_known && (wants == TRACED_NAMES || (few_have_programs && traced__are_few(traced)))) {
		int err = instances__check();

		if (err)
			return explain_instance(tool, err);
	} else if (are_known && match(traced, tool, wants, true)) {
		return tool->err;
	}
	watch_modules(traced);
	if (traced->functions.count > TRACED_FUNCTIONS_MAX && !traced->force)
		return tool__fail(tool, -E2BIG, "%zu functions match, which would slow this machine down (name fewer, or --force)",
				  traced->functions.count);
	return 0;
}

void traced__remove_instance(struct traced *traced)
{
	int err = instance__remove(&traced->instance);

	if (err)
		say("the instance in tracefs cannot be removed yet: %s (the next start does it)", strerror(-err));
}

int traced__deny(struct traced *traced, struct tool *tool, const char *but)
{
	char first[KSYMS_NAME_MAX];
	size_t denied = functions__deny(&traced->functions, first);

	if (!traced->functions.count)
		return tool__fail(tool, -EINVAL, "BPF programs run %s themselves, so they cannot trace it%s", first, but);
	if (denied == 1)
		say("%s is left out: BPF programs run it themselves%s", first, but);
	else if (denied)
		say("%zu functions are left out that BPF programs run themselves, such as %s%s", denied, first, but);
	return 0;
}

int traced__refuse_denied(const struct traced *traced, struct tool *tool, size_t count)
{
	for (size_t i = 0; i < count && !tool->err; i++) {
		const char *colon = strchr(traced->patterns[i], ':'), *name = colon ? colon + 1 : traced->patterns[i];
		struct functions one = { .list = NULL };
		char first[KSYMS_NAME_MAX];

		if (exclusion__is(traced->patterns[i]))
			continue;
		if (function_pattern__is_name(name) && !functions__add(&one, name, NULL) && functions__deny(&one, first))
			tool__fail(tool, -EINVAL, "BPF programs run %s themselves, so they cannot trace it (take --engine ftrace)", name);
		functions__free(&one);
	}
	return tool->err;
}

int traced__choose_multi(struct traced *traced, struct tool *tool, const char *done)
{
	enum attach_mode wanted = tool->attach->wanted;

	traced->by_multi = traced->functions.count > TRACED_FEW || wanted == ATTACH_MULTI ||
			   (wanted == ATTACH_AUTO && traced__share_names(traced) && attempt__has_multi());
	if (!traced->by_multi)
		return 0;
	if (wanted != ATTACH_AUTO && wanted != ATTACH_MULTI)
		return tool__fail(tool, -E2BIG, "%zu functions match, and --attach %s can have %d (leave --attach out, or name fewer)",
				  traced->functions.count, attach_mode__name(wanted), TRACED_FEW);
	if (attempt__has_multi())
		return 0;
	if (traced->functions.count <= TRACED_FEW)
		return tool__fail(tool, -EOPNOTSUPP, "--attach multi: %s (leave --attach out)",
				  attempt__lacks(ATTACH_MULTI, -EOPNOTSUPP) ?: "no kprobe.multi");
	return tool__fail(tool, -EOPNOTSUPP, "%zu functions match: %s, so %d can be %s at most (name fewer)",
			  traced->functions.count, attempt__lacks(ATTACH_MULTI, -EOPNOTSUPP) ?: "no kprobe.multi",
			  TRACED_FEW, done);
}

static int compare_addresses(const void *a, const void *b)
{
	const struct function *left = a, *right = b;

	return left->address < right->address ? -1 : left->address > right->address;
}

/* Two names of one function: the kernel takes an address once. */
static void leave_out_repeated(struct functions *functions)
{
	size_t kept = 0;

	for (size_t i = 0; i < functions->count; i++) {
		struct function *function = &functions->list[i];

		if (!kept || functions->list[kept - 1].address != function->address) {
			functions->list[kept++] = *function;
			continue;
		}
		free(function->name);
		free(function->module);
	}
	functions->count = kept;
}

int traced__find_addresses(struct traced *traced, struct tool *tool, struct names *names)
{
	struct functions *functions = &traced->functions;
	struct fault fault;
	char first[KSYMS_NAME_MAX] = "";
	size_t unknown;

	if (functions->count)
		snprintf(first, sizeof(first), "%s", functions->list[0].name);
	unknown = functions__find_addresses(functions, names);
	if (!functions->count && !names__address(names, NULL, first))
		return tool__fail(tool, -ENOENT, "/proc/kallsyms hides the addresses of functions (sysctl kernel.kptr_restrict=1 shows them to root and CAP_SYSLOG)");
	if (!functions->count) {
		functions__explain(NULL, first, &fault);
		return tool__fail(tool, -ENOENT, "%s", fault.text);
	}
	if (unknown)
		say("%zu of the functions %s no address in /proc/kallsyms where %s can be traced, and %s left out", unknown,
		    unknown == 1 ? "has" : "have", unknown == 1 ? "it" : "they", unknown == 1 ? "is" : "are");
	qsort(functions->list, functions->count, sizeof(*functions->list), compare_addresses);
	leave_out_repeated(functions);
	return 0;
}

int traced__find_ids(struct traced *traced, size_t *others)
{
	const struct functions *functions = &traced->functions;
	const char **names = calloc(functions->count, sizeof(*names));
	uint32_t *ids = calloc(functions->count, sizeof(*ids));
	int err = names && ids ? 0 : -ENOMEM;

	for (size_t i = 0; i < functions->count && !err; i++)
		names[i] = functions->list[i].name;
	if (!err)
		err = tracing__find_ids(names, functions->count, true, ids);
	*others = 0;
	for (size_t i = 0; i < functions->count && !err; i++) {
		struct function *function = &functions->list[i];
		/* modules have BTF of their own */
		bool is_plain = !function->module && ids[i] != TRACING_ID_AMBIGUOUS && trampoline__returns(function->name);

		function->btf_id = is_plain ? ids[i] : 0;
		*others += !function->btf_id;
	}
	free(names);
	free(ids);
	return err;
}

/* A function's id, and its number in the list. */
struct numbered {
	uint32_t id;
	size_t number;
};

static int compare_ids(const void *a, const void *b)
{
	uint32_t left = ((const struct numbered *)a)->id, right = ((const struct numbered *)b)->id;

	return left < right ? -1 : left > right;
}

int traced__attach_ids(const struct traced *traced, struct tool *tool, struct bpf_program *program)
{
	const struct functions *functions = &traced->functions;
	struct numbered *list = calloc(functions->count, sizeof(*list));
	uint32_t *ids = calloc(functions->count, sizeof(*ids));
	uint64_t *cookies = calloc(functions->count, sizeof(*cookies));
	size_t count = 0;
	int err;

	for (size_t i = 0; i < functions->count && list; i++)
		if (functions->list[i].btf_id)
			list[count++] = (struct numbered){ functions->list[i].btf_id, i };
	if (list)
		qsort(list, count, sizeof(*list), compare_ids);
	for (size_t i = 0; i < count && ids && cookies; i++) {
		ids[i] = list[i].id;
		cookies[i] = list[i].number;
	}
	if (list && ids && cookies)
		err = attach__many_ids(tool->attach, program, ids, cookies, count);
	else
		err = tool__fail(tool, -ENOMEM, "no memory for the ids of functions");
	free(list);
	free(ids);
	free(cookies);
	return err;
}

int traced__attach_addresses(const struct traced *traced, struct tool *tool, struct bpf_program *program, struct bpf_link **link, bool all)
{
	const struct functions *functions = &traced->functions;
	uint64_t *addresses = calloc(functions->count, sizeof(*addresses));
	size_t count = 0;

	if (!addresses)
		return tool__fail(tool, -ENOMEM, "no memory for the addresses of functions");
	for (size_t i = 0; i < functions->count; i++)
		if (all || !functions->list[i].btf_id)
			addresses[count++] = functions->list[i].address;
	/* the other program has all of them */
	if (!count)
		tool__needs_no_link(tool, program);
	if (count && traced_conflict__avoid(traced, tool, !link || links__is_return(program)))
		count = 0;
	if (count && link)
		attach__many(tool->attach, program, link, addresses, count);
	else if (count)
		attach__many_sessions(tool->attach, program, addresses, count);
	free(addresses);
	return tool->err ? tool->err : tool->attach->err;
}

int traced__attach_multi(const struct traced *traced, struct tool *tool, struct bpf_program *program, struct bpf_link **link)
{
	return traced__attach_addresses(traced, tool, program, link, true);
}

size_t traced__find(const struct traced *traced, uint64_t key)
{
	const struct functions *functions = &traced->functions;
	struct function wanted = { .address = key }, *found;

	if (!traced->by_multi)
		return key < functions->count ? key : SIZE_MAX;
	found = bsearch(&wanted, functions->list, functions->count, sizeof(wanted), compare_addresses);
	return found ? (size_t)(found - functions->list) : SIZE_MAX;
}

struct bpf_program *traced__program(const struct tool *tool, const char *name, size_t number)
{
	char program[64];

	snprintf(program, sizeof(program), "%s_%zu", name, number);
	return bpf_object__find_program_by_name(*tool->skeleton->obj, program);
}

int traced__attach(const struct traced *traced, struct tool *tool, const char *name)
{
	enum attach_mode wanted = tool->attach->wanted;
	const struct bpf_program *first = traced__program(tool, name, 0);

	if (wanted == ATTACH_AUTO && links__is_return(first) && !attempt__lacks_kprobe_events())
		tool->attach->wanted = ATTACH_LEGACY;
	for (size_t i = 0; i < traced->functions.count && i < TRACED_FEW; i++) {
		const struct function *function = &traced->functions.list[i];
		const struct bpf_program *program = traced__program(tool, name, i);
		char full[FUNCNAME_MAX];

		snprintf(full, sizeof(full), "%s%s%s", function->module ? function->module : "", function->module ? ":" : "",
			 function->name);
		for (int j = 0; j < tool->skeleton->prog_cnt; j++) {
			const struct bpf_prog_skeleton *entry = links__entry(tool->skeleton, j);

			if (*entry->prog != program)
				continue;
			attach__kprobe(tool->attach, *entry->prog, entry->link, (const char *const[]){ full, NULL });
			if (!function->module && *entry->link)
				gone_modules__watch_link(bpf_link__fd(*entry->link));
		}
	}
	tool->attach->wanted = wanted;
	return tool->attach->err;
}

void traced__free(struct traced *traced)
{
	traced__remove_instance(traced);
	functions__free(&traced->functions);
	for (size_t i = 0; i < traced->patterns_count; i++)
		free(traced->resolved[i]);
}
