/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Files at the top of tracefs that are one for the whole system, taken for a run: set_graph_function, current_tracer and the like; and
 * the switch of the stack tracer, in /proc/sys.  They are taken only while nobody uses them.
 *
 * As instance.h: a cleaner process gives them back after SIGKILL, and where both were killed the next start does, by a record in
 * run_folder__path().  It has what each file said before, and a digest of what it said after the last write.  A file that says
 * something else by then is somebody else's, and is left alone.  (A list of functions or tasks also changes when a module is unloaded
 * or a task ends, and the kernel raises its maximum: who has had the files until then, and its cleaner, give them back in any case.)
 */
#ifndef PROBELIGHT_FTRACE_LEASE_H
#define PROBELIGHT_FTRACE_LEASE_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/kernel/owner.h"
#include "lib/print/fault.h"

#define LEASE_STACK_TRACER "/proc/sys/kernel/stack_tracer_enabled"
#define LEASE_STACK_MAX "stack_max_size"

struct lease_file {
	/* relative to tracefs, or elsewhere the whole path; NULL: the end of a list.  A kernel that does not have it is no error */
	const char *file;
	const char *idle;	/* all that it says while nobody uses it, without the last newline; NULL: it may say anything */
	const char *restore;	/* what is written to give it back, "": it is emptied; NULL: it is only looked at; or lease_as_before */
	const char *also_idle;	/* another such text, or NULL */
};

/* What it said before: its word in brackets ("[local] global"), or its first line. */
extern const char lease_as_before[];

/* What function_graph reads in all instances, of which set_graph_function can be taken; the texts are those of 5.10 to 7.3. */
extern const struct lease_file lease_graph_files[];

/* As tracefs__read(), of a file by its name in a list. */
int lease__read(const char *file, char **text, size_t *length);

/* Only looks: 0, or -errno with a line in fault, -EBUSY with the first file that is in use and what it says. */
int lease__check(const struct lease_file *files, struct fault *fault);

struct lease {
	const struct lease_file *files;
	const char *folder;	/* of the record: run_folder__path(), or a test's */
	struct owner owner;	/* the process that took it */
	int job;		/* the cleaner's */
	bool held;
};

/*
 * Gives back what a dead process left, and takes the files (a list that a file NULL ends; it must live as long as the lease).  0 or -errno
 * with a line in fault: -EBUSY names what is in use, and what it says.
 */
int lease__take(struct lease *lease, const char *folder, const struct lease_file *files, struct fault *fault);

/* Gives back what a dead process left, if one did. */
void lease__sweep(const char *folder);

/*
 * Gives the files back that still say what was last written.  Works without capabilities, as the cleaner does it.  0 or -errno: what failed
 * is the next start's; a tracer that cannot be stopped (EBUSY: somebody has trace_pipe open) is left with a filter that a machine calls
 * once.  Does nothing with a lease that is not held.
 */
int lease__give_back(struct lease *lease);

/*
 * Replaces what one of the files says (O_TRUNC), or appends to that, and notes it in the record.  0 or -errno of open(2), write(2) or
 * close(2), or of the record.
 */
int lease__write(const struct lease *lease, const char *file, const char *text);
int lease__append(const struct lease *lease, const char *file, const char *text);

/*
 * For who writes into the files without these: before the first write, after which all of the files are given back whatever they say; and
 * once they are as they stay, settled.  0 or -errno.
 */
int lease__note_all(const struct lease *lease, bool settled);

#endif
