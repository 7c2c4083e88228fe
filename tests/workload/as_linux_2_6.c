/* SPDX-License-Identifier: BSD-2-Clause */
/* as_linux_2_6 COMMAND ARG...: runs the command where uname(2) says 2.6.x (personality(2), UNAME26). */
#include <stdio.h>
#include <sys/personality.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	if (argc < 2)
		return 2;
	if (personality(UNAME26) < 0) {
		perror("as_linux_2_6");
		return 1;
	}
	execvp(argv[1], argv + 1);
	perror(argv[1]);
	return 127;
}
