/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel's own names for the numbers in a tracepoint's record: the lists that its print fmt has for __print_symbolic() and
 * __print_flags().  The numbers mean something else on each kernel (NO_SOCKET is 2 on 6.1 and 3 on 6.12, among the reasons of
 * skb/kfree_skb), so they come from the running one's format file.
 *
 *	value_names__load(&names, "skb/kfree_skb", "reason");
 *	value_names__find(names, 2)				"NO_SOCKET"
 */
#ifndef PROBELIGHT_VALUE_NAMES_H
#define PROBELIGHT_VALUE_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct format;
struct value_names;

/*
 * The names for a field of an event, given as "SYSTEM/NAME".  0 and *names, freed by value_names__free(); -ENOENT where the event or a
 * list for the field is not there; as of events__format(); -ENOMEM.  The list is parsed when something is asked of it first, which a
 * start does not wait for (0.2 M instructions for the flags of allocations): one without a name that can be read is empty.
 */
int value_names__load(struct value_names **names, const char *event, const char *field);

/* The same of a format that is at hand (layout__format()); NULL: -ENOENT. */
int value_names__of_format(struct value_names **names, const struct format *format, const char *field);

/* The same from the text of a print fmt, as struct format has it; the list is parsed. */
int value_names__parse(struct value_names **names, const char *print_fmt, const char *field);

/* Whether the running kernel's record of an event has the field: a new one tells of a new meaning. */
bool value_names__has_field(const char *event, const char *field);

/* The name of a value, valid as long as names is; NULL where the list has none.  names may be NULL. */
const char *value_names__find(const struct value_names *names, uint64_t value);

/* The value of a name.  Whether there is one; names may be NULL. */
bool value_names__value(const struct value_names *names, const char *name, uint64_t *value);

/*
 * Flags as the kernel's own trace prints them, "GFP_KERNEL|__GFP_NOWARN": what has no name is one number, hexadecimal; without
 * any flag the text is empty.  Gives the text's length, cut to size - 1.  names may be NULL.
 */
size_t value_names__flags(const struct value_names *names, uint64_t flags, char *text, size_t size);

size_t value_names__count(const struct value_names *names);

/* Takes NULL. */
void value_names__free(struct value_names *names);

#endif
