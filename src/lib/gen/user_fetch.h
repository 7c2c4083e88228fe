/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * As fetch_args.h, for functions and probes of programs: a line in uprobe_events says where the kernel fetches the fields.
 *
 * Texts are fetched as a fixed number of words, and never as the kernel's own ":string".  That takes up to 4096 bytes, whatever a
 * program has there, into a page of the kernel's that also has the rest of the record: a long text overwrites what follows the page
 * (CVE-2024-50067), and since the repair (373b9338c972, 6.12) it makes the kernel warn, as a record for perf above 2048 bytes does on
 * 5.10.
 */
#ifndef PROBELIGHT_USER_FETCH_H
#define PROBELIGHT_USER_FETCH_H

#include <stdbool.h>

#include "lib/print/fault.h"
#include "record.h"

/* Whether a format is one of those that user_args__format() makes. */
bool user_fetch__is_for(const struct format *format);

/*
 * What the line has after its place, for the fields of a record, and those that a filter of predicate__make() compares (NULL: none).  Freed
 * by the caller.  0, -ENOMEM, or -EOPNOTSUPP or -E2BIG with one line in fault.
 */
int user_fetch__line(const struct record *record, const char *filter, char **line, struct fault *fault);

/*
 * As record__take(), of a record that was made by such a line; raw: its event's format.  A number in memory that cannot be read is 0.  The
 * kernel gives 0 bytes for a text that it cannot read, so one with nothing but 0 bytes is taken for unread, and never for an empty one.
 */
int user_fetch__record(const struct record *record, const struct format *raw, void *copy, const void *data, size_t size);

#endif
