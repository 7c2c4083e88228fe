/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * System calls in records that the kernel writes (--via ftrace, --via perf): the events syscalls:sys_enter_NAME and
 * sys_exit_NAME. They have the arguments' numbers, or the result, of calls of the machine's own ABI; no texts and no
 * durations.
 */
#ifndef PROBELIGHT_SYSCALL_RECORD_H
#define PROBELIGHT_SYSCALL_RECORD_H

#include "lib/print/fault.h"
#include "record.h"

/* Whether a format is one of a system call (lib/format/syscall_format.h), and whether records have one of its fields. */
bool syscall_record__is_for(const struct format *format);
bool syscall_record__has(const struct format *format, const struct format_field *field);

/*
 * Whether the kernel's own filters compare a field as it is: they take all 8 bytes of an argument, of which an int has 4, and without sign.
 */
bool syscall_record__is_comparable(const struct format *format, const struct ctx_number *number);

/*
 * Finds the event whose records have the fields that are copied. 0 and *raw, its format, freed by format__free(); -EOPNOTSUPP with one
 * line in fault: a field is not there; as of events__format().
 */
int syscall_record__find(const struct record *record, struct format **raw, struct fault *fault);

/* As record__take(), of a record of that event. */
int syscall_record__take(const struct record *record, const struct format *raw, void *copy, const void *data, size_t size);

#endif
