/* SPDX-License-Identifier: BSD-2-Clause */
/* The flags of open(2) as words. */
#ifndef PROBELIGHT_OPEN_FLAGS_H
#define PROBELIGHT_OPEN_FLAGS_H

#include <stddef.h>
#include <stdint.h>

#include "flags.h"

#define OPEN_FLAGS_TEXT_MAX 320

/* All but O_RDONLY, which is no bit. */
extern const struct flag_name open_flag_names[];

/* The flags of openat2(2) alone, those above 32 bits, shifted down by these. */
extern const struct flag_name openat2_flag_names[];

/* How openat2(2) is to find the file (include/uapi/linux/openat2.h). */
extern const struct flag_name resolve_flag_names[];

/* "O_WRONLY|O_CREAT|O_TRUNC", the access mode first; bits without a name follow as one number, "O_RDONLY|0x40".  Returns text. */
const char *open_flags__text(uint32_t flags, char text[OPEN_FLAGS_TEXT_MAX]);

/*
 * The flags that "O_CREAT|O_WRONLY", "creat,wronly" or "577" asks for.  0 or -EINVAL.  *mask: the bits that are looked at; those
 * of the access mode are all looked at or none, as O_RDONLY is 0.
 */
int open_flags__parse(const char *text, uint32_t *flags, uint32_t *mask);

#endif
