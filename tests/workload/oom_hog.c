/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * oom_hog MB [CGROUP [NAME]]: takes that much memory and touches it, in the cgroup, under the name, as the process that the
 * kernel likes most to kill; then waits to be killed.  CGROUP "-": where it is.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

static void put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);

	if (fd < 0 || write(fd, text, strlen(text)) < 0) {
		perror(path);
		exit(1);
	}
	close(fd);
}

int main(int argc, char **argv)
{
	size_t size = (argc > 1 ? strtoul(argv[1], NULL, 10) : 1) << 20;
	char path[256], *memory;

	put("/proc/self/oom_score_adj", "1000");
	if (argc > 2 && strcmp(argv[2], "-")) {
		snprintf(path, sizeof(path), "%s/cgroup.procs", argv[2]);
		put(path, "0");
	}
	if (argc > 3)
		prctl(PR_SET_NAME, argv[3]);
	memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (memory == MAP_FAILED)
		return 1;
	for (size_t at = 0; at < size; at += 4096)
		memory[at] = 1;
	printf("ready\n");
	fflush(stdout);
	for (;;)
		pause();
}
