/* SPDX-License-Identifier: BSD-2-Clause */
/* JSON for objects that are not rows of a column table (those are lib/out's). */
#ifndef PROBELIGHT_JSON_H
#define PROBELIGHT_JSON_H

#include <stddef.h>
#include <stdio.h>

/*
 * Writes size bytes as a quoted JSON string, valid whatever they are (text__quote()).  Returns its end; no 0 byte.  `to` needs
 * room for 6 * size + 2 bytes.
 */
char *json__quote(char *to, const char *string, size_t size);

/* Writes `,"key":` and value as a string, or null where value is NULL.  Bytes that are not UTF-8 become U+FFFD. */
void json__string(FILE *to, const char *key, const char *value);

#endif
