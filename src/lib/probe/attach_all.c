/* SPDX-License-Identifier: BSD-2-Clause */
/* attach__all(): one link on several functions. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attach.h"
#include "attach_probe.h"
#include "attach_why.h"
#include "attempt.h"
#include "lib/kernel/arming.h"
#include "lib/kernel/kernel.h"
#include "lib/kernel/names.h"
#include "lib/print/text_buffer.h"

bool attach__may_all(const struct attach *attach)
{
	return (attach->wanted == ATTACH_AUTO || attach->wanted == ATTACH_MULTI) && attempt__has_multi();
}

void attach__prefer_link_of_many(const struct attach *attach, struct bpf_program *program)
{
	if (attach->wanted == ATTACH_AUTO && kernel__version() >= kernel_version(7, 0, 0) && attempt__has_multi())
		bpf_program__set_expected_attach_type(program, BPF_TRACE_KPROBE_MULTI);
}

static uint64_t known_address(const struct attach *attach, const char *function)
{
	for (size_t i = 0; i < attach->known_count; i++)
		if (!strcmp(attach->known[i].function, function))
			return attach->known[i].address;
	return 0;
}

/* Asks for those that are still 0.  Whether all are there. */
static bool ask_addresses(unsigned long *addresses, const char *const *functions, size_t count)
{
	struct names names;
	bool found = true;

	names__open(&names, false);
	for (size_t i = 0; i < count && found; i++) {
		if (!addresses[i])
			addresses[i] = names__ask_address(&names, functions[i]);
		found = addresses[i];
	}
	names__close(&names);
	return found;
}

/* The addresses of functions, for the caller to free; NULL where one is not known, is hidden, or there is no memory. */
static unsigned long *find_addresses(const struct attach *attach, const char *const *functions, size_t count)
{
	unsigned long *addresses = calloc(count, sizeof(*addresses));
	bool found = addresses;

	for (size_t i = 0; i < count && addresses; i++) {
		addresses[i] = known_address(attach, functions[i]);
		found &= addresses[i] != 0;
	}
	if (addresses && !found)
		found = ask_addresses(addresses, functions, count);
	if (!found)
		free(addresses);
	return found ? addresses : NULL;
}

/* One link on all of functions.  0 or -errno with a line in fault.  has_substitute: as for attach->may_link. */
static int try_all(const struct attach *attach, struct attempt *attempt, const char *const *functions, size_t count, bool has_substitute,
		   struct fault *fault)
{
	LIBBPF_OPTS(bpf_kprobe_multi_opts, options, .retprobe = attempt->is_return, .cnt = count);
	int err = attach__may_link(attach, attempt, has_substitute, fault);

	if (err)
		return err;
	/* by names the kernel searches all symbols, which takes 26 M instructions more (7.2) */
	options.addrs = find_addresses(attach, functions, count);
	options.syms = options.addrs ? NULL : (const char **)functions;
	attempt->mode = ATTACH_MULTI;
	attempt->link = bpf_program__attach_kprobe_multi_opts(attempt->program, NULL, &options);
	err = attempt->link ? 0 : -errno;
	if (err)
		fault__set(fault, err, "%s", err == -ESRCH ? "one is missing" : strerror(-err));
	free((void *)options.addrs);
	return err;
}

/* One link on attach->also, too, if the kernel takes it.  Of an error only that there is one is reported. */
static int try_all_and_one(const struct attach *attach, struct attempt *attempt, const char *const *functions, size_t count,
			   bool has_substitute)
{
	const char **all = calloc(count + 2, sizeof(*all));
	struct fault fault;
	int err = -ENOMEM;

	if (!all)
		return err;
	memcpy(all, functions, count * sizeof(*all));
	all[count] = attach->also;
	err = try_all(attach, attempt, all, count + 1, has_substitute, &fault);
	free(all);
	return err;
}

/* One link on all of functions, or an event.  0 or the error. */
static int attach_to_all(struct attach *attach, struct attempt *attempt, const char *const *functions, size_t count,
			 const struct funcname *first, struct bpf_link **link)
{
	bool may_replace = attach->wanted == ATTACH_AUTO;
	struct fault fault;
	char names[512];
	struct text_buffer text = text_buffer__fixed(names, sizeof(names));
	int err = -ENOENT;

	if (attach->also)
		err = try_all_and_one(attach, attempt, functions, count, may_replace);
	if (err) {
		attach->also = NULL;
		err = try_all(attach, attempt, functions, count, may_replace, &fault);
	}
	if (err && may_replace && !attempt__try_legacy_all(attempt, functions))
		snprintf(attempt->why, sizeof(attempt->why), "multi: %.200s", fault.text);
	/* where there are no such events (tracefs is missing) the link has no substitute */
	else if (err && may_replace)
		err = try_all(attach, attempt, functions, count, false, &fault);
	if (!attempt->link) {
		text_buffer__add_quoted(&text, functions, count, ", ");
		return attach__fail(attach, err, "%s: cannot be attached to all of %s: %s (try --attach link)",
				    bpf_program__name(attempt->program), names, fault.text);
	}
	if (count > 1)
		text_buffer__add(&text, "and on ");
	text_buffer__add_quoted(&text, functions + 1, count - 1, ", ");
	if (attach->also)
		text_buffer__add(&text, ", and where seccomp refuses them");
	return attach__take_link(attach, attempt, first, names, link);
}

int attach__all(struct attach *attach, struct bpf_program *program, struct bpf_link **link, const char *const *functions)
{
	struct attempt attempt = {
		.program = program,
		.is_return = !strncmp(bpf_program__section_name(program), "kret", 4),
	};
	struct funcname first;
	size_t count = 0;

	if (attach->err || bpf_program__fd(program) < 0)
		return attach->err;
	while (functions[count])
		count++;
	if (attach__check_name(attach, &attempt, functions[0], &first) || attach__begin(attach, false))
		return attach->err;
	return attach__finish(attach, attach_to_all(attach, &attempt, functions, count, &first, link), link);
}
