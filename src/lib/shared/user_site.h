/* SPDX-License-Identifier: BSD-2-Clause */
/* Places of files that programs on uprobes tell apart (lib/bpf/user_site.bpf.h). */
#ifndef PROBELIGHT_SHARED_USER_SITE_H
#define PROBELIGHT_SHARED_USER_SITE_H

#ifndef __bpf__
#include <linux/types.h>
#endif

/* By the file's size, as the number of its inode is another one to the kernel than to processes on some file systems (overlayfs). */
struct user_site_key {
	__u64 offset, size;
};

#define USER_SITE_NONE 0xffffffffU

#endif
