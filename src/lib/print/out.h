/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rows on a file descriptor, as an aligned table or as NDJSON.  A column table drives header, alignment, JSON keys
 * and types.  Formatting is by hand into one buffer and there is one write for a batch: printf and a write per row
 * would cost more than the event itself.
 *
 * A row is out__row(), one value per column in the table's order, out__end().  Text output skips the columns that
 * are not shown; JSON has all of them, so that a script does not depend on display options.  A row with more or fewer values
 * than there are columns would show values under the wrong header: it is not written, and the run ends with an error.
 */
#ifndef PROBELIGHT_OUT_H
#define PROBELIGHT_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sink.h"
#include "wallclock.h"

/* Bytes of the record that a row is printed from. */
struct out_bytes {
	uint16_t offset, size;	/* 0: none */
};
#define OUT_BYTES(type, member) { offsetof(type, member), sizeof(((type *)0)->member) }
#define OUT_BYTES_MAX 4

/* A column that no row has, in JSON neither: rows can be counted by it (out__take_rows()). */
extern const bool out_counted_only;

/* A column; a table of them ends with one that has no name. */
struct out_column {
	const char *name;	/* as in the header */
	int width;		/* characters, at least the name's; negative: left-aligned; longer values push the line, nothing is cut */
	/* NULL: always; otherwise asked when the header is printed (not in JSON), unless out__show() says; or &out_counted_only */
	const bool *shown;
	const char *key;	/* in JSON; NULL: the name in lower case */
	/*
	 * The bytes that alone decide which value a row has: records that agree in them have the same one.  Where they are known, programs
	 * can count by the column (lib/run/counting_kernel.h).
	 */
	struct out_bytes made_of[OUT_BYTES_MAX];
};

/* A column's key in JSON; one that is longer than that is cut. */
#define OUT_KEY_SIZE 64
void out_column__key(const struct out_column *column, char key[OUT_KEY_SIZE]);

/* out.c's: what each value of each row needs of its column, computed once. */
struct out_slot {
	const struct out_slot *next;	/* of the next column; behind the last one a hidden slot, whose next is itself */
	bool hidden;		/* in text; JSON shows all but out_counted_only */
	bool is_dropped;	/* hidden, as the terminal is too narrow */
	bool right;
	size_t width;
	size_t key_size;
	char key[OUT_KEY_SIZE + 4];	/* JSON: `,"key":` */
};

/*
 * Gets a row that is handed over instead of written, to be counted.  row holds the values of the wanted columns, in the table's order.
 * In text there is an OUT_MARK between two values and no padding.  In JSON each is `,"key":value`, followed by `,"key_hex":…` and the
 * like.  Valid during the call.
 */
#define OUT_MARK '\x1f'	/* in no value: text escapes it */
typedef void (*out_take)(void *ctx, const char *row, size_t size);

#define OUT_SHOWS_MAX 4

struct out {
	struct sink sink;		/* where the rows go */
	bool json;
	bool time;			/* text: a first column TIME, whose header has the date as well */
	bool other_clock;		/* times are not CLOCK_MONOTONIC: no time of day is known, and TIME has their seconds */
	const char *host;		/* the machine's name, untrusted bytes: in each row and JSON record; or NULL */
	const struct out_column *columns;
	const char *const *spare;	/* columns that a narrow terminal does without, the first to go first, ended by NULL; or NULL */
	const bool *shows[OUT_SHOWS_MAX];	/* by out__show(), ended by NULL */
	bool repeats_header;		/* on a terminal, after each screenful */
	uint64_t header_ns;		/* CLOCK_MONOTONIC, of the day that the header has; 0: now */
	const char *record, *tool;	/* JSON: what each row is ("event", "row") and of which tool; NULL: rows do not say */

	/* the rest is out.c's */
	struct out_slot *slots;		/* one before the first column, one for each, one behind the last */
	const struct out_slot *last;	/* of the last column */
	const struct out_slot *slot;	/* of the last value */
	const struct out_slot *wrong;	/* NULL; or error is that of a row that does not fit its columns: of its last value */
	char head[512];			/* JSON: what each row begins with */
	size_t head_size;
	char *buffer;
	size_t used, room;
	size_t fixed;			/* room for a row's numbers, always left behind its strings */
	size_t row_start;		/* of the row being written, in buffer */
	size_t pad;			/* of the values so far, spaces owed before the next one */
	uint64_t rows_pending;		/* finished rows in the buffer */
	uint64_t rows_written;		/* rows that the kernel took */
	struct wallclock clock;
	char fill[16];			/* what stands between values: spaces, or marks */
	out_take take;			/* NULL: rows are written */
	bool takes_lists;		/* the caller's, with out__take_rows(): in JSON its rows end with their lists (out__list()) */
	void *take_ctx;
	/* what last would be: that is NULL then, so that each row's end takes out__end()'s slow path */
	const struct out_slot *take_last;
	int day;			/* text: of the last time that was printed (wallclock.h), or 0 */
	char *header;			/* the line to repeat, or NULL */
	size_t header_size, lines_since;	/* lines since it was printed, itself among them */
	char *host_made;		/* text: the host escaped; JSON: `,"host":"web1"`; or NULL */
	size_t host_width;		/* text: characters of the column HOST, or 0 */
	bool is_fitted;			/* to the terminal */
	int error;			/* the first output error, -errno; nothing is written after it */
};

/*
 * Prepares out (zeroed, or with sink, json, time and columns set) for writing.  0 or -ENOMEM.  out__free releases
 * what it holds; it does not flush.
 */
int out__open(struct out *out);
void out__free(struct out *out);

