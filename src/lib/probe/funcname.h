/* SPDX-License-Identifier: BSD-2-Clause */
/* The name of a function as a user or a tool gives it: "[MODULE:]FUNC[+OFFSET]". */
#ifndef PROBELIGHT_FUNCNAME_H
#define PROBELIGHT_FUNCNAME_H

#include "lib/kernel/ksyms.h"

/* Room for "MODULE:FUNC+OFFSET". */
#define FUNCNAME_MAX (KSYMS_MODULE_MAX + KSYMS_NAME_MAX + 32)

struct funcname {
	char module[KSYMS_MODULE_MAX];	/* "": the kernel itself, or any module */
	char function[KSYMS_NAME_MAX];
	unsigned long offset;
};

/* Takes a name apart, the offset decimal or 0x…; 0 or -EINVAL. */
int funcname__parse(const char *text, struct funcname *name);

/* "MODULE:FUNC", as the kernel takes it, without the offset. */
void funcname__text(const struct funcname *name, char text[FUNCNAME_MAX]);

#endif
