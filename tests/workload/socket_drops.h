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

/* How many packets the socket has dropped. */
static inline uint32_t socket_drops(int fd)
{
	uint32_t info[SK_MEMINFO_VARS];
	socklen_t size = sizeof(info);

	if (getsockopt(fd, SOL_SOCKET, SO_MEMINFO, info, &size)) {
		perror("SO_MEMINFO");
		exit(1);
	}
	return info[SK_MEMINFO_DROPS];
}

/* Returns when the socket has dropped so many packets. */
static inline void socket_drops__wait(int fd, uint32_t count)
{
	do
		usleep(1000);
	while (socket_drops(fd) < count);
}

#endif
