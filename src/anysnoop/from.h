/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * --from INSTANCE|FILE: the events of a recording that is there already: of an instance of tracefs that somebody else made or the boot did
 * (trace_instance=), of the top of tracefs ("/"), or of a trace.dat of trace-cmd, with the formats in the file.
 *
 * A file is only read.  Of a ring buffer the kernel gives records in no other way than by taking them out (trace_pipe_raw), so that is done
 * only where --consume says so; nothing else of the instance is changed.
 */
#ifndef PROBELIGHT_FROM_H
#define PROBELIGHT_FROM_H

#include "lib/format/events.h"
#include "lib/format/raw_record.h"
#include "lib/ftrace/trace_dat.h"
#include "lib/gen/evaluate.h"
#include "lib/gen/plan.h"
#include "lib/run/tool.h"

#define FROM_TYPES 65536	/* of records: their number has 16 bits */

struct from_id {
	char *name;		/* "SYSTEM/NAME" */
	unsigned int id;
};

/* An event of the recording. */
struct from_event {
	struct plan plan;		/* first: from->plans point to it */
	struct evaluate filter;
	const struct format_field *tail;	/* an array without a size that ends its records, or NULL */
};

struct from {
	/* what the command line says */
	const char *name;	/* NULL: --from is not there */
	bool consumes;

	struct requests *requests;	/* the events; none: all */
	/* prints a row, as struct via's; make_room() is called before with the bytes that the row's values may take: 0 or -ENOMEM */
	void (*print)(struct tool *tool, const struct plan *plan, const struct event_task *task, uint32_t cpu, const void *copy);
	int (*make_room)(size_t size);

	bool is_file;
	int fd;
	struct trace_dat dat;
	struct stream stream;
	bool is_open;
	struct saved_names names;
	uint64_t left, overrun;			/* an instance's: records to be read, overwritten ones */
	uint64_t taken, others;			/* records read, those of other events */
	struct events_copy copy;

	struct sources sources;
	struct from_id *ids;	/* of all events, once one is not known */
	size_t ids_count;
	struct plan **plans;
	size_t plans_count;
	const struct plan **by_type;	/* of each type of records; NULL: not known yet, or &none */
	struct plan none;
	const struct plan *last;
	struct raw_record record;
	char *room;		/* for a copy of a record */
	size_t room_size;
	char *opened;		/* for a record whose tail has a u32 before it (format__open_tail()); RECORD_MAX bytes and the u32 */
};

/* At the end of the command line: whether the options go together; else the run ends as bad usage. */
void from__check(struct from *from, const struct tool *tool, bool is_live);

/* Opens the recording, instead of tool__open_opts(): a file needs no rights.  Whether it worked, else tool->err. */
bool from__open(struct from *from, struct tool *tool);

/* Plans the events that are named; those of patterns are planned when their first record comes.  tool->err. */
int from__plan(struct from *from, struct tool *tool);

/* The plan of an event that is alone, for its columns; NULL: there is not one. */
const struct plan *from__only_plan(const struct from *from);

/* As tool__run().  tool->err.  Releases all. */
int from__run(struct from *from, struct tool *tool);

#endif
