/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rows on a file descriptor, as an aligned table or as NDJSON.  A column table drives header, alignment, JSON keys
 * and types.  Formatting is by hand into one buffer and there is one write for a batch: printf and a write per row
 * would cost more than the event itself.
 *
 * A row is out__row(), one value per column in the table's order, out__end().  Text output skips the columns that
 * are not shown; JSON has all of them, so that a script does not depend on display options.
 */
#ifndef PROBELIGHT_OUT_H
#define PROBELIGHT_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A column; a table of them ends with one that has no name. */
struct out_column {
	const char *name;	/* as in the header */
	int width;		/* characters, negative: left-aligned; longer values push the line, nothing is cut */
	const bool *shown;	/* NULL: always; otherwise asked when the header is printed (JSON has it always) */
	const char *key;	/* in JSON; NULL: the name in lower case */
};

/* out.c's: what each value of each row needs of its column, worked out once. */
struct out_slot {
	bool hidden;		/* in text; JSON shows all */
	bool right;
	size_t width;
	size_t key_size;
	char key[64];		/* JSON: `,"key":` */
};

struct out {
	int fd;
	bool json;
	bool time;			/* text: a first column TIME */
	const struct out_column *columns;

	/* the rest is out.c's */
	struct out_slot *slots;		/* of each column, with an empty one before the first */
	const struct out_slot *slot;	/* of the last value */
	char *buffer;
	size_t used, room;
	size_t fixed;			/* room for a row's numbers, always left behind its strings */
	size_t row_start;		/* of the row being written, in buffer */
	size_t pad;			/* of the values so far, spaces owed before the next one */
	uint64_t rows_pending;		/* finished rows in the buffer */
	uint64_t rows_written;		/* rows that the kernel took */
	int64_t realtime_offset_ns;	/* CLOCK_REALTIME - CLOCK_MONOTONIC */
	int64_t second;			/* that second_text stands for */
	char second_text[24];
	int error;			/* the first output error, -errno; nothing is written after it */
	/* while the reader of fd does not read, on each signal, and each second where fd does not block: */
	bool (*give_up)(void);		/* asked; NULL: wait */
	void (*held_up)(void *ctx);	/* called, with held_up_ctx; NULL: not; it must not print rows */
	void *held_up_ctx;
};

/*
 * Prepares out (zeroed, or with fd, json, time and columns set) for writing.  0 or -ENOMEM.  out__free releases
 * what it holds; it does not flush.
 */
int out__open(struct out *out);
void out__free(struct out *out);

/* The header line; nothing in JSON mode. */
void out__header(struct out *out);

/* Begins a row.  ts_ns is CLOCK_MONOTONIC, for the time columns. */
void out__row(struct out *out, uint64_t ts_ns);

/* out.c's: goes on to the next column; whether it shows anywhere.  In line, as most columns of most rows do not. */
static inline bool out__next(struct out *out)
{
	return !(++out->slot)->hidden;
}

void out__put_int(struct out *out, int64_t value);
void out__put_octal(struct out *out, uint64_t value);
void out__put_hex(struct out *out, uint64_t value);

/* The value of the next column. */
static inline void out__int(struct out *out, int64_t value)
{
	if (out__next(out))
		out__put_int(out, value);
}

/* text: 0644; JSON: a number */
static inline void out__octal(struct out *out, uint64_t value)
{
	if (out__next(out))
		out__put_octal(out, value);
}

/* text: 0x1f; JSON: a number */
static inline void out__hex(struct out *out, uint64_t value)
{
	if (out__next(out))
		out__put_hex(out, value);
}

void out__milliseconds(struct out *out, uint64_t value_ms);		/* seconds with two or three decimals: 1.25 */
void out__bool(struct out *out, bool value);				/* text: yes or no; JSON: true or false */
void out__none(struct out *out);					/* no value: "-" in text, null in JSON */

/*
 * A string of untrusted bytes: up to size bytes, or up to a 0 byte before.  NULL: it could not be read, <fault> in
 * text and null in JSON.  Text escapes what a terminal could act on (C0, DEL, C1, invalid UTF-8 as \xNN, newline as
 * \n, backslash as \\).  JSON replaces invalid bytes by U+FFFD and adds the exact ones as KEY_hex.
 */
void out__string(struct out *out, const char *string, size_t size);

/*
 * A list of strings, each ended by a 0 byte, together size bytes, of which `more` others were left out: in text
 * "a b c [+2 more]", in JSON an array of strings, and KEY_more with the number.
 */
void out__strings(struct out *out, const char *strings, size_t size, uint64_t more);

/* Ends the row. Flushes when the buffer is nearly full. */
void out__end(struct out *out);

/* A whole line of the caller's making (JSON start and summary records); not counted as a row. */
void out__line(struct out *out, const char *text, size_t size);

/* Appends string to a JSON text as a quoted, valid JSON string; returns the end.  room: 6 bytes per byte + 3. */
char *out__json_quote(char *to, const char *string, size_t size);

/* Writes what is pending.  Returns 0 or the first output error, -errno (also kept in out->error). */
int out__flush(struct out *out);

#endif
