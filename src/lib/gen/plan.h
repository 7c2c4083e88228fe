/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is made for one event of a run: the instructions of its filter, those that copy or count its values, and how these are shown.
 */
#ifndef PROBELIGHT_PLAN_H
#define PROBELIGHT_PLAN_H

#include "key.h"
#include "lib/print/fault.h"
#include "record.h"
#include "request.h"
#include "source.h"

/* The values that events are counted by; without them (is_wanted false) each event is a row, with the fields that it was asked for. */
struct plan_counts {
	bool is_wanted;
	const char *names[KEY_PARTS_MAX];
	size_t names_count;
};

struct plan {
	enum request_source source;
	unsigned int slots;			/* of the request */
	struct format *format;
	char name[2 * FORMAT_NAME_MAX + 2];	/* "sched:sched_switch" */
	struct emit is_begin, is_return;	/* for PATCH_CODE, of system calls: whether it is the one (syscall.h) */
	unsigned begin_args, end_ret;		/* of system calls: where the contexts have the arguments, and the result */
	struct compat_args compat_args;		/* of system calls: where 32-bit calls have the arguments */
	struct emit matches;			/* for PATCH_CODE: the filter */
	struct emit copy;			/* for PATCH_FUNCTION: copies the record, or makes the key */
	struct emit touch;			/* for PATCH_FUNCTION, of functions of programs: touch.h */
	bool sleeps;				/* its program must be loaded as one that may sleep */
	struct record record;			/* rows */
	struct shown *shown;			/* of each of the record's fields */
	struct key key;				/* counts */
	const struct expr *filter;		/* the event's own filter, or that of all, or NULL */
	const char *filter_text;
	struct expr both;			/* what filter is where there are two */
	bool is_alike;				/* all but the name is another plan's */
};

/*
 * Plans an event for a request, with the filter that requests have for all.  counts and filters must live as long.  0, also
 * where it is to be released by plan__free() (which takes a zeroed one); -errno with one line in fault, and nothing to release.
 */
int plan__make(struct plan *plan, struct sources *sources, const struct requests *requests, const struct request *request,
	       const char *system, const char *name, const struct plan_counts *counts, struct fault *fault);
void plan__free(struct plan *plan);

/*
 * Whether functions of this kind, and those of a pattern's that it matches, differ in their names alone for plan__make(): they are of
 * programs, and nothing is known of this one by its name.
 */
bool plan__is_common(const struct request *request, const char *name);

/* The plan of another such event of the request: it has all but the name from that one, which must live as long. */
void plan__make_alike(struct plan *plan, const struct plan *other, const char *system, const char *name);

/*
 * The filter in the kernel's language, for a plan that has one: as predicate__make(). plan__explain(): one line, what is wrong with it.
 */
int plan__predicate(const struct plan *plan, char **text, struct expr_error *error);
void plan__explain(const struct plan *plan, const struct expr_error *error, struct fault *fault);

/*
 * Whether values of the plan are addresses of the kernel's code; sets what tells their names (NULL: nothing).  plan__set_texts(): the
 * same of addresses of texts.
 */
bool plan__set_symbols(struct plan *plan, shown_symbol *symbol);
bool plan__set_texts(struct plan *plan, shown_symbol *text);

/* Room for what the next two write. */
size_t plan__room(const struct plan *plan);

/* Writes the value number `index` of a copy, or of a key, as shown__text() or shown__json() do; returns its end. */
char *plan__put(const struct plan *plan, size_t index, char *to, const void *copy, bool json, bool in_line);

/* Writes name=value …, or a JSON object; returns its end. */
char *plan__put_all(const struct plan *plan, char *to, const void *copy, bool json);

/* How many values there are, and how number `index` is shown. */
size_t plan__values(const struct plan *plan);
const struct shown *plan__shown(const struct plan *plan, size_t index);

/* Characters of a column for such values; negative: left-aligned (struct out_column). */
int plan__width(const struct shown *shown);

#endif
