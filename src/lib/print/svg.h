/* SPDX-License-Identifier: BSD-2-Clause */
/* Untrusted names in pictures. */
#ifndef PROBELIGHT_SVG_H
#define PROBELIGHT_SVG_H

#include <stddef.h>

#include "text_buffer.h"

#define SVG_NAME_MAX 256	/* bytes of a name that are taken */

/*
 * Appends a name, up to its 0 byte or SVG_NAME_MAX, as text that is safe to show (text__escape()), and that as XML.  Of more than limit
 * characters it has the first ones, and "..".
 */
void svg__add_name(struct text_buffer *to, const char *name, size_t limit);

/* Writes a picture to a file, and empties it.  0 or -errno. */
int svg__write(struct text_buffer *picture, int fd);

#endif
