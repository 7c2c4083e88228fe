/* SPDX-License-Identifier: BSD-2-Clause */
/* Waits for what a socket drops: packets over lo arrive in an interrupt, which a busy machine puts off. */
#ifndef SOCKET_DROPS_H
#define SOCKET_DROPS_H

#include <linux/sock_diag.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

/* Returns when the socket has dropped so many packets. */
static inline void socket_drops__wait(int fd, uint32_t count)
{
	uint32_t info[SK_MEMINFO_VARS];
	socklen_t size = sizeof(info);

	do {
		if (getsockopt(fd, SOL_SOCKET, SO_MEMINFO, info, &size)) {
			perror("SO_MEMINFO");
			exit(1);
		}
		usleep(1000);
	} while (info[SK_MEMINFO_DROPS] < count);
}

#endif
