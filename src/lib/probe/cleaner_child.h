/* SPDX-License-Identifier: BSD-2-Clause */
/* Inside of cleaner: what the child process does, and how it is asked. */
#ifndef PROBELIGHT_CLEANER_CHILD_H
#define PROBELIGHT_CLEANER_CHILD_H

#include <stddef.h>
#include <stdint.h>

#include "cleaner.h"

struct cleaner_job {
	int id;
	const struct cleaner_work *work;		/* of the program, which both processes execute */
	size_t size;
	_Alignas(16) unsigned char context[CLEANER_CONTEXT_MAX];
};

/* What it is asked, by messages.  Not by signals: a tool that has dropped its privileges may not send one (lib/run/privileges.c). */
enum cleaner_what {
	CLEANER_MAKE,	/* takes the job, and makes it */
	CLEANER_TAKE,	/* takes a job that was made by an earlier cleaner */
	CLEANER_WORK,
	CLEANER_UNDO,
	CLEANER_DROP,	/* forgets the job */
	CLEANER_SEAL,
	CLEANER_END,
};

struct cleaner_request {
	enum cleaner_what what;
	uint32_t sequence;
	int argument;				/* of CLEANER_WORK */
	struct cleaner_job job;			/* only id, but for the first two; the context's size bytes are sent */
};

struct cleaner_answer {
	int err;
	uint32_t sequence;			/* of the request */
	unsigned char context[CLEANER_CONTEXT_MAX];
};

/* The child's whole life: owner_fd is the owner's pidfd, ask_fd the socket.  Does not return. */
void __attribute__((noreturn)) cleaner_child__run(int owner_fd, int ask_fd);

#endif
