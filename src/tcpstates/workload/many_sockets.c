/* SPDX-License-Identifier: BSD-2-Clause */
/* many_sockets COUNT: so many sockets that listen at the same time, then all of them are closed. */
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	rlim_t count = argc > 1 ? (rlim_t)atoi(argv[1]) : 0;
	struct rlimit limit = { .rlim_cur = count + 16, .rlim_max = count + 16 };
	int fd;

	if (setrlimit(RLIMIT_NOFILE, &limit)) {
		perror("setrlimit");
		return 1;
	}
	for (rlim_t i = 0; i < count; i++) {
		struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons((uint16_t)(10000 + i)) };

		/* a port that the kernel chooses would take it the longer the more there are */
		fd = socket(AF_INET, SOCK_STREAM, 0);
		if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof(address)) || listen(fd, 1)) {
			perror("listen");
			return 1;
		}
	}
	printf("%lu\n", (unsigned long)count);
	return 0;
}
