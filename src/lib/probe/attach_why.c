/* SPDX-License-Identifier: BSD-2-Clause */
#include "attach_why.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "blacklist.h"
#include "lib/kernel/arming.h"
#include "lib/kernel/file.h"
#include "lib/kernel/ktext.h"
#include "lib/kernel/rights.h"
#include "lib/kernel/switches.h"
#include "lib/kernel/tracefs.h"
#include "lib/print/text_buffer.h"

#define LOCKDOWN "/sys/kernel/security/lockdown"

int attach__fail(struct attach *attach, int err, const char *format, ...)
{
	va_list args;

	if (attach->err)
		return attach->err;
	va_start(args, format);
	vsnprintf(attach->error, sizeof(attach->error), format, args);
	va_end(args);
	attach->err = err;
	attach__before_detach(attach);
	return err;
}

/* Whether a function is in a file of tracefs with a line "NAME …" or "NAME [MODULE] …" for each: 1, 0 or -errno. */
static int is_listed(const char *file, const struct funcname *name)
{
	char *text, *line, *rest = NULL;
	size_t size, length = strlen(name->function);
	bool found = false;
	int err;

	err = tracefs__read(file, 64 << 20, &text, &size);
	if (err)
		return err;
	for (line = strtok_r(text, "\n", &rest); line && !found; line = strtok_r(NULL, "\n", &rest)) {
		if (strncmp(line, name->function, length))
			continue;
		if (!*name->module)
			found = !line[length] || line[length] == ' ';
		else
			found = line[length] == ' ' && strstr(line + length, name->module);
	}
	free(text);
	return found;
}

int attach__fail_existing(struct attach *attach, const struct attempt *attempt, const struct funcname *name,
			  const struct ksyms_match *match)
{
	struct funcname place = *name;
	int err = attempt->err;

	if (match->functions > 1)
		return attach__fail(attach, -EADDRNOTAVAIL, "'%s' is the name of %u functions: a probe cannot distinguish them (take "
				    "MODULE:%s for one in a module, or another function)", name->function, match->functions,
				    name->function);
	if (blacklist__has(match->address))
		return attach__fail(attach, err, "'%s' is on the kernel's blacklist: kprobes themselves run it (probe one of its "
				    "callers)", name->function);
	if (err == -EILSEQ)
		return attach__fail(attach, err, "'%s+%#lx' is not the start of an instruction", name->function, name->offset);
	if (!*place.module)
		memcpy(place.module, match->module, sizeof(place.module));
	if (!is_listed("available_filter_functions", &place))
		return attach__fail(attach, err, "'%s' is not traceable: " KTEXT_NO_HOOK ", and the kernel refuses to probe such "
				    "functions", name->function);
	if (name->offset && err == -EINVAL)
		return attach__fail(attach, err, "'%s+%#lx' may not be probed: the kernel changes the code there itself",
				    name->function, name->offset);
	return attach__fail(attach, err, "'%s' cannot be probed: %s", name->function, strerror(-err));
}

int attach__fail_trampoline(struct attach *attach, const struct bpf_program *program, int err)
{
	struct funcname name = {};

	for (size_t i = 0; i < attach->probes_count; i++)
		if (!strcmp(attach->probes[i].program, bpf_program__name(program)))
			funcname__parse(attach->probes[i].function, &name);
	if (err == -E2BIG)
		return attach__fail(attach, err, "'%s' has as many programs as it takes (BPF_MAX_TRAMP_LINKS, 38)", name.function);
	if (*name.function && !is_listed("available_filter_functions", &name))
		return attach__fail(attach, err, "'%s' is not traceable: " KTEXT_NO_HOOK, name.function);
	if (err == -EBUSY)
		return attach__fail(attach, err, "'%s': something else has changed the start of the function (a live patch?)", name.function);
	return attach__fail(attach, err, "'%s': the kernel takes no program on it: %s", name.function, strerror(-err));
}

int attach__fail_missing(struct attach *attach, const struct funcname *name, const char *const *functions,
			 unsigned int count, const struct ksyms_match *match)
{
	const char *where = *name->module ? "in that module" : "in this kernel";
	const char *no_nearest = *name->module ? "" : " (it may be inlined everywhere)";
	char names[512], nearest[600], path[128];
	struct text_buffer text = text_buffer__fixed(names, sizeof(names));
	const char *list[KSYMS_NEAREST];

	snprintf(path, sizeof(path), "/sys/module/%s", name->module);
	if (*name->module && file__may(path, F_OK))
		return attach__fail(attach, -ENOENT, "'%s:%s': the module '%s' is not loaded (modprobe %s)", name->module,
				    name->function, name->module, name->module);
	text_buffer__add_quoted(&text, functions, count, " or ");
	if (!match->nearest_count)
		return attach__fail(attach, -ENOENT, "no function %s %s%s", names, where, no_nearest);
	for (unsigned int i = 0; i < match->nearest_count; i++)
		list[i] = match->nearest[i];
	text = text_buffer__fixed(nearest, sizeof(nearest));
	text_buffer__add_quoted(&text, list, match->nearest_count, ", ");
	return attach__fail(attach, -ENOENT, "no function %s %s (nearest: %s)", names, where, nearest);
}

