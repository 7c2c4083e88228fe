/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where a tool's programs see system calls return.  One program for all calls starts and ends fastest; which kernel takes
 * which program is decided here, once for all tools.  The programs have fixed names:
 *
 *	any_exit		raw_tp/sys_exit: the return of every system call
 *	any_return		kretprobe.multi: on the functions of the wanted calls
 *	NAME_exit_64,		tp/syscalls/sys_exit_NAME and kretprobe: a pair for each call NAME.  SYSCALL_EXITS() in
 *	NAME_exit_32		lib/bpf/syscall.bpf.h makes them.
 *
 * A tool that needs the beginnings of calls too has, beside these, any_enter (raw_tp/sys_enter), any_call (kprobe.multi),
 * NAME_enter_64 (tp/syscalls/sys_enter_NAME) and NAME_enter_32 (kprobe), each where its counterpart is.
 *
 * lib/bpf/exits.bpf.h and enters.bpf.h have them all; the tool's header lists the calls for both sides.
 *
 *	static const enum syscall_id calls[] = { TRACED_CALLS(SYSCALLS_ID) SYSCALL_NONE };
 *
 *	syscall_exits__choose(skel->skeleton, &attach, calls, true);	before load
 *	...
 *	syscall_exits__attach(skel->skeleton, &attach, calls);		after load; tool__run() does the tracepoints
 */
#ifndef PROBELIGHT_SYSCALL_EXITS_H
#define PROBELIGHT_SYSCALL_EXITS_H

#include <bpf/libbpf.h>

#include "attach.h"
#include "lib/shared/refused.h"
#include "lib/shared/syscalls.h"

enum syscall_exits_way {
	/*
	 * any_exit: one program to load and one link.  It needs BTF, which tells 32-bit calls from others.  It costs every
	 * other system call of the machine some instructions, as many as the tracepoints of single calls (bench/README.md).
	 */
	SYSCALL_EXITS_ANY_EXIT,
	/*
	 * any_return, where a program on a tracepoint can be preempted (since 7.0).  Until it resumes, the kernel skips it for
	 * the other tasks of its CPU: on sys_exit that loses calls of every kind.  Return probes are not preempted.  Where the
	 * kernel refuses the kprobe.multi link, one event in kprobe_events carries the same program.
	 */
	SYSCALL_EXITS_ANY_RETURN,
	/*
	 * A program for each call of each ABI: without BTF, and where any_return would be right but kprobe.multi is missing or
	 * --attach asks for another mode.
	 */
	SYSCALL_EXITS_SINGLE,
};

/*
 * Before load: decides the way on this kernel and sets which of the skeleton's programs are loaded.  attach: only --attach's
 * mode is read.  calls: ended by SYSCALL_NONE; those that the architecture or (SYSCALL_EXITS_SINGLE) the kernel does not have are
 * skipped.  has_types: the programs may read kernel types (kernel__has_btf(), or the tool needs them in any case).  A
 * program of the names above that the skeleton does not have is skipped too.  The program of lib/bpf/suppressed.bpf.h is
 * loaded where has_types.
 */
enum syscall_exits_way syscall_exits__choose(const struct bpf_object_skeleton *skeleton, const struct attach *attach,
			     const enum syscall_id *calls, bool has_types);

/*
 * Between the two, after syscall_exits__choose(), which has returned way: has any_return see the calls that seccomp refuses, too,
 * which do not run.  Returns what the tool sets its programs' refused_by to (lib/bpf/refused.bpf.h).  The programs of the other ways
 * see these calls without more, those on the functions of 32-bit calls (NAME_exit_32) excepted.  Not for a tool that has a program
 * of its own for them (refusals.h).
 */
struct refused_by syscall_exits__see_refused(struct attach *attach, enum syscall_exits_way way, const enum syscall_id *calls);

/*
 * After load: attaches the programs on functions (any_return, any_call, NAME_exit_32, NAME_enter_32) that are loaded.  The
 * links are the skeleton's. Returns attach->err.
 */
int syscall_exits__attach(const struct bpf_object_skeleton *skeleton, struct attach *attach, const enum syscall_id *calls);

/* Whether a number is that of a call in enum syscall_id, but SYSCALL_NONE. */
bool syscall_exits__is_call(unsigned int number);

/* The call's name as in the architecture's table, "openat" or "umount2": a constant, NULL for SYSCALL_NONE. */
const char *syscall_exits__call_name(enum syscall_id call);

#endif
