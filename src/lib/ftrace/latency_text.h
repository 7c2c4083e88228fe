/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the file `trace` of an instance says while one of the kernel's latency tracers runs in it (print_trace_header() in
 * kernel/trace/trace.c): the longest section.  Names of tasks in it are untrusted bytes, and so is the whole text here.
 */
#ifndef PROBELIGHT_FTRACE_LATENCY_TEXT_H
#define PROBELIGHT_FTRACE_LATENCY_TEXT_H

#include <stddef.h>
#include <stdint.h>

#define LATENCY_NAME_SIZE 256
#define LATENCY_STACK_SIZE 8192
#define LATENCY_FUNCTIONS_SIZE 65536

struct latency_text {
	uint64_t us;
	uint32_t cpu;
	uint32_t tid, uid;			/* as in the initial namespaces */
	char comm[17];				/* untrusted, with a 0 byte behind it */
	char from[LATENCY_NAME_SIZE];		/* "function", "module:function" */
	char to[LATENCY_NAME_SIZE];
	/* "function+0x1a", the innermost first, each ended by a 0 byte */
	char stack[LATENCY_STACK_SIZE];
	size_t stack_size;
	/* "function@12us": the time since the section began; likewise */
	char functions[LATENCY_FUNCTIONS_SIZE];
	size_t functions_size;
	uint64_t functions_more;		/* that found no room, here or in the kernel's buffer */
};

/* length bytes of text.  0, -ENODATA where there is no section in it, or -EINVAL. */
int latency_text__parse(struct latency_text *latency, const char *text, size_t length);

#endif
