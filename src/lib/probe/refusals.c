/* SPDX-License-Identifier: BSD-2-Clause */
#include "refusals.h"

#include <errno.h>
#include <sys/prctl.h>

#include "lib/kernel/kernel.h"
#include "missed.h"

static const char secure[] = "__secure_computing", permit[] = "__seccomp_permit_syscall";
static const char *function = secure;

bool refusals__exist(void)
{
	/* prctl(2): EINVAL without CONFIG_SECCOMP */
	return prctl(PR_GET_SECCOMP, 0, 0, 0, 0) >= 0 || errno != EINVAL;
}

struct refused_by refusals__guess(void)
{
	struct refused_by by = { .is_false = kernel__version() >= kernel_version(7, 3, 0) };

	function = by.is_false ? permit : secure;
	return by;
}

struct refused_by refusals__find(struct names *names)
{
	struct refused_by by = { .address = names__ask_address(names, secure) };

	if (!by.address) {
		by.address = names__ask_address(names, permit);
		by.is_false = true;
	}
	function = by.is_false ? permit : secure;
	return by;
}

const char *refusals__function(void)
{
	return function;
}

bool refusals__attach(struct attach *attach, struct bpf_program *program, struct bpf_link **link)
{
	const char *const functions[] = { function, NULL };
	struct fault fault;

	if (bpf_program__fd(program) >= 0 && !attach__optional(attach, program, link, functions, &fault))
		return true;
	if (refusals__exist())
		missed__tell_unseen(REFUSALS_UNSEEN);
	return false;
}

void refusals__choose_suppressed(const struct bpf_object_skeleton *skeleton, bool has_types)
{
	struct bpf_program *program = bpf_object__find_program_by_name(*skeleton->obj, "suppressed");

	bpf_program__set_autoload(program, has_types);
	if (!has_types)
		missed__tell_unseen(SUPPRESSED_UNSEEN);
}
