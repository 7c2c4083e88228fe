/* SPDX-License-Identifier: BSD-2-Clause */
/* What differs between architectures for who probes programs.  Another architecture is one more of these, and a file insn_ARCH.c. */
#ifndef PROBELIGHT_USER_MACHINE_H
#define PROBELIGHT_USER_MACHINE_H

#include "insn.h"

struct user_machine {
	const char *name;	/* "x86-64", for messages */
	uint16_t elf;		/* e_machine of its programs */
	uint16_t cache;		/* its libraries in /etc/ld.so.cache: FLAG_X8664_LIB64 and others of glibc's sysdeps/generic/dl-cache.h */
	const char *triplet;	/* of directories: /usr/lib/TRIPLET */
	const char *musl;	/* what the file of musl's C library begins with */
	struct insn (*decode)(const uint8_t *code, size_t size);	/* as insn_x86__at() */
};

/* For unit tests; others ask user_machine__own(). */
extern const struct user_machine user_machine__x86, user_machine__arm64;

/* The one that this program is for. */
const struct user_machine *user_machine__own(void);

#endif
