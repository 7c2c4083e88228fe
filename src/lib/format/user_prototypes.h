/* SPDX-License-Identifier: BSD-2-Clause */
/* Parameters of functions that many programs call. */
#ifndef PROBELIGHT_USER_PROTOTYPES_H
#define PROBELIGHT_USER_PROTOTYPES_H

/* As C declares them, "const char *path, int flags, int ret", the last one what the function returns; NULL: they are not known. */
const char *user_prototype(const char *function);

#endif
