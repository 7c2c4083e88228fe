/* SPDX-License-Identifier: BSD-2-Clause */
/* Error numbers by name, errno(3). */
#ifndef PROBELIGHT_ERROR_H
#define PROBELIGHT_ERROR_H

#include "out.h"

#define ERROR_NAME_MAX 16

/* "ENOENT" for 2, also the kernel's own ("ENOTSUPP" for 524); the number where it has no name, as for 0.  Returns name. */
const char *error__name(int error, char name[ERROR_NAME_MAX]);

/*
 * The values of two columns, those of TOOL_ERROR_COLUMNS: error is 0 or an errno.  Text: "0" or "ENOENT"; JSON:
 * "errno":2,"error":"ENOENT", and null for the word of a success.
 */
void error__columns(struct out *out, int error);

#endif