int attach__fail_split(struct attach *attach, const struct funcname *name, const struct ksyms_match *match)
{
	unsigned int known = match->variants_count < KSYMS_VARIANTS ? match->variants_count : KSYMS_VARIANTS;
	const char *list[KSYMS_VARIANTS];
	char variants[KSYMS_VARIANTS * 80];
	struct text_buffer text = text_buffer__fixed(variants, sizeof(variants));

	if (!strcmp(match->variants[0], match->variants[1]))
		return attach__fail(attach, -EADDRNOTAVAIL, "'%s' is the name of %u functions: a probe cannot distinguish them (take "
				    "another function)", match->variants[0], match->variants_count);
	for (unsigned int i = 0; i < known; i++)
		list[i] = match->variants[i];
	text_buffer__add_quoted(&text, list, known, ", ");
	return attach__fail(attach, -EADDRNOTAVAIL, "the compiler has split '%s' into %s%s (take one of these names)",
			    name->function, variants, known < match->variants_count ? ", …" : "");
}

int attach__fail_variant(struct attach *attach, const struct funcname *name, const char *variant)
{
	if (strstr(variant, ".part."))
		return attach__fail(attach, -EADDRNOTAVAIL, "the compiler has inlined '%s' but for a part, '%s': most calls do not come "
				    "there", name->function, variant);
	return attach__fail(attach, -EADDRNOTAVAIL, "the compiler has changed the parameters of '%s' ('%s'): its arguments cannot "
			    "be read", name->function, variant);
}

/* Reasons that have nothing to do with the function. */
static int fail_general(struct attach *attach, int err)
{
	char lockdown[128];

	if (file__read_small(LOCKDOWN, lockdown, sizeof(lockdown)) > 0 && strstr(lockdown, "[confidentiality]"))
		return attach__fail(attach, err, "probes are not permitted: the kernel is locked down (confidentiality)");
	if (err == -EPERM || err == -EACCES)
		return attach__fail(attach, err, "probes are not permitted: %s (%s)", strerror(-err), rights__advice());
	/* what ftrace answers to everything then (lib/kernel/switches.h) */
	return attach__fail(attach, err, "a probe cannot be made: %s%s", strerror(-err), err == -ENODEV ?
			    " (ftrace may have disabled itself until the next boot: see the kernel's log)" : "");
}

int attach__fail_unless_name(struct attach *attach, const struct attempt *attempt)
{
	const char *lacks = attempt__lacks(attempt->mode, attempt->err);
	bool told = lacks && strstr(attempt->why, lacks);

	if (lacks && attach->wanted == ATTACH_AUTO)
		return attach__fail(attach, attempt->err, "no way to attach a probe: %s%s%s", attempt->why,
				    told ? "" : "; multi: ", told ? "" : lacks);
	if (lacks)
		return attach__fail(attach, attempt->err, "--attach %s is not possible: %s (leave --attach out, and it takes what "
				    "there is)", attach_mode__name(attach->wanted), lacks);
	return attempt__is_about_name(attempt->err) ? 0 : fail_general(attach, attempt->err);
}

/* ---- switches */

static int fail_kprobes_off(struct attach *attach)
{
	return attach__fail(attach, -EBUSY, "kprobes are switched off: %s is 0 (echo 1 >%s)", SWITCHES_KPROBES, SWITCHES_KPROBES);
}

int attach__begin(struct attach *attach, bool is_kprobe)
{
	struct fault fault;
	int err = arming__begin(&fault), off;

	if (err)
		return attach__fail(attach, err, "%s", fault.text);
	attach->probes_before = attach->probes_count;
	if (!is_kprobe || attach->kprobes_work)
		return 0;
	off = switches__kprobes_are_off();
	if (off > 0)
		return arming__end(fail_kprobes_off(attach), NULL, NULL, NULL);
	attach->kprobes_work = !off;
	return 0;
}

/* What attach__end_of() may have to take back. */
struct attached {
	struct bpf_link **link;
	int fd;
};

static void detach(void *context)
{
	struct attached *attached = context;

	if (attached->link) {
		bpf_link__destroy(*attached->link);
		*attached->link = NULL;
	}
	if (attached->fd >= 0)
		close(attached->fd);
}

static int finish(struct attach *attach, int err, struct attached *attached)
{
	struct fault fault;
	int ended = arming__end(err, err ? NULL : detach, attached, &fault);

	if (ended == err) {
		attach->links_count += !err;
		return err;
	}
	attach->probes_count = attach->probes_before;
	/* what failed first has its text already */
	return attach__fail(attach, ended, "%s", fault.text);
}

int attach__finish(struct attach *attach, int err, struct bpf_link **link)
{
	return finish(attach, err, &(struct attached){ .link = link, .fd = -1 });
}

int attach__finish_descriptor(struct attach *attach, int fd)
{
	return finish(attach, fd < 0 ? fd : 0, &(struct attached){ .fd = fd });
}

/* CONFIG_KPROBES_ON_FTRACE: on x86-64 wherever ftrace lists functions at all. */
#if defined(__x86_64__)
#define KPROBES_ON_FTRACE 1
#else
#define KPROBES_ON_FTRACE 0
#endif

int attach__check_kprobe(struct attach *attach, const struct attempt *attempt, const struct funcname *name)
{
	bool is_kprobe = attempt->mode != ATTACH_MULTI && attempt->mode != ATTACH_FENTRY;

	if (!is_kprobe || attach->kprobes_work || name->offset || !KPROBES_ON_FTRACE)
		return 0;
	/* attach__finish() tells that all hooks are off */
	if (!is_listed("enabled_functions", name) && is_listed("available_filter_functions", name) == 1 && !switches__ftrace_is_off()) {
		bpf_link__destroy(attempt->link);
		return fail_kprobes_off(attach);
	}
	attach->kprobes_work = true;
	return 0;
}
