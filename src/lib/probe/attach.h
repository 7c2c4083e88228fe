/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Programs attached to kernel functions, in every way that the kernel offers.  A tool that has probes:
 *
 *	static const char *const functions[] = { "do_unlinkat", "filename_unlinkat", NULL };
 *	static struct attach attach;
 *
 *	attach__prepare(&attach, skel->obj);			before load
 *	...
 *	attach__kprobe(&attach, skel->progs.unlink_entry, &skel->links.unlink_entry, functions);
 *	attach__ksyscall(&attach, skel->progs.kill_exit, &skel->links.kill_exit, "kill");
 *	if (attach.err)						the first error sticks, later calls do nothing
 *		... attach.error
 *	attach__before_detach(&attach);
 *	NAME_bpf__destroy(skel);				the links are the skeleton's
 *	attach__end(&attach);					after that, on every path
 *
 * Programs stand in the sections "kprobe", "kretprobe", "ksyscall" and "kretsyscall" (no name behind, so that libbpf
 * does not attach them itself); which of them are for returns is read from there.
 */
#ifndef PROBELIGHT_ATTACH_H
#define PROBELIGHT_ATTACH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <bpf/libbpf.h>

#include "funcname.h"
#include "lib/print/fault.h"

enum attach_mode {
	/*
	 * For entries link, else perf, else legacy.  For returns link, else legacy, else perf: a line in kprobe_events
	 * can ask for slots, and tells its misses, where perf has one slot for each CPU (5.10: 8 processes that removed
	 * files on 2 CPUs had 423 of 4,000 returns missed by perf, none by legacy).  multi where the kernel has no
	 * kprobe events at all.  Never fentry by itself:
	 * libbpf parses the kernel's BTF for it, 60 M instructions at start against 0.6 M, to save 230 of the 600
	 * that an event costs (6.1).  Nor multi for one function: the kernel walks all symbols for a name before 7.0, and
	 * detaching waits longer (6.12: 370 M against 47 M), to save 100 of 360.  For many there is attach__all(), and for kernels
	 * from 7.0 on attach__prefer_link_of_many().
	 */
	ATTACH_AUTO,
	ATTACH_LINK,	/* BPF perf link on an event of the kprobe PMU, since 5.15 */
	ATTACH_PERF,	/* the same event, the program set by ioctl, since 4.17 */
	ATTACH_LEGACY,	/* a line in kprobe_events, the event of its tracepoint */
	ATTACH_MULTI,	/* kprobe.multi link, since 5.18 with CONFIG_FPROBE */
	ATTACH_FENTRY,	/* BPF trampoline, where the tool brings a program for it */
};

/* How one program was attached. */
struct attach_probe {
	const char *program;		/* its name; the object's */
	bool is_return;
	enum attach_mode mode;
	char function[FUNCNAME_MAX];	/* as the kernel has it: "do_unlinkat", "vfs_read.isra.0", "ext4:ext4_sync_file" */
	char why[256];			/* why no better mode, and what else is odd; "": nothing to say */
};

struct attach_address {
	const char *function;
	uint64_t address;		/* 0: it is not known */
};

struct attach {
	enum attach_mode wanted;	/* --attach */
	/*
	 * The names come from the user: a second function of that name is an error.  Names are looked up before the first
	 * try where the kernel silently takes the first function: shared_names__are_refused() tells for probes, and in mode multi
	 * it always does.
	 */
	bool check_names;

	/*
	 * The programs only count, so that one on a function the compiler has changed will do: FUNC.isra.0 and FUNC.constprop.0
	 * have other parameters than FUNC, FUNC.part.0 is a part of it.  Otherwise a program at an entry is taken to read
	 * arguments, and one at a return to see all returns.
	 */
	bool only_counts;

	bool at_return;			/* attach__kprobe() is for the return, of a program whose section does not tell */

	/*
	 * Asked before a link is attached in mode multi by attach__kprobe() or attach__all(): 0, or -errno with a line in
	 * why: it could harm the kernel.  has_substitute: the work can be done without the link.  NULL: nobody is asked.  It
	 * is the frame's, as it needs rooms that this one may not use (lib/run/return_conflict.h).
	 */
	int (*may_link)(void *tool, bool at_returns, bool has_substitute, struct fault *fault);
	void *tool;			/* its first argument */

	/*
	 * One more function for attach__all(), whose program tells it from the others by its address: its link gets it, but not an
	 * event in the link's place, which cannot tell.  NULL: none.  Where the function was not taken, attach__all() sets it to NULL.
	 */
	const char *also;

	/* Addresses of functions that attach__all() may need, as asked before, a name each; others it asks for.  The caller's. */
	const struct attach_address *known;
	size_t known_count;

	int err;			/* the first error, -errno; then nothing more is attached */
	char error[1024];		/* and what to tell the user, without the tool's name */

