/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * open_crowd DIR RINGS: four opens of DIR/crowd, which this program holds a write lease on, by each of so many
 * io_urings.  Each is tried at once, is to be tried again by a worker, and waits there until all of them do; then
 * they succeed.  Prints how many there were.  Where workers are threads of the process: since 5.12, and in 5.10's
 * stable series since 5.10.162.
 */
#include <dirent.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/wait.h>

#include "open_calls.h"
#include "uring.h"

#define OPENS URING_ENTRIES

static int opener(void)
{
	struct io_uring_sqe sqes[OPENS];
	int results[OPENS];

	uring_make(0);
	for (int i = 0; i < OPENS; i++)
		sqes[i] = (struct io_uring_sqe){ .opcode = IORING_OP_OPENAT, .fd = AT_FDCWD, .addr = (unsigned long)"crowd" };
	uring_submit_all(sqes, OPENS, results, OPENS);
	for (int i = 0; i < OPENS; i++)
		if (results[i] < 0)
			return 1;
	return 0;
}

/* Whether a thread waits for the holder of a lease. */
static bool waits(pid_t pid, const char *tid)
{
	char path[64], bytes[4096];
	size_t size = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/task/%.20s/stack", pid, tid);
	file = fopen(path, "re");
	if (file) {
		size = fread(bytes, 1, sizeof(bytes) - 1, file);
		fclose(file);
	}
	bytes[size] = '\0';
	return strstr(bytes, "__break_lease");
}

static int waiting_threads(pid_t pid)
{
	struct dirent *entry;
	char path[64];
	int count = 0;
	DIR *tasks;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	tasks = opendir(path);
	if (!tasks)
		die(path);
	while ((entry = readdir(tasks)))
		count += entry->d_name[0] != '.' && waits(pid, entry->d_name);
	closedir(tasks);
	return count;
}

int main(int argc, char **argv)
{
	int rings = argc == 3 ? atoi(argv[2]) : 0, status, fd;
	pid_t pids[256];

	start_calls(argc - 1, argv);
	/* under another path than the opens that are looked at; the kernel tells the holder that somebody waits */
	signal(SIGIO, SIG_IGN);
	close(open("./crowd", O_WRONLY | O_CREAT, 0600));
	fd = open("./crowd", O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fcntl(fd, F_SETLEASE, F_WRLCK))
		die("the lease");
	if (rings < 1 || rings > (int)(sizeof(pids) / sizeof(*pids)))
		return 2;
	for (int i = 0; i < rings; i++) {
		pids[i] = fork();
		if (!pids[i])
			_exit(opener());
	}
	for (int i = 0; i < rings; i++)
		while (waiting_threads(pids[i]) < OPENS)
			usleep(20000);
	if (fcntl(fd, F_SETLEASE, F_UNLCK))
		die("the lease");
	for (int i = 0; i < rings; i++)
		if (wait(&status) < 0 || status)
			die("an opener");
	close(fd);
	printf("%d\n", OPENS * rings);
	return 0;
}
