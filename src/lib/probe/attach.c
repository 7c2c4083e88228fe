/* SPDX-License-Identifier: BSD-2-Clause */
#include "attach.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attach_probe.h"
#include "attach_why.h"
#include "attempt.h"
#include "funcname.h"
#include "kprobe_events.h"
#include "links.h"
#include "shared_names.h"
#include "lib/kernel/arming.h"
#include "lib/print/text_buffer.h"
#include "lib/shared/syscalls.h"

static const char *const mode_names[] = {
	[ATTACH_AUTO] = "auto",
	[ATTACH_LINK] = "link",
	[ATTACH_PERF] = "perf",
	[ATTACH_LEGACY] = "legacy",
	[ATTACH_MULTI] = "multi",
	[ATTACH_FENTRY] = "fentry",
};
#define MODES_COUNT (sizeof(mode_names) / sizeof(*mode_names))

int attach_mode__parse(const char *text, enum attach_mode *mode)
{
	for (unsigned int i = 0; i < MODES_COUNT; i++) {
		if (!strcmp(text, mode_names[i])) {
			*mode = i;
			return 0;
		}
	}
	return -EINVAL;
}

const char *attach_mode__name(enum attach_mode mode)
{
	return mode_names[mode];
}

/* All modes wanted, the best first, on one name; the loop ends at the first that the kernel has.  0 or -errno. */
static int try_modes(const struct attach *attach, struct attempt *attempt, const struct funcname *name)
{
	static const enum attach_mode entry[] = { ATTACH_LINK, ATTACH_PERF, ATTACH_LEGACY };
	static const enum attach_mode at_return[] = { ATTACH_LINK, ATTACH_LEGACY, ATTACH_PERF };
	const enum attach_mode *best_first = attempt->is_return ? at_return : entry;
	bool is_multi = bpf_program__expected_attach_type(attempt->program) == BPF_TRACE_KPROBE_MULTI;
	struct text_buffer why = text_buffer__fixed(attempt->why, sizeof(attempt->why));

	if (attach->wanted != ATTACH_AUTO)
		return attempt__try(attempt, attach->wanted, name);
	if (is_multi) {
		/* attach__prepare() found nothing else */
		text_buffer__add(&why, "%s", attempt__lacks_kprobe_events() ?: "no kprobe PMU");
		return attempt__try(attempt, ATTACH_MULTI, name);
	}
	for (size_t i = 0; i < sizeof(entry) / sizeof(*entry); i++) {
		const char *lacks;

		if (!attempt__try(attempt, best_first[i], name))
			return 0;
		lacks = attempt__lacks(best_first[i], attempt->err);
		if (!lacks)
			break;
		/* link and perf need the same PMU: once is enough */
		if (!strstr(attempt->why, lacks))
			text_buffer__add(&why, "%s%s: %s", why.length ? "; " : "", mode_names[best_first[i]], lacks);
	}
	return attempt->err;
}

/* Whether a program sees on a variant that the compiler made (FUNC.isra.0) what it would on the function. */
static bool is_variant_as_good(const struct attach *attach, const struct attempt *attempt, const char *variant)
{
	return attach->only_counts || (attempt->is_return && !strstr(variant, ".part."));
}

/*
 * No name worked as it stands, or names are to be checked first: looks them up.  Finds what the compiler renamed, and
 * says what is wrong with a name that the kernel has.
 */
