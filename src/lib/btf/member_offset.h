/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the kernel's structs have a member, for who reads its memory. */
#ifndef PROBELIGHT_MEMBER_OFFSET_H
#define PROBELIGHT_MEMBER_OFFSET_H

#include <stdint.h>

struct btf;
struct btf_type;

/* The struct of that name, or NULL. */
const struct btf_type *member_offset__struct(const struct btf *btf, const char *name);

/* Bytes from the start of "struct TYPE" to a member, also to one of an unnamed struct or union in it; -ENOENT: there is none. */
int64_t member_offset__find(const struct btf *btf, const char *type, const char *member);

#endif
