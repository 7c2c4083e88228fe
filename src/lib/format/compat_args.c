/* SPDX-License-Identifier: BSD-2-Clause */
#include "compat_args.h"

#include <stddef.h>
#include <string.h>

#include "lib/shared/returned.h"

#define NONE COMPAT_ARGS_ZERO
#define PACK(a, b, c, d, e, f) ((a) | (b) << 4 | (c) << 8 | (d) << 12 | (e) << 16 | (f) << 20)
#define NO_HIGH PACK(NONE, NONE, NONE, NONE, NONE, NONE)

const struct compat_args compat_args__same = { PACK(0, 1, 2, 3, 4, 5), NO_HIGH };

/* arch/x86/entry/syscalls/syscall_32.tbl, arch/x86/kernel/sys_ia32.c, mm/mmap.c, fs/select.c, fs/notify/fanotify/fanotify_user.c */
static const struct {
	const char *name;
	struct compat_args args;
} calls[] = {
#if defined(__x86_64__)
	{ "pread64", { PACK(0, 1, 2, 3, NONE, NONE), PACK(NONE, NONE, NONE, 4, NONE, NONE) } },
	{ "pwrite64", { PACK(0, 1, 2, 3, NONE, NONE), PACK(NONE, NONE, NONE, 4, NONE, NONE) } },
	{ "readahead", { PACK(0, 1, 3, NONE, NONE, NONE), PACK(NONE, 2, NONE, NONE, NONE, NONE) } },
	{ "fadvise64", { PACK(0, 1, 3, 4, NONE, NONE), PACK(NONE, 2, NONE, NONE, NONE, NONE) } },
	{ "fadvise64_64", { PACK(0, 1, 3, 5, NONE, NONE), PACK(NONE, 2, 4, NONE, NONE, NONE) } },
	{ "fallocate", { PACK(0, 1, 2, 4, NONE, NONE), PACK(NONE, NONE, 3, 5, NONE, NONE) } },
	{ "sync_file_range", { PACK(0, 1, 3, 5, NONE, NONE), PACK(NONE, 2, 4, NONE, NONE, NONE) } },
	{ "fanotify_mark", { PACK(0, 1, 2, 4, 5, NONE), PACK(NONE, NONE, 3, NONE, NONE, NONE) } },
	{ "lookup_dcookie", { PACK(0, 2, 3, NONE, NONE, NONE), PACK(1, NONE, NONE, NONE, NONE, NONE) } },
	{ "truncate64", { PACK(0, 1, NONE, NONE, NONE, NONE), PACK(NONE, 2, NONE, NONE, NONE, NONE) } },
	{ "ftruncate64", { PACK(0, 1, NONE, NONE, NONE, NONE), PACK(NONE, 2, NONE, NONE, NONE, NONE) } },
	/* CONFIG_CLONE_BACKWARDS */
	{ "clone", { PACK(0, 1, 2, 4, 3, NONE), NO_HIGH } },
	{ "mmap", { PACK(0, 1, 2, 3, 4, 5) | COMPAT_ARGS_IN_STRUCT, NO_HIGH } },
	{ "select", { PACK(0, 1, 2, 3, 4, NONE) | COMPAT_ARGS_IN_STRUCT, NO_HIGH } },
#elif defined(__aarch64__)
	/* arch/arm64/kernel/sys32.c; by the EABI 64 bits are in an even register and the next one, which may leave one out */
	{ "pread64", { PACK(0, 1, 2, 4, NONE, NONE), PACK(NONE, NONE, NONE, 5, NONE, NONE) } },
	{ "pwrite64", { PACK(0, 1, 2, 4, NONE, NONE), PACK(NONE, NONE, NONE, 5, NONE, NONE) } },
	{ "readahead", { PACK(0, 2, 4, NONE, NONE, NONE), PACK(NONE, 3, NONE, NONE, NONE, NONE) } },
	{ "fallocate", { PACK(0, 1, 2, 4, NONE, NONE), PACK(NONE, NONE, 3, 5, NONE, NONE) } },
	{ "fanotify_mark", { PACK(0, 1, 2, 4, 5, NONE), PACK(NONE, NONE, 3, NONE, NONE, NONE) } },
	{ "lookup_dcookie", { PACK(0, 2, 3, NONE, NONE, NONE), PACK(1, NONE, NONE, NONE, NONE, NONE) } },
	{ "truncate64", { PACK(0, 2, NONE, NONE, NONE, NONE), PACK(NONE, 3, NONE, NONE, NONE, NONE) } },
	{ "ftruncate64", { PACK(0, 2, NONE, NONE, NONE, NONE), PACK(NONE, 3, NONE, NONE, NONE, NONE) } },
	/* the flags come second */
	{ "arm_fadvise64_64", { PACK(0, 2, 4, 1, NONE, NONE), PACK(NONE, 3, 5, NONE, NONE, NONE) } },
	{ "arm_sync_file_range", { PACK(0, 2, 4, 1, NONE, NONE), PACK(NONE, 3, 5, NONE, NONE, NONE) } },
#endif
};

const struct compat_args *compat_args__find(const char *name)
{
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		if (!strcmp(calls[i].name, name))
			return &calls[i].args;
	return &compat_args__same;
}
