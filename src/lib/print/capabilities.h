/* SPDX-License-Identifier: BSD-2-Clause */
/* Capabilities, capabilities(7), by name. */
#ifndef PROBELIGHT_CAPABILITIES_H
#define PROBELIGHT_CAPABILITIES_H

#include <stddef.h>
#include <stdint.h>

#define CAPABILITY_NAME_MAX 24
#define CAPABILITIES_TEXT_MAX (64 * CAPABILITY_NAME_MAX)

/* "CAP_SYS_ADMIN", or the number where it has no name here, which is written to number and returned. */
const char *capability__name(int capability, char number[CAPABILITY_NAME_MAX]);

/* The number of "sys_admin", "CAP_SYS_ADMIN" or "21" (0 to 63), or -EINVAL. */
int capability__parse(const char *text);

/* The set, bit N for number N, as "chown,kill"; "none"; "all" for those that have names here.  Returns text. */
const char *capabilities__text(uint64_t set, char text[CAPABILITIES_TEXT_MAX]);

#endif