/*
 * After out__open(): no row is written from now on, each is handed to take(ctx, …).  wanted: of each column, whether its values are;
 * those of the others cost nothing, and hidden columns count as any other.  Lines (out__line()) are dropped, and lists (out__list()) unless
 * takes_lists is set.
 * rows_written counts the rows.
 */
void out__take_rows(struct out *out, const bool *wanted, out_take take, void *ctx);

/*
 * Shows the columns that have this as `shown`, in this out alone and whatever its value is: a constant marks columns without being a
 * variable that all share.  Before the header; up to OUT_SHOWS_MAX - 1 of them.
 */
void out__show(struct out *out, const bool *shown);

/* Whether text shows a column: by `shown`, or by out__show(). */
bool out__shows(const struct out *out, const struct out_column *column);

/* The header line; nothing in JSON mode.  That of TIME has the day: "TIME 2026-11-23". */
void out__header(struct out *out);

/* Text: the characters of a row before its first column, TIME and HOST with the spaces behind them. */
size_t out__width_before(const struct out *out);

/* out__row()'s slow part: with a time, or without room. */
void out__begin_row(struct out *out, uint64_t ts_ns);

/* Begins a row.  ts_ns is CLOCK_MONOTONIC, for the time columns. */
static inline void out__row(struct out *out, uint64_t ts_ns)
{
	out->row_start = out->used;
	out->slot = out->slots;
	out->pad = 0;
	if (out->json || out->time || out->host || out->room - out->used < out->fixed)
		out__begin_row(out, ts_ns);
}

/* out.c's: goes on to the next column; whether it shows anywhere.  In line, as most columns of most rows do not. */
static inline bool out__next(struct out *out)
{
	out->slot = out->slot->next;
	return !out->slot->hidden;
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

void out__milliseconds(struct out *out, uint64_t value_ms);		/* seconds with three decimals: 1.250 */

/* Bytes; as text in kB of 1024 bytes, a part of one counts as one (KB; JSON: bytes). */
static inline void out__kilobytes(struct out *out, uint64_t bytes)
{
	out__int(out, (int64_t)(out->json ? bytes : bytes / 1024 + !!(bytes % 1024)));
}

/* How long something took, as microseconds with three decimals: 1.250; JSON: nanoseconds (lat_ns). */
static inline void out__latency(struct out *out, uint64_t value_ns)
{
	if (out->json)
		out__int(out, (int64_t)value_ns);
	else
		out__milliseconds(out, value_ns);
}

void out__bool(struct out *out, bool value);				/* text: yes or no; JSON: true or false */
void out__none(struct out *out);					/* no value: "-" in text, null in JSON */
/* the same; in JSON also "KEY_id":ID of what it would be the name of */
void out__none_id(struct out *out, uint64_t id);
void out__zero(struct out *out);					/* no word for a number that is 0: "0" in text, null in JSON */

/*
 * A string of untrusted bytes: up to size bytes, or up to a 0 byte before.  NULL: it could not be read, <fault> in
 * text and null in JSON.  Text escapes what a terminal could act on and what hides or reorders text (lib/print/text.h): newline
 * as \n, backslash as \\, other bytes as \xNN.  JSON replaces invalid bytes by U+FFFD and adds the exact ones as KEY_hex.
 */
void out__string(struct out *out, const char *string, size_t size);

/*
 * A path, as out__string().  more: the path has at least so many bytes more than are here, 0 if it is whole.  Text shows an
 * empty path as '', one that is cut with [+more] behind it, one that could not be read (NULL) as <fault>, and NULL with more
 * as <too long>.  JSON has null for NULL, and always KEY_more with the number.
 */
void out__path(struct out *out, const char *path, size_t size, uint64_t more);

/* The same for bytes of any kind, of which all size are shown, zeros too. */
void out__bytes(struct out *out, const char *bytes, size_t size, uint64_t more);

/* Where there is no path to show: "-" in text; null, and KEY_more 0, in JSON. */
void out__no_path(struct out *out);

/*
 * A list of strings, each ended by a 0 byte, together size bytes, of which `more` others were left out: in text
 * "a b c [+2 more]", in JSON an array of strings, and KEY_more with the number.
 */
void out__strings(struct out *out, const char *strings, size_t size, uint64_t more);

/*
 * Text: a line "-- 2026-11-23 --" where the time that was formatted last is of a later day than the header, or than the one before;
 * with out->time also of the first one where there was no header.  out__row() calls it; so does who prints times by itself, before them.
 */
void out__new_day(struct out *out);

/* A value of the caller's making, written as it is: text that is safe to show (text.h), or with JSON a value of that. */
void out__made(struct out *out, const char *value, size_t size);

/*
 * A list that belongs to the row and is no column, after its last value: strings of untrusted bytes, each ended by a 0 byte, together
 * size bytes.  In text each is a line below the row, indented, with mark behind it; in JSON an array under key.  NULL: not known, null in
 * JSON, and what mark says in text.
 */
void out__list(struct out *out, const char *key, const char *strings, size_t size, const char *mark);

/*
 * Ends the row, which the next flush writes.  Where it has not as many values as there are columns it is dropped, and
 * out->error becomes -EPROTO.
 */
void out__end(struct out *out);

/* A whole line of the caller's making, not counted as a row; a JSON object (the start and summary records) gets the host. */
void out__line(struct out *out, const char *text, size_t size);

/* Writes what is pending.  Returns 0 or the first output error, -errno (also kept in out->error). */
int out__flush(struct out *out);

/* The message about out->error for the user, in a static buffer; NULL: no error, or that the reader has gone (-EPIPE). */
const char *out__error(const struct out *out);

#endif
