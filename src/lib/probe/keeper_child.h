/* SPDX-License-Identifier: BSD-2-Clause */
/* Inside of keeper: what the child process does, and how it is asked. */
#ifndef PROBELIGHT_KEEPER_CHILD_H
#define PROBELIGHT_KEEPER_CHILD_H

#include <stddef.h>
#include <stdint.h>

#include "keeper.h"

struct keeper_job {
	int id;
	const struct keeper_work *work;		/* of the program, which both processes execute */
	size_t size;
	_Alignas(16) unsigned char context[KEEPER_CONTEXT_MAX];
};

/* What it is asked, by messages.  Not by signals: a tool that has dropped its privileges may not send one (lib/run/privileges.c). */
enum keeper_what {
	KEEPER_MAKE,	/* takes the job, and makes it */
	KEEPER_TAKE,	/* takes a job that was made by an earlier keeper */
	KEEPER_WORK,
	KEEPER_UNDO,
	KEEPER_DROP,	/* forgets the job */
	KEEPER_SEAL,
	KEEPER_END,
};

struct keeper_request {
	enum keeper_what what;
	uint32_t sequence;
	int argument;				/* of KEEPER_WORK */
	struct keeper_job job;			/* only id, but for the first two; the context's size bytes are sent */
};

struct keeper_answer {
	int err;
	uint32_t sequence;			/* of the request */
	unsigned char context[KEEPER_CONTEXT_MAX];
};

/* The child's whole life: owner_fd is the owner's pidfd, ask_fd the socket.  Does not return. */
void __attribute__((noreturn)) keeper_child__run(int owner_fd, int ask_fd);

#endif
