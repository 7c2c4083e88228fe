/* SPDX-License-Identifier: BSD-2-Clause */
/* Error numbers that programs compare results with (include/uapi/asm-generic/errno-base.h); vmlinux.h has no macros. */
#ifndef PROBELIGHT_ERRNO_BPF_H
#define PROBELIGHT_ERRNO_BPF_H

#define EBADF 9
#define EAGAIN 11
#define EEXIST 17
#define ENOSYS 38
#define MAX_ERRNO 4095		/* of an error pointer, include/linux/err.h */

#endif
