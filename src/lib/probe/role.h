/* SPDX-License-Identifier: BSD-2-Clause */
/* What a program sees of an event: the whole, its begin, its end, or nothing of it. */
#ifndef PROBELIGHT_ROLE_H
#define PROBELIGHT_ROLE_H

#include <bpf/libbpf.h>

enum role {
	ROLE_OTHER,		/* it says nothing: an event, where programs of the tool do not see events begin and end */
	ROLE_SEES_BEGIN,
	ROLE_SEES_END,
	ROLE_SEES_WHOLE,	/* an event, begin and end */
	ROLE_SEES_NOTHING,	/* without its run no event is missed */
};

/*
 * By what the program says of itself (lib/bpf/role.bpf.h), else by its section: kprobe, ksyscall, fentry and sys_enter see a call begin,
 * kretprobe, kretsyscall, fexit and sys_exit see it end.  object is the program's.
 */
enum role role__of(const struct bpf_object *object, const struct bpf_program *program);

#endif
