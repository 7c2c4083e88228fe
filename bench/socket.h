/* SPDX-License-Identifier: BSD-2-Clause */
/* In the guest /usr/include/sys/socket.h, of which bpftrace's scripts use these two. */
#define AF_INET 2
#define AF_INET6 10
