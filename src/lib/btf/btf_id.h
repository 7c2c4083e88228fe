/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The id of one function in the kernel's BTF, for who wants nothing else of it: the strings are not kept, 1.3 MB less than
 * rawbtf.h takes.
 */
#ifndef PROBELIGHT_BTF_ID_H
#define PROBELIGHT_BTF_ID_H

#include <linux/types.h>

/* The first function of that name in a file of raw BTF; 0: there is none, or the file cannot be read. */
__u32 btf_id__of_function(const char *path, const char *name);

/*
 * The same of the running kernel's own BTF, kept for the next start (lib/kernel/cache.h): reading takes some 10 million instructions.
 */
__u32 btf_id__kept(const char *name);

#endif
