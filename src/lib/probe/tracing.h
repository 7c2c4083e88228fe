/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Programs that libbpf has no way to load, or a dear one: on functions that are known by their ids in the kernel's BTF (fentry and
 * fexit, for which libbpf parses all of that BTF, 60 to 300 M instructions and 9 MB), on many functions at once (fentry.multi,
 * fsession.multi), those that call the kernel's own functions for sessions (bpf/session.bpf.h), and iterators over all tasks.
 *
 *	tracing__register();						before the object is opened
 *	tracing__find_ids(names, count, ids);
 *	tracing__target(program, BPF_TRACE_FEXIT, ids[0]);		before it is loaded
 *
 * The programs stand in the sections "fentry_id", "fexit_id", "session_probe", "session_function" and "task_iterator", with "?" before.
 */
#ifndef PROBELIGHT_TRACING_H
#define PROBELIGHT_TRACING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <bpf/libbpf.h>

/* Attach types that <linux/bpf.h> of a distribution may not have. */
enum {
	TRACING_KPROBE_SESSION = 56,	/* since 6.10 */
	TRACING_FENTRY_MULTI = 59,	/* 7.2 has these two */
	TRACING_FSESSION_MULTI = 61,
};

#define TRACING_TARGETS_MAX 24

/* Tells libbpf of the sections.  0 or -errno. */
int tracing__register(void);

/*
 * Finds functions of the kernel itself by their names, and the functions for sessions, by one scan of its BTF: 20 to 30 M
 * instructions. ids gets 0 for a name that is not there, TRACING_ID_AMBIGUOUS for one that is there, or among names, more
 * than once.  With only_fit it also gets 0 for a function that no trampoline can be made for, because of what it takes or
 * gives: more parameters than machine__trampoline_args(), a structure of more than 16 bytes, a variable number, a structure as the result
 * (btf_distill_func_proto() in kernel/bpf/btf.c).  One of these would have a link on many functions refused.  0, or -errno
 * where the BTF cannot be read.
 */
#define TRACING_ID_AMBIGUOUS UINT32_MAX
int tracing__find_ids(const char *const *names, size_t count, bool only_fit, uint32_t *ids);

/* Whether tracing__find_ids() found the functions for sessions. */
bool tracing__has_session_functions(void);

/* Whether the kernel takes links of such an attach type on many functions.  Asks it with one program of two instructions. */
bool tracing__has_multi(int attach_type);

/*
 * Says what a program is to be attached to: BPF_TRACE_FENTRY or BPF_TRACE_FEXIT to the function of that id, BPF_TRACE_ITER to that of
 * bpf_iter_task(), the types above with id 0.  It is then loaded.  0, or -ENOSPC for more than TRACING_TARGETS_MAX programs.
 */
int tracing__target(struct bpf_program *program, int attach_type, uint32_t id);

#endif
