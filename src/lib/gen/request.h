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
 *	k:do_unlinkat+0x19(%di,n=+8(%sp):u32)    fields in the grammar of the kernel's own probes (lib/format/fetch.h)
 *	k:0xffffffff81234567                     a probe at an address
 *	kr:do_unlinkat(ret,duration)             the same when they return; also k:do_unlinkat%return
 *	kr1000:do_unlinkat                       with room for so many calls at the same time
 *	w:SYMBOL:4:rw(value,ip)                  accesses to the kernel's memory (lib/format/watch.h)
 *	lsm:file_open(file->f_flags)             a hook of the security modules
 *	u:libc.so.6:getenv(char *name)           calls of a function of a program or library: u:TARGET:FUNCTION[+OFFSET]
 *	ur:bash:readline(char *ret,duration)     the same when they return
 *	usdt:libstdc++.so.6:throw                a probe that a program or library has: usdt:TARGET:[PROVIDER:]NAME
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
#define REQUEST_SLOTS_MAX 4096	/* KRETPROBE_MAXACTIVE_MAX, kernel/trace/trace_kprobe.c */

enum request_source {
	REQUEST_TRACEPOINT,
	REQUEST_RAWTP,		/* the system is "rawtp" */
	REQUEST_CALL,		/* the system is "k": calls of a kernel function */
	REQUEST_CALL_RETURN,	/* "kr": the same when they return */
	REQUEST_SYSCALL,		/* "sys" */
	REQUEST_SYSCALL_RETURN,	/* "sysr" */
	REQUEST_WATCH,		/* "w": accesses to a place in the kernel's memory */
	REQUEST_LSM,		/* "lsm": a hook of the security modules */
	REQUEST_USER,		/* "u": calls of a function of a program or library; the name is TARGET:FUNCTION[+OFFSET] */
	REQUEST_USER_RETURN,	/* "ur" */
	REQUEST_USDT,		/* "usdt": probes that programs have; the name is TARGET:[PROVIDER:]NAME */
	REQUEST_SOURCES
};

struct request {
	enum request_source source;
	const char *system, *name;		/* patterns */
	char *fields[REQUEST_FIELDS_MAX];
	char *types[REQUEST_FIELDS_MAX];	/* of functions of programs, where a field was declared: "char *"; or NULL */
	size_t fields_count;			/* 0: all */
	unsigned int slots;			/* of a return: how many calls at the same time; 0: as many as there usually are */
	char *place;				/* what a number became: name points into it; or NULL */
	char *text;				/* what they and the fields point into */
	const char *operands;			/* of a probe's place: where it has its arguments (usdt_operand.h); or NULL */
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

/* The same of programs and libraries.  request__function(): the name of the function, which a target stands before. */
bool request__is_user(enum request_source source);
const char *request__function(const struct request *request);

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
