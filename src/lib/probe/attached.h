/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What this process has hooked beside attach.h's functions, for the start record: tracepoints, places of programs, perf events, the
 * kernel's tracers.  Whoever attaches notes it.  From these notes tests/environments.sh derives which tools a machine refuses.
 *
 *	raw_tp, tp, …	a program's section, and its event
 *	uprobe, uretprobe	and the file
 *	perf_event	and its name; with a program or without
 *	timer		a perf event on each CPU, and the kernel's function that it calls: programs know it by its address
 *	kprobe.multi, …	one link on many functions, of which it has the number
 *	tracer		one of ftrace's, whose records the tool reads
 */
#ifndef PROBELIGHT_ATTACHED_H
#define PROBELIGHT_ATTACHED_H

#include <stdbool.h>
#include <stddef.h>

/* Whether each is said when it is noted, too (-v). */
void attached__say(bool wanted);

/* program: NULL for what needs none; event: NULL for what has no name.  Without memory the list stays without it. */
void attached__note(const char *program, const char *kind, const char *event);

/* The same for a kind that is not ended by a 0 byte. */
void attached__note_kind(const char *program, const char *kind, size_t kind_length, const char *event);

/* Objects {"program":…,"kind":…,"event":…} with a comma before each, or "".  Until the next call of the others. */
const char *attached__json(void);

void attached__free(void);

#endif
