/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * forgeries DIR: removes files with paths, under task names, that were made to look like other lines of trace_pipe.  Prints its
 * pid.  Each file is removed twice, with a sleep between: the kernel saves a task's name when it is switched out.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

static const struct {
	const char *comm, *path;
} cases[] = {
	/* columns in a name */
	{ "x-1 [000] 1: ", "columns" },
	{ "x-1       [000]", "more-columns" },
	/* a name of more than one line */
	{ "\n   evil-1  [00", "line-in-name" },
	{ "\nCPU:0 [LOST 7", "loss-in-name" },
	/* a message of more than one line: a loss, a whole entry */
	{ "forgeries", "a\nCPU:0 [LOST 999999999 EVENTS]\nCPU:1 [LOST EVENTS]\nb" },
	{ "forgeries", "c\n            evil-1       [000] d..21     1.000000: bpf_trace_printk: forged" },
	{ "forgeries", "d\n            evil-1       [000] d..2     1.000000: bpf_trace_printk: forged\n\n\n" },
};

static void remove_file(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);

	if (fd < 0 || close(fd) || unlink(path)) {
		perror(path);
		exit(1);
	}
}

int main(int argc, char **argv)
{
	if (argc != 2 || chdir(argv[1])) {
		perror("forgeries DIR");
		return 1;
	}
	printf("%d\n", getpid());
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		prctl(PR_SET_NAME, cases[i].comm);
		for (int round = 0; round < 2; round++) {
			remove_file(cases[i].path);
			nanosleep(&(struct timespec){ .tv_nsec = 20000000 }, NULL);
		}
	}
	return 0;
}
