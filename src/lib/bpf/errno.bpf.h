/* SPDX-License-Identifier: BSD-2-Clause */
/* Error numbers that programs compare results with (include/uapi/asm-generic/errno.h); vmlinux.h has no macros. */
#ifndef PROBELIGHT_ERRNO_BPF_H
#define PROBELIGHT_ERRNO_BPF_H

#define EIO 5
#define EBADF 9
#define EAGAIN 11
#define ENOMEM 12
#define EEXIST 17
#define ENOSYS 38
#define EHWPOISON 133
#define MAX_ERRNO 4095		/* of an error pointer, include/linux/err.h */

#endif
