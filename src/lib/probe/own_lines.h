/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Events of our own in tracefs' kprobe_events and uprobe_events: who made a line, and removing those of one process or of dead ones.  Both
 * files are only ever appended to: opening one with O_TRUNC removes everybody's events.
 */
#ifndef PROBELIGHT_OWN_LINES_H
#define PROBELIGHT_OWN_LINES_H

#include <stdbool.h>

#include "lib/kernel/owner.h"

/* Opens a file of tracefs to append lines: a descriptor or -errno. */
int own_lines__open(const char *file);

/* The same with other flags of open(2), for the files that go with them. */
int own_lines__open_for(const char *file, int flags);

/* Appends text, some whole lines: by fd, or where that is below 0 by opening the file.  0 or -errno; the lines before a bad one are in. */
int own_lines__append(const char *file, int fd, const char *text);

/* Removes an event of our group by its name: as own_lines__append(), -EBUSY while it is in use. */
int own_lines__remove(const char *file, int fd, const char *name);

/*
 * Removes the events of our group in the file whose owner is `only`, or, where that is NULL, known to be dead.  The number removed, or
 * -errno: of one that cannot be removed where `only` is given, else of reading.
 */
int own_lines__remove_of(const char *file, const struct owner *only);

/* Reads the owner in the name of one of our events ("p1234nf0000004s5a3c_0_do_unlinkat"); false where it is none. */
bool own_lines__owner(const char *name, struct owner *owner);

#endif
