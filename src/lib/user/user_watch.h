/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Files that are written to while their code is probed.  The kernel puts its breakpoints at the old places into each process that
 * executes the file later, and the new code dies of them: so everything is detached at once, in the handler of SIGIO.  Package managers
 * do not write to files but rename others over them: the old inode stays as it is, and is executed by those alone that have it already,
 * which is told.
 */
#ifndef PROBELIGHT_USER_WATCH_H
#define PROBELIGHT_USER_WATCH_H

#include <stdbool.h>

#include "user_attach.h"

/*
 * From now on, before privileges are dropped: a write to the target's file closes all of links, which live until the end, and ends the run
 * as SIGINT does.  0, or -errno of inotify(7).
 */
int user_watch__add(const struct user_target *target, struct user_links *links);

/*
 * A write is to call this, too, in the signal's handler: it detaches what is no link (lib/ftrace/recorder.h, lib/perf/sampler.h).  NULL:
 * nothing.
 */
void user_watch__set_cut(void (*cut)(void));

/* Whether that has happened. */
bool user_watch__has_fired(void);

/* Whether, since the last call, a file may have been replaced. */
bool user_watch__has_changed(void);

/*
 * Says of each file once that another one has its name now, or that it was removed, and that the process of the links has lost its first
 * thread (user_links__has_lost_process()); at most to a stderr that takes it.  otherwise: what becomes of processes that execute the
 * other file, "are not traced".
 */
void user_watch__tell(const char *otherwise);

#endif