static int attach_looked_up(struct attach *attach, struct attempt *attempt, const char *const *functions,
			    unsigned int count, struct bpf_link **link)
{
	struct ksyms_match match, first_match = {};
	struct funcname name, first_name = {};
	int err;

	for (unsigned int i = 0; i < count; i++) {
		char remark[KSYMS_NAME_MAX + 64] = "";

		funcname__parse(functions[i], &name);
		err = ksyms__find(*name.module ? name.module : NULL, name.function, &match);
		if (err)
			return attach__fail(attach, err, "/proc/kallsyms cannot be read: %s", strerror(-err));
		if (!i) {
			first_match = match;
			first_name = name;
		}
		if (match.functions > 1)
			return attach__fail_existing(attach, attempt, &name, &match);
		if (!match.functions && match.variants_count > 1)
			return attach__fail_split(attach, &name, &match);
		if (!match.functions && match.variants_count) {
			if (!is_variant_as_good(attach, attempt, match.variants[0]))
				return attach__fail_variant(attach, &name, match.variants[0]);
			memcpy(name.function, match.variants[0], sizeof(name.function));
			snprintf(remark, sizeof(remark), "%s", strstr(name.function, ".part.") ?
				 "only this part of the function is not inlined" : "renamed by the compiler");
			match.functions = 1;
			match.address = 0;
		}
		if (!match.functions)
			continue;
		if (name.offset && match.address) {
			uint64_t size = ksyms__size(match.address);

			if (size && name.offset >= size)
				return attach__fail(attach, -EINVAL, "'%s+%#lx' is beyond the end of the function, which has "
						    "%#llx bytes", name.function, name.offset, (unsigned long long)size);
		}
		if (!try_modes(attach, attempt, &name))
			return attach__take_link(attach, attempt, &name, remark, link);
		if (attach__fail_unless_name(attach, attempt))
			return attach->err;
		return attach__fail_existing(attach, attempt, &name, &match);
	}
	return attach__fail_missing(attach, &first_name, functions, count, &first_match);
}

/* Whether the names are looked up before the first try (check_names), which takes 200 to 500 M instructions: where the kernel does not. */
static bool should_look_up(const struct attach *attach, const struct bpf_program *program, const char *const *functions)
{
	bool is_multi = attach->wanted == ATTACH_MULTI || bpf_program__expected_attach_type(program) == BPF_TRACE_KPROBE_MULTI;

	if (!attach->check_names || (!is_multi && shared_names__are_refused()))
		return false;
	/* it was looked up for the first program on it */
	for (size_t i = 0; i < attach->probes_count; i++)
		if (!functions[1] && !strcmp(attach->probes[i].function, functions[0]))
			return false;
	return true;
}

/* Of attach__kprobe(), where nothing takes the place of a link.  0 or the error. */
static int check_may_link(struct attach *attach, const struct attempt *attempt)
{
	struct fault fault;
	int err;

	if (attach->wanted != ATTACH_MULTI && bpf_program__expected_attach_type(attempt->program) != BPF_TRACE_KPROBE_MULTI)
		return 0;
	err = attach__may_link(attach, attempt, false, &fault);
	return err ? attach__fail(attach, err, "%s: %s", bpf_program__name(attempt->program), fault.text) : 0;
}

/* The first of count functions that works, as they are named or, with look_up, as the kernel has them.  0 or the error. */
static int attach_first(struct attach *attach, struct attempt *attempt, const char *const *functions, unsigned int count, bool look_up,
			struct bpf_link **link)
{
	struct funcname name;

	if (check_may_link(attach, attempt))
		return attach->err;
	for (unsigned int i = 0; i < count && !look_up; i++) {
		funcname__parse(functions[i], &name);
		if (!try_modes(attach, attempt, &name))
			return attach__take_link(attach, attempt, &name, "", link);
		if (attach__fail_unless_name(attach, attempt))
			return attach->err;
	}
	return attach_looked_up(attach, attempt, functions, count, link);
}

/* Whether attach__prefer_link_of_many() has chosen a link for it, and not attach__prepare(), which has found nothing else. */
static bool is_link_preferred(const struct attach *attach, const struct bpf_program *program)
{
	return attach->wanted == ATTACH_AUTO && bpf_program__expected_attach_type(program) == BPF_TRACE_KPROBE_MULTI &&
	       attempt__has_pmu();
}

