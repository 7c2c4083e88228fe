/* SPDX-License-Identifier: BSD-2-Clause */
/* tracefs: where it is mounted, and its files.  The only place that knows its paths. */
#ifndef PROBELIGHT_TRACEFS_H
#define PROBELIGHT_TRACEFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The folder that tracefs is mounted on, or NULL with errno set: ENOENT where it is not mounted, EACCES where this
 * user may not look.  Tries /sys/kernel/tracing (since 4.1), /sys/kernel/debug/tracing, then /proc/self/mounts.  Nothing is
 * mounted.
 * The string is static.
 */
const char *tracefs__mount_point(void);

/* Makes every later call use folder instead (a copy of a tracefs tree); the string must live on.  NULL undoes it. */
void tracefs__use(const char *folder);

/*
 * Writes the path of a file, relative to the mount point, to path: "events/sched/sched_switch/format" gives
 * "/sys/kernel/tracing/events/sched/sched_switch/format".  0, or -errno as of tracefs__mount_point, or -ENAMETOOLONG.
 */
int tracefs__path(char *path, size_t size, const char *relative);

/*
 * Reads a whole file of tracefs, which do not tell their size before (Documentation/trace/ftrace.rst), into a buffer
 * that the caller frees; a 0 byte follows the *size bytes.  0, or -errno; -EFBIG beyond size_max.
 */
int tracefs__read(const char *relative, size_t size_max, char **text, size_t *size);

/* Whether the kernel has an event, given as "SYSTEM/NAME"; false also where tracefs cannot be read. */
bool tracefs__has_event(const char *event);

/*
 * The same where tracefs may not be there: then nobody can tell, and the kernel counts as having the event from the release on that
 * brought it (kernel_version()).
 */
bool tracefs__has_event_since(const char *event, uint32_t release);

/*
 * Whether an event, given as "SYSTEM/NAME", was made at run time (dynamic_events since 5.0, else kprobe_events): a probe, whose use hooks a
 * function.  Events on user space and synthetic ones count, too.  Other processes' events are those of the first call.
 */
bool tracefs__is_made(const char *event);

/*
 * Such an event's kind, the first letter of its line: p and r of a kprobe or uprobe, f of an fprobe, t of a raw tracepoint, e of an event
 * on another event, s of a synthetic one; 0: it was not made.
 */
char tracefs__made_kind(const char *event);

/* One line why tracefs cannot be used, and the way out, for an error of tracefs__mount_point(), or -EROFS of a write; static. */
const char *tracefs__why(int err);

#endif
