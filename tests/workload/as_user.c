/* SPDX-License-Identifier: BSD-2-Clause */
/* as_user UID COMMAND…: runs the command as that user and group, without root's capabilities. */
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	unsigned int id = argc > 2 ? (unsigned int)atoi(argv[1]) : 0;

	if (!id) {
		fprintf(stderr, "usage: as_user UID COMMAND...\n");
		return 2;
	}
	if (setgroups(0, NULL) || setresgid(id, id, id) || setresuid(id, id, id)) {
		perror("as_user");
		return 125;
	}
	execvp(argv[2], argv + 2);
	perror(argv[2]);
	return 127;
}