int attach__kprobe(struct attach *attach, struct bpf_program *program, struct bpf_link **link,
		   const char *const *functions)
{
	struct attempt attempt = {
		.program = program,
		.is_return = attach->at_return || !strncmp(bpf_program__section_name(program), "kret", 4),
	};
	bool look_up = should_look_up(attach, program, functions);
	struct funcname name;
	unsigned int count;

	if (attach->err || bpf_program__fd(program) < 0)
		return attach->err;
	if (is_link_preferred(attach, program))
		return attach__all(attach, program, link, functions);
	for (count = 0; functions[count]; count++) {
		if (attach__check_name(attach, &attempt, functions[count], &name))
			return attach->err;
		look_up |= name.offset;
	}
	if (attach__begin(attach, bpf_program__expected_attach_type(program) != BPF_TRACE_KPROBE_MULTI))
		return attach->err;
	return attach__finish(attach, attach_first(attach, &attempt, functions, count, look_up, link), link);
}

/* Takes back an error that was none before the call, and what it did. */
static int as_optional(struct attach *attach, int err, struct fault *fault)
{
	if (!err)
		return 0;
	fault__set(fault, err, "%s", attach->error);
	attach->err = 0;
	if (attach->holds_switch)
		disarming__end();
	attach->holds_switch = false;
	return err;
}

int attach__optional(struct attach *attach, struct bpf_program *program, struct bpf_link **link,
		     const char *const *functions, struct fault *fault)
{
	*fault->text = 0;
	return attach->err ? attach->err : as_optional(attach, attach__kprobe(attach, program, link, functions), fault);
}

int attach__ksyscall(struct attach *attach, struct bpf_program *program, struct bpf_link **link, const char *syscall)
{
	char with_prefix[128], plain[128];
	const char *const functions[] = { with_prefix, plain, NULL };

	snprintf(with_prefix, sizeof(with_prefix), SYSCALL_PREFIX "%s", syscall);
	snprintf(plain, sizeof(plain), "__se_sys_%s", syscall);
	return attach__kprobe(attach, program, link, functions);
}

int attach__prepare(struct attach *attach, struct bpf_object *object)
{
	bool is_multi = attach->wanted == ATTACH_MULTI ||
			(attach->wanted == ATTACH_AUTO && !attempt__has_pmu() && attempt__lacks_kprobe_events());
	struct bpf_program *program;

	if (attach->err)
		return attach->err;
	if (attach->wanted == ATTACH_FENTRY && !attach->probes_count)
		return attach__fail(attach, -ENOTSUP, "--attach fentry is not possible: this tool has no program for it");
	/*
	 * BPF_KSYSCALL() takes LINUX_HAS_SYSCALL_WRAPPER from libbpf, which finds it out at load time: it puts a kprobe on
	 * __x64_sys_bpf and removes it.
	 */
	if (bpf_object__find_map_by_name(object, ".kconfig")) {
		if (attach__begin(attach, false))
			return attach->err;
		arming__end(-ECANCELED, NULL, NULL, NULL);
	}
	bpf_object__for_each_program(program, object) {
		if (bpf_program__type(program) != BPF_PROG_TYPE_KPROBE)
			continue;
		if (attach->wanted == ATTACH_FENTRY)
			bpf_program__set_autoload(program, false);
		else if (is_multi)
			bpf_program__set_expected_attach_type(program, BPF_TRACE_KPROBE_MULTI);
	}
	return 0;
}

int attach__before_detach(struct attach *attach)
{
	int held;

	if (attach->holds_switch || !(attach->links_count || arming__has_armed()))
		return 0;
	held = disarming__begin();
	attach->holds_switch = held >= 0;
	return held;
}

void attach__await_switch(struct attach *attach)
{
	while (attach__before_detach(attach) < 0)
		usleep(100000);
}

void attach__end(struct attach *attach)
{
	kprobe_events__end();
	links__close_own();
	if (attach->holds_switch)
		disarming__end();
	attach->holds_switch = false;
	free(attach->probes);
	attach->probes = NULL;
	attach->probes_count = attach->links_count = 0;
}
