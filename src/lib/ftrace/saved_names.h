/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of tasks by their numbers, out of the text of tracefs' saved_cmdlines ("PID COMM" lines), which is not believed. */
#ifndef PROBELIGHT_FTRACE_SAVED_NAMES_H
#define PROBELIGHT_FTRACE_SAVED_NAMES_H

#include <stddef.h>
#include <stdint.h>

struct saved_name {
	uint32_t tid;
	const char *comm;
};

struct saved_names {
	char *text;
	struct saved_name *list;	/* by number */
	size_t count;
};

/* Takes the text, size bytes from malloc() and a 0 byte behind them, and frees it.  0 or -ENOMEM. */
int saved_names__take(struct saved_names *names, char *text, size_t size);
void saved_names__free(struct saved_names *names);

/* A task's name, or NULL. */
const char *saved_names__find(const struct saved_names *names, uint32_t tid);

#endif
