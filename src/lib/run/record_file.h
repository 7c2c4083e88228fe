/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A file of records, as --record writes it and `probelight show` reads it: a head, then chunks, each of 8 bytes with its size and kind,
 * and its data, padded to 8 bytes.  All numbers are little-endian, as on all machines that tools run on.
 *
 *	head | about | start | clock | cgroup | event | event … | end
 *
 * A chunk says what holds for the events after it.  A file without `end` is of a run that is not over, or it is cut off.
 */
#ifndef PROBELIGHT_RECORD_FILE_H
#define PROBELIGHT_RECORD_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/kernel/cgroups.h"
#include "lib/print/fault.h"
#include "tally.h"

#define RECORD_FILE_MAGIC "\x89PLrec\r\n"	/* 8 bytes; what changes line ends or drops a bit breaks it */
#define RECORD_FILE_FORMAT 1			/* of what is below */

struct record_head {
	char magic[8];
	uint32_t format;
	uint32_t reserved;
};

enum record_kind {
	RECORD_EVENT,		/* as the programs sent it */
	RECORD_ABOUT,		/* struct record_about_run */
	RECORD_OPTION,		/* struct record_option and its value: an option of the tool's own that says how to read events */
	RECORD_START,		/* the start record of JSON, text */
	RECORD_CLOCK,		/* int64_t: CLOCK_REALTIME - CLOCK_MONOTONIC */
	RECORD_CGROUP,		/* uint64_t id, and the names of struct cgroup_names, each "\1NAME\0" or "\0" */
	RECORD_END,		/* struct record_end: nothing comes after it */
	RECORD_AGAIN,		/* an event of the task of the event before: its time, then what follows struct event_task */
	RECORD_KINDS
};

struct record_chunk {
	uint32_t size;		/* of the data without padding */
	uint32_t kind;		/* enum record_kind */
};

#define RECORD_SIZE_MAX (1 << 20)

struct record_about_run {
	char tool[32];
	char version[32];	/* of probelight */
	char host[72];		/* the machine's name */
	uint32_t layout;	/* of the tool's records: the checksum of the headers that say what is in them */
	uint32_t reserved;
	uint64_t begin_ns;	/* CLOCK_MONOTONIC */
};

struct record_option {
	int32_t key;		/* as of argp */
	uint32_t has_value;	/* which follows, ended by a 0 byte */
};

/* What of struct tally is known when the run is over. */
struct record_count {
	uint64_t value;
	uint32_t kind;		/* enum count_kind */
	uint32_t reserved;
	char why[96]; 		/* "": no reason is given */
};
struct record_end {
	struct record_count lost, filtered, missed;
	uint64_t no_room, unread;
};

/* ---- reading */

struct record_reader {
	int fd;
	char *buffer;		/* what was read and not taken */
	size_t room, used, at;
	bool has_head, at_end;
	uint64_t offset;	/* in the file, of what is next */
};

/*
 * The next chunk, after the head, which it checks first; *data, aligned to 8 bytes, is valid until the next call.  1; 0: the file ends
 * here, between two chunks; or -errno with a line in fault: what is read next is no such file, of another format (-EPROTO), damaged
 * (-EBADMSG) or cut off (-ENODATA).
 */
int record_reader__next(struct record_reader *reader, struct record_chunk *chunk, const void **data, struct fault *fault);

/* Frees the buffer; the descriptor is the caller's. */
void record_reader__free(struct record_reader *reader);

/* ---- what is in chunks */

/* A text of a fixed size: whether it ends within it. */
bool record__is_text(const char *text, size_t size);

/* Whether it has printable ASCII alone, which a terminal takes as it is. */
bool record__is_printable(const char *text, size_t size);

/* Writes the data of RECORD_CGROUP to a buffer of RECORD_CGROUP_MAX bytes.  Its size. */
#define RECORD_CGROUP_MAX (8 + 8 * 4200)
size_t record__put_cgroup(char *to, uint64_t id, const struct cgroup_names *names);

/* The other way: names point into data.  Whether it is whole. */
bool record__get_cgroup(const char *data, size_t size, uint64_t *id, struct cgroup_names *names);

/* Whether a run's events are those that a tool with this layout reads. */
bool record__is_layout(const struct record_about_run *run, uint32_t layout);

struct record_end record__end_of(const struct tally *tally);

/* The other way.  false: it is damaged.  The reasons in tally point into end. */
bool record__tally_of(const struct record_end *end, struct tally *tally);

/* Whether a text can be what RECORD_START has: a JSON object on a line, printable. */
bool record__is_start(const char *text, size_t size);

#endif
