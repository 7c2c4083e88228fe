/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whether a tracer, or an instance of tracefs, still is as we have set it up.  Files of tracefs belong to whoever writes them last: a
 * trace-cmd that fails clears tracing_on, "echo > set_ftrace_filter" hooks all functions, "echo > trace" empties the buffers and the
 * kernel's counts of them.  Nothing of that is told to us, and the run would go on with numbers that are wrong.  So what the files say is
 * kept, and compared while the tracer runs.
 *
 *	intact__begin(&intact, instance, &stream);
 *	intact__add(&intact, "set_ftrace_filter");	once it is written
 *	intact__add_text(&intact, "tracing_on", "1\n");
 *	intact__check(&intact, fault);		while it runs
 *	intact__finish(&intact);			before we switch it off ourselves; intact__check() then has the last word
 *
 * A change that is taken back between two looks is not seen, nor buffers that are emptied before anything was read of them.
 */
#ifndef PROBELIGHT_FTRACE_INTACT_H
#define PROBELIGHT_FTRACE_INTACT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "instance.h"
#include "lib/kernel/hash.h"
#include "lib/print/fault.h"
#include "stream.h"

#define INTACT_FILES 16
#define INTACT_TEXT_MAX (64 << 10)	/* a longer file is compared up to there: 2,500 functions, 8 M instructions */

struct intact_file {
	char name[96];
	uint64_t hash;			/* of its text */
};

struct intact {
	const struct instance *instance;	/* NULL: nothing is known, and all is well */
	const struct stream *stream;		/* or NULL */
	bool has_hooks;				/* it is nothing while kernel.ftrace_enabled is 0 */
	struct intact_file files[INTACT_FILES];
	size_t files_count;
	uint64_t given;			/* stream's records when it began, those that the kernel counts as read */
	uint64_t until_ns;		/* CLOCK_MONOTONIC: up to then nobody had changed it */
	bool is_finished;
	struct fault fault;		/* -ESTALE: somebody has changed it; stays */
	struct hash known;		/* addresses, without a value */
	uint64_t last;			/* the address that was asked for last */
};

/*
 * From now on; stream: the instance's that is being read, or NULL.  The instance and the stream must live on until
 * intact__end(), which frees all but what was found.
 */
void intact__begin(struct intact *intact, const struct instance *instance, const struct stream *stream);
void intact__end(struct intact *intact);

/* Keeps what a file of the instance says now; one that is not there, or that we may not read, is left out.  0 or -errno. */
int intact__add(struct intact *intact, const char *file);

/* Keeps what a file will say while it is intact.  0 or -ENOSPC. */
int intact__add_text(struct intact *intact, const char *file, const char *text);

/* Keeps all that decides which calls a function tracer records and when: it is started, and its files are written.  0 or -errno. */
int intact__add_tracer(struct intact *intact);

/* The same for function_graph, beside intact__add_tracer(): what it obeys besides.  0 or -errno. */
int intact__add_graph(struct intact *intact);

/* Compares.  0, or -ESTALE, then and for ever after, with a line in fault. */
int intact__check(struct intact *intact, struct fault *fault);

/* Compares once more; what is read later was recorded by now. */
void intact__finish(struct intact *intact);

/* As intact__knows(), for an address that was not the last one. */
bool intact__look_up(struct intact *intact, uint64_t address, uint64_t time_ns);

/*
 * Whether a record's function is one of those that are traced for us.  An address that comes for the first time is, if the files are as
 * they were after the time of its record (CLOCK_MONOTONIC).  If not, it is somebody else's, and intact__check() says so.
 */
static inline bool intact__knows(struct intact *intact, uint64_t address, uint64_t time_ns)
{
	return address == intact->last || !intact->instance || intact__look_up(intact, address, time_ns);
}

#endif
