/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where events come from: tracepoints with their format files, raw tracepoints and calls of functions with the kernel's BTF, system calls
 * with their numbers.
 */
#ifndef PROBELIGHT_SOURCE_H
#define PROBELIGHT_SOURCE_H

#include "lib/format/rawtps.h"
#include "lib/print/fault.h"
#include "request.h"
#include "syscall.h"

struct kfuncs;
struct kfuncs_places;

/* Where the context of a call that has returned (lib/shared/returned.h) has the values. */
extern const struct kfuncs_places returned_places;

/* What was read of each; filled when it is needed.  Zeroed at first. */
struct sources {
	const char *rawtp_names[RAWTPS_NAMES_MAX];	/* announced */
	size_t rawtp_names_count;
	struct rawtps *rawtps;
	struct kfuncs *kfuncs;
	struct syscall_hooks syscalls;
	bool knows_syscalls;	/* these places were read */
	bool opens_tails;	/* events' formats are for records with an opened tail (format__open_tail()) */
};

void sources__free(struct sources *sources);

/*
 * Announces an event whose format will be asked for: what is read for one is then read once for all.  The name lives as long as sources.
 * 0 or -ENOMEM.
 */
int sources__expect(struct sources *sources, enum request_source source, const char *name);

/*
 * Not for calls of functions (anysnoop/call_events.h).  Calls found(context, system, name) for each event that the request's
 * patterns match, until it returns something else than 0.  *any: whether there was one.  What found() returned, or -errno
 * with one line in fault.
 */
int sources__match(struct sources *sources, const struct request *request,
		   int (*found)(void *context, const char *system, const char *name),
		   void *context, bool *any, struct fault *fault);

/*
 * An event's fields, with the members among the names that are asked for (others do not matter here).  0 and *format, freed by
 * format__free(); -errno with one line in fault.
 */
int sources__format(struct sources *sources, enum request_source source, const char *system, const char *name, const char *const *names,
		    size_t count, struct format **format, struct fault *fault);

/* Where programs find system calls. 0, or -errno with one line in fault. */
int sources__need_syscalls(struct sources *sources, struct fault *fault);

/* Whether the event makes programs on it run without an end; fault says so in one line. */
bool source__refuses(enum request_source source, const char *name, struct fault *fault);

#endif
