/* SPDX-License-Identifier: BSD-2-Clause */
/* What a user can do whom the kernel refuses something. */
#ifndef PROBELIGHT_RIGHTS_H
#define PROBELIGHT_RIGHTS_H

/* For the end of a message, without brackets: "run it with sudo"; root, whom the host's kernel refuses nothing, is in a container. */
const char *rights__advice(void);

/* The same where tracefs is not mounted: what mounts it, or in a container that is marked as one, that the host has it. */
const char *rights__tracefs_advice(void);

#endif
