/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads values out of JSON text that may be hostile: nothing is allocated, and no nesting recurses. Only what lies on the
 * way to a value is looked at, so a text that is not JSON may pass, or have no such value.
 */
#ifndef PROBELIGHT_JSON_VALUE_H
#define PROBELIGHT_JSON_VALUE_H

#include <stdbool.h>
#include <stddef.h>

/* A value, from its first byte on; end: where it, or all of the text, ends. It points into the caller's text. */
struct json_value {
	const char *at, *end;
};

/* The member of an object with that name, the first of several. false: it is no object, or has no such member. */
bool json_value__member(struct json_value object, const char *name, struct json_value *value);

/*
 * The next element of an array: *list is the array at first, and what is left of it afterwards. false: there is none any
 * more, or it is no array.
 */
bool json_value__next(struct json_value *list, struct json_value *element);

/*
 * A string's bytes in UTF-8, ended by a 0 byte, in text (size bytes, at least 1), "" where the result is false: it is no string, is too
 * long or has an escape that is none. A surrogate half and \u0000 become '?'.
 */
bool json_value__string(struct json_value value, char *text, size_t size);

#endif
