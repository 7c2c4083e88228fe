/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The events that a command line asks for:
 *
 *	sched:sched_switch                       every field of a tracepoint
 *	tp:sched:sched_switch(prev_comm, next_comm)
 *	'sched:*wak*'                            all that match, as in a shell
 *	sched_switch                             of any system
 *	rawtp:sched_switch(prev->pid)            a raw tracepoint, its arguments and members of what they point to
 *	k:do_unlinkat(name->name)                calls of a function; k:MODULE:NAME, k:NAME+0x10
 *	kr:do_unlinkat(ret,duration)             the same when they return
 *	sys:unlinkat(pathname)                   a system call that begins, its arguments
 *	sysr:unlinkat(pathname,ret)              one that returns
 *	if 'prev_pid == 0'                       a filter for the event before it; before all events, for all
 *	'sched:sched_switch if prev_pid == 0'    the same in one argument
 */
#ifndef PROBELIGHT_REQUEST_H
#define PROBELIGHT_REQUEST_H

#include <stdbool.h>
#include <stddef.h>

#include "expr.h"
#include "lib/print/fault.h"

#define REQUEST_FIELDS_MAX 64

enum request_source {
	REQUEST_TRACEPOINT,
	REQUEST_RAWTP,		/* the system is "rawtp" */
	REQUEST_CALL,		/* the system is "k": calls of a kernel function */
	REQUEST_CALL_RETURN,	/* "kr": the same when they return */
	REQUEST_SYSCALL,		/* "sys" */
	REQUEST_SYSCALL_RETURN,	/* "sysr" */
	REQUEST_SOURCES
};

struct request {
	enum request_source source;
	char *system, *name;			/* patterns */
	char *fields[REQUEST_FIELDS_MAX];
	size_t fields_count;			/* 0: all */
	char *text;				/* what they and the fields point into */
	const char *filter_text;		/* as it was given, or NULL */
	struct expr *filter;
};

#define REQUESTS_MAX 64

struct requests {
	struct request list[REQUESTS_MAX];
	size_t count;
	const char *filter_text;		/* for all events */
	struct expr *filter;
	bool expects_filter;			/* after "if" */
};

/* Whether it is of functions of the kernel. */
bool request__is_function(enum request_source source);

/* The system of all events of a source, "rawtp"; NULL for tracepoints, which have many. */
const char *request__system(enum request_source source);

/* Takes one argument, which must live as long as requests.  0; -EINVAL with one line in fault, which quotes it; -ENOMEM. */
int requests__take(struct requests *requests, const char *argument, struct fault *fault);

/* After the last one: 0, or -EINVAL where "if" was it. */
int requests__end(const struct requests *requests, struct fault *fault);
void requests__free(struct requests *requests);

/* Whether the event is one of those that the request's patterns mean; has_pattern: whether they may mean several. */
bool request__matches(const struct request *request, const char *system, const char *name);
bool request__has_pattern(const struct request *request);

/* One line: what is wrong with a filter, and where. */
void request__explain(const char *filter, const struct expr_error *error, struct fault *fault);

#endif
