/* SPDX-License-Identifier: BSD-2-Clause */
/* hold_lock FILE: takes the exclusive lock of the file (flock(2)), says "locked", and holds it until the end of stdin. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int fd = argc == 2 ? open(argv[1], O_RDONLY) : -1;
	char byte;

	if (fd < 0 || flock(fd, LOCK_EX)) {
		perror("hold_lock");
		return 1;
	}
	puts("locked");
	fflush(stdout);
	while (read(STDIN_FILENO, &byte, 1) > 0)
		;
	return 0;
}
