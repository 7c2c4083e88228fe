/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An instance of tracefs (Documentation/trace/ftrace.rst, "Instances"): a directory with ring buffers, a tracer and filters of its
 * own, so that nobody else's tracing is disturbed.
 *
 * The kernel keeps it when the process is gone, with its tracer on.  So its name has its owner in it
 * ("probelight.1234nf0000004s5a3c.0", kernel/owner.h), and there are three nets: instance__remove(), a cleaner process for an end
 * without it, SIGKILL included, and leftovers.h at the next start for where both were killed.
 */
#ifndef PROBELIGHT_INSTANCE_H
#define PROBELIGHT_INSTANCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/print/fault.h"

/* A filter for a tracer that must trace next to nothing: an empty one would be all functions, and a machine calls this one once. */
#define INSTANCE_IDLE_FILTER "kernel_power_off\n"

struct instance {
	char path[96];		/* relative to tracefs: "instances/probelight.1234nf0000004s5a3c.0"; "": none is made */
	int job;		/* the cleaner's; 0: none */
	bool has_clock;		/* instance__set_clock() */
	bool sets_clock;	/* instance__begin_clock() */
	int tracer_fd, events_fd;	/* instance__hold(); -1: not open.  They mean nothing while path is "" */
};

/*
 * Makes one, whose ring buffers have buffer_kb for each CPU (0: the kernel's choice, 1.4 MB).
 * 0 or -errno: -ENOENT without tracefs or without instances in it, -EACCES, -EROFS, -ENOMEM.
 */
int instance__make(struct instance *instance, unsigned int buffer_kb);

/*
 * Has records stamped with CLOCK_MONOTONIC, and drops those that are there.  The kernel waits for two grace periods meanwhile
 * (tracing_set_clock()): 45 M instructions of a guest that counts, on 6.1 and 6.12.  instance__begin_clock() lets the cleaner do it while
 * this process goes on; open(2) of a file of any instance waits until it is done, so what is needed should be open before.  0 or -errno.
 * Does nothing where it is set, or with the top of tracefs.
 */
void instance__begin_clock(struct instance *instance);
int instance__set_clock(struct instance *instance);

/*
 * Stops its tracer and removes it.  Whoever has a file of it open must close that first; where another process has one, the kernel
 * says EBUSY: it traces next to nothing from then on, and the next start removes it.  Works without capabilities, as the cleaner
 * does it.  0 or -errno.  Does nothing with one that is not made.
 */
int instance__remove(struct instance *instance);

/*
 * instance__make() and instance__remove() call these; for the top of tracefs (top_level.h).  The files that stop tracers and
 * events are held open, as this process may later open none for writing.  They are written before they are closed, at the top
 * only where somebody has killed the cleaner: no hook stays, also where the cleaner, which alone can remove an instance then,
 * has no time left to do so.  The next start removes the rest.
 */
void instance__hold(struct instance *instance);
void instance__let_go(struct instance *instance);

/* The path of a file of it, relative to tracefs, as tracefs__read() takes it; in one of four static buffers. */
const char *instance__file(const struct instance *instance, const char *file);

/* Replaces what a file of it says (O_TRUNC), or appends to that.  0 or -errno of open(2), write(2) or close(2). */
int instance__write(const struct instance *instance, const char *file, const char *text);
int instance__append(const struct instance *instance, const char *file, const char *text);

/*
 * Starts a tracer that hooks functions, between arming__begin() and arming__end(); -errno, with a line in fault: WHAT and the error, or
 * that function hooks are switched off.  Stops whatever tracer runs.
 */
int instance__start_tracer(const struct instance *instance, const char *tracer, const char *what, struct fault *fault);
int instance__stop_tracer(const struct instance *instance);

/* As tracefs__read(), of a file of it. */
int instance__read(const struct instance *instance, const char *file, size_t size_max, char **text, size_t *size);

/* Opens a file of it: a file descriptor for close(), or -errno. */
int instance__open(const struct instance *instance, const char *file, int flags);

/*
 * Writes to such a file and closes it.  Some look at what was written when they are closed (set_ftrace_filter), so that error counts too.
 * 0 or -errno of write(2) or close(2).
 */
int instance__write_to(int fd, const char *text);

/*
 * Its function tracers record the calls of these threads alone, numbers of the initial pid namespace; of all where count is 0.  What the
 * others call costs them a tenth of what a record costs.  0 or -errno.
 */
int instance__only_tids(const struct instance *instance, const uint32_t *tids, size_t count);

/*
 * Its function tracers record no calls of this thread from now on, so that reading does not make more to be read.  Returns the thread's
 * number in records, by which the reader can leave out what is recorded all the same; 0: not known, in a pid namespace.
 */
pid_t instance__leave_out_self(const struct instance *instance);

/* Whether instances can be looked at: 0, or -errno, as instance__make() fails. */
int instances__check(void);

/*
 * Removes the instances of ours whose owner is dead (leftovers.h calls it).  One that somebody has a file of open stays as
 * it is.  Returns their number, or -errno.
 */
int instance__sweep(void);

#endif