	struct attach_probe *probes;	/* those that are attached, in the order of the calls */
	size_t probes_count;

	/* the rest is attach.c's */
	size_t links_count;
	bool kprobes_work;		/* they are not switched off */
	bool holds_switch;		/* disarming__begin() */
	size_t probes_before;		/* probes_count at attach__begin() */
};

/* What --attach takes, for --help, and its reading: 0 or -EINVAL. */
#define ATTACH_MODES "auto, link, perf, legacy, multi, fentry"
int attach_mode__parse(const char *text, enum attach_mode *mode);
const char *attach_mode__name(enum attach_mode mode);

/*
 * Before load: readies the object's programs for the wanted mode
 * (kprobe.multi and fentry are decided at load time).  In mode fentry the programs on kprobes are not loaded; in all
 * others those that attach__fentry_target() was told of are not.  Returns attach->err.
 */
int attach__prepare(struct attach *attach, struct bpf_object *object);

/*
 * Before attach__prepare: a program in section "fentry" or "fexit" (with "?" before, not to be loaded by itself) that
 * can do the work of kprobe programs on the first of functions that the kernel's BTF has.  Does something in mode
 * fentry only.  Returns attach->err.
 */
int attach__fentry_target(struct attach *attach, struct bpf_program *program, const char *const *functions);

/*
 * The same for a program in section "fentry_id" or "fexit_id" and a function that is known by its id in the kernel's BTF: libbpf does
 * not read that BTF then (tracing.h).  Does something in every mode.
 */
int attach__fentry_id(struct attach *attach, struct bpf_program *program, const char *function, uint32_t id);

/*
 * After load: attaches program to the first of functions (ended by NULL) that the kernel has and lets be probed.  Each
 * is "[MODULE:]FUNC[+OFFSET]".  One that the compiler has renamed (FUNC.isra.0) is found too, where that does no harm (only_counts).  *link
 * is set on success, and the caller's.  A program that is not loaded is skipped.  Returns attach->err.
 */
int attach__kprobe(struct attach *attach, struct bpf_program *program, struct bpf_link **link,
		   const char *const *functions);

/*
 * The same for a program in section "kprobe.multi" or "kretprobe.multi", on all of the functions by one link, which must
 * all be there (of attach->also it may do without).  Where the kernel or attach->may_link refuses that link, one event of mode
 * legacy takes its place.  Only where attach__may_all(), which is for before load: since 5.18 with CONFIG_FPROBE, and unless the
 * user wants another mode.
 */
int attach__all(struct attach *attach, struct bpf_program *program, struct bpf_link **link, const char *const *functions);
bool attach__may_all(const struct attach *attach);

/*
 * Before load: from 7.0 on attach__kprobe() attaches the program, in section "kprobe", by such a link, to all of its functions, where
 * attach__may_all().  On 7.3 a call costs 248 instructions with it and 325 with an event, and the end 6.4 M instead of 22 M.
 */
void attach__prefer_link_of_many(const struct attach *attach, struct bpf_program *program);

/* The same for the function of a system call, by the call's name. */
int attach__ksyscall(struct attach *attach, struct bpf_program *program, struct bpf_link **link, const char *syscall);

/* The same for a program of attach__fentry_target(). */
int attach__fentry(struct attach *attach, struct bpf_program *program, struct bpf_link **link);

/*
 * The same for a program that the tool can do without.  An error does not stick to attach->err: it is returned, and set
 * in fault.  After another call has failed they return attach->err, and the fault's text is "".
 */
int attach__optional(struct attach *attach, struct bpf_program *program, struct bpf_link **link,
		     const char *const *functions, struct fault *fault);

/*
 * Before the links are destroyed: detaching while kernel.ftrace_enabled is 0 damages the kernel (lib/kernel/switches.h), so
 * the switch is set until attach__end().  Returns 0 where it was set, or nothing is attached; 1 where it was not, and events
 * were not seen; -errno where it is off and cannot be written: attach__await_switch() returns when somebody has set it.
 *
 * Not covered: a process that is killed while the switch is off, and a switch that is cleared while the links are being
 * destroyed.
 */
int attach__before_detach(struct attach *attach);
void attach__await_switch(struct attach *attach);

/* Removes what is outside of the process.  The links must be destroyed already.  attach may be all zeros. */
void attach__end(struct attach *attach);

/*
 * One line on a probe, for -v: "unlink_entry: kprobe on do_unlinkat, mode perf (link: no BPF perf link before Linux
 * 5.15)".
 */
void attach_probe__describe(const struct attach_probe *probe, char *line, size_t size);

/*
 * A member of the JSON start record: ,"probes":[{"program":…,"kind":…,"function":…,"mode":…,"why":…}]; the caller frees it.
 * NULL without memory.
 */
char *attach__json(const struct attach *attach);

#endif
