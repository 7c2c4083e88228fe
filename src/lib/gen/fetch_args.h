/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The arguments of a function in records that the kernel writes: a line in kprobe_events says how it fetches them, and the
 * copy that rows are made of is filled from the record as a program would have filled it.
 */
#ifndef PROBELIGHT_FETCH_ARGS_H
#define PROBELIGHT_FETCH_ARGS_H

#include "record.h"

#define FETCH_ARGS_NAME_MAX 16

/* The name of an argument in the line, and so in the kernel's own filters: "f0" for the format's first field. Returns name. */
const char *fetch_args__name(const struct format *format, const struct format_field *field, char name[FETCH_ARGS_NAME_MAX]);

/*
 * What the line has after its function, for all fields of a format of arguments: " f0=$arg1:s32 f1=+0(+0($arg2)):string". Freed by the
 * caller. 0 or -ENOMEM; -E2BIG: the kernel takes at most 63 characters for one, and 128 of them; -EOPNOTSUPP: it cannot fetch it; *field is
 * that one.
 */
int fetch_args__line(const struct format *format, char **line, const struct format_field **field);

/*
 * As record__take(), of a record that was made by such a line; raw: its event's format. What could not be fetched is 0 there if it is a
 * number, and a text of its own that is recognized.
 */
int fetch_args__record(const struct record *record, const struct format *raw, void *copy, const void *data, size_t size);

#endif
