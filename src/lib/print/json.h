/* SPDX-License-Identifier: BSD-2-Clause */
/* JSON for objects that are not rows of a column table (those are lib/out's). */
#ifndef PROBELIGHT_JSON_H
#define PROBELIGHT_JSON_H

#include <stdio.h>

/* Writes `,"key":` and value as a string, or null where value is NULL.  Bytes that are not UTF-8 become U+FFFD. */
void json__string(FILE *to, const char *key, const char *value);

#endif
