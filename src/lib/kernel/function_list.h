/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The functions of the kernel and of its modules, kept for the next start (code_id.h): 1.3 MB on 5.10, 3.2 on 7.3, which take some 20 M
 * instructions to read, where /proc/kallsyms takes 200 to 500.  What comes and goes while the modules stay is not in it: BPF programs, and
 * the code that the kernel makes for probes, which kallsyms lists as of [bpf] and [__builtin__…].
 */
#ifndef PROBELIGHT_FUNCTION_LIST_H
#define PROBELIGHT_FUNCTION_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "code_id.h"
#include "ksyms.h"

/* Zeroed it is empty. */
struct function_list {
	struct code_id id;	/* of the code, by function_list__read() */
	char *bytes;		/* the code's id, then each function: its address, its type, its name and its module's, "": the kernel */
	size_t size, room;
};

/* Adds a function, unless it is of those that come and go.  0 or -ENOMEM. */
int function_list__add(struct function_list *list, const struct ksym *sym);

/* As ksyms__each(). */
int function_list__each(const struct function_list *list, int (*each)(void *context, const struct ksym *sym), void *context);

/*
 * Reads the list that was kept.  0, or -ENOENT: none was, or it is of other code; it is empty then, to be filled and kept.
 * function_list__free() takes both.
 */
int function_list__read(struct function_list *list);

/* Whether function_list__keep() would do something: none is kept, and it can be.  Fills in the id of an empty list. */
bool function_list__is_wanted(struct function_list *list);

/*
 * Keeps the list, where the kernel's code can be identified, and no module has come or gone since function_list__read(); without
 * success the next start reads /proc/kallsyms.
 */
void function_list__keep(struct function_list *list);

void function_list__free(struct function_list *list);

#endif
