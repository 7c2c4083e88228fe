/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads a trace.dat of trace-cmd, version 6 or 7: trace-cmd.dat.v6(5), trace-cmd.dat.v7(5).  It has the pages of ring buffers as the kernel
 * gave them, and what describes them: events/header_page, the format files of its events, the names of tasks.
 *
 * The bytes are not believed.  What is no such file is an error; one that ends too early gives what is there, and is_cut.
 */
#ifndef PROBELIGHT_FTRACE_TRACE_DAT_H
#define PROBELIGHT_FTRACE_TRACE_DAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/print/fault.h"
#include "page.h"
#include "saved_names.h"
#include "stream.h"

/* Where the bytes are: reads up to size of them; how many, fewer only at the end, or -errno. */
struct trace_dat_bytes {
	int64_t (*read_at)(void *ctx, uint64_t offset, void *to, size_t size);
	void *ctx;
};

struct trace_dat_event {
	char *name;		/* "SYSTEM/NAME" */
	char *text;		/* the format file, size bytes and a 0 byte */
	size_t size;
	unsigned int id;
};

/* The pages of one CPU of one buffer. */
struct trace_dat_lane {
	uint32_t cpu;
	uint64_t at, end;	/* in the file, of those that were not read yet */
	uint32_t page_size;
	uint8_t *bytes;		/* room for a page, once there was one */
	struct page page;
	bool has_record;
	struct page_record record;
	bool lost_some;		/* before the record */
	uint64_t lost;
};

struct trace_dat {
	struct trace_dat_bytes bytes;
	struct page_layout layout;
	struct trace_dat_event *events;
	size_t events_count;
	size_t text_size;	/* of all of them */
	struct saved_names names;
	struct trace_dat_lane *lanes;
	size_t lanes_count;
	char clock[16];		/* the trace_clock of its times; "": it does not say */
	bool is_cut;		/* the file ends before its last page */
	uint64_t broken;	/* pages that were not understood, from where they were not */
};

/*
 * Reads all but the pages.  0, or -errno with one line in fault: -EINVAL for what is no such file, -EOPNOTSUPP for what is compressed, of
 * big-endian or 32-bit machines.  trace_dat__close() takes one that failed, too.
 */
int trace_dat__open(struct trace_dat *dat, const struct trace_dat_bytes *bytes, struct fault *fault);
void trace_dat__close(struct trace_dat *dat);

/* The next record in the order of time: 1, 0 at the end, or -errno.  Its data is valid until the next call. */
int trace_dat__next(struct trace_dat *dat, struct stream_record *record);

/*
 * A file of tracefs as the recording has it, as tracefs__read(): "available_events" (those of the file) and "events/SYSTEM/NAME/format".  0 or
 * -errno, -ENOENT for others.
 */
int trace_dat__read(const struct trace_dat *dat, const char *relative, size_t size_max, char **text, size_t *size);

#endif
