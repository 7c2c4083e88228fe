/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Waits for what a test needs, with a deadline: a sleep would be too long on one machine and too short on another.
 *
 *	await SECONDS end PID			PID has ended (a zombie counts)
 *	await SECONDS line FILE [PID]		FILE holds a whole line
 *	await SECONDS text TEXT FILE [PID]	FILE holds TEXT
 *	await SECONDS detached PID		PID holds no link, raw tracepoint or perf event, or has ended
 *	await SECONDS inside PID CALL...	PID waits in one of these system calls, as its line in /proc/PID/syscall begins on x86-64
 *	await SECONDS inflight DISK N PID	N writes to the disk are under way
 *
 * It sleeps between two looks: the guests share the host's CPUs.  Exit status 0: so it is; 1: not in time, or PID has ended without it.
 */
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define LOOK_AGAIN_MS 5
#define LOOK_INTO_PROC_AGAIN_MS 50

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

#define FIRST_BYTES 256

/* Whether the file begins with other bytes than were read, or is shorter. */
static bool is_another(int fd, const char *read_bytes, size_t used)
{
	size_t length = used < FIRST_BYTES ? used : FIRST_BYTES;
	struct stat file;
	char first[FIRST_BYTES];

	if (!used || fstat(fd, &file) || !S_ISREG(file.st_mode))
		return false;
	return (size_t)file.st_size < used || pread(fd, first, length, 0) != (ssize_t)length || memcmp(first, read_bytes, length);
}

/*
 * Whether the file holds text; what was read is kept and not read again. But a file that was truncated begins anew: the shell opens it for
 * a program in the background, at any time after await has started, and the program may have written as much before the next look.
 */
static bool file_holds(const char *path, const char *text)
{
	static int fd = -1;
	static char *buffer;
	static size_t used;
	size_t length = strlen(text), from;
	ssize_t got;

	if (fd < 0)
		fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	if (is_another(fd, buffer, used)) {
		used = 0;
		lseek(fd, 0, SEEK_SET);
	}
	do {
		buffer = realloc(buffer, used + 65536);
		if (!buffer)
			exit(2);
		/* what may hold the beginning of the text is looked at again */
		from = used < length ? 0 : used - length + 1;
		got = read(fd, buffer + used, 65536);
		if (got > 0)
			used += (size_t)got;
		if (memmem(buffer + from, used - from, text, length))
			return true;
	} while (got > 0);
	return false;
}

/* Whether one of the process' descriptors keeps a program attached. */
static bool is_attached(const char *pid)
{
	static const char *const kinds[] = { "bpf_link", "bpf-raw-tracepoint", "perf_event", "trace_pipe_raw" };
	struct dirent *entry;
	bool found = false;
	char path[64];
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%s/fd", pid);
	dir = opendir(path);
	while (dir && !found && (entry = readdir(dir))) {
		char target[256] = "";

		if (readlinkat(dirfd(dir), entry->d_name, target, sizeof(target) - 1) < 0)
			continue;
		for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
			found |= !!strstr(target, kinds[i]);
	}
	if (dir)
		closedir(dir);
	return found;
}

/* Tests have the numbers of x86-64.  The number of a line that begins so, as this machine has it; the rest follows it. */
static const char *own_call(const char *call, char own[64])
{
#ifdef __aarch64__
	/* read, write, poll and ppoll, nanosleep, clock_nanosleep */
	static const int numbers[][2] = { { 0, 63 }, { 1, 64 }, { 7, 73 }, { 271, 73 }, { 35, 101 }, { 230, 115 } };
	char *end;
	long number = strtol(call, &end, 10);

	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		if (numbers[i][0] == number) {
			snprintf(own, 64, "%d%s", numbers[i][1], end);
			return own;
		}
#endif
	(void)own;
	return call;
}

static bool is_inside(const char *pid, const char *call)
{
	char path[64], line[256] = "", own[64];
	ssize_t got = -1;
	int fd;

	call = own_call(call, own);
	snprintf(path, sizeof(path), "/proc/%s/syscall", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		got = read(fd, line, sizeof(line) - 1);
		close(fd);
	}
	return got > 0 && !strncmp(line, call, strlen(call));
}

/* Whether /sys/block/DISK/inflight, "READS WRITES", says that so many writes are under way. */
static bool is_inflight(const char *disk, int count)
{
	char path[64];
	int writes = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/sys/block/%s/inflight", disk);
	file = fopen(path, "re");
	if (!file || fscanf(file, "%*d %d", &writes) != 1)
		writes = 0;
	if (file)
		fclose(file);
	return writes == count;
}

int main(int argc, char **argv)
{
	bool inflight = argc == 6 && !strcmp(argv[2], "inflight");
	bool detached = argc == 4 && !strcmp(argv[2], "detached");
	bool inside = argc >= 5 && !strcmp(argv[2], "inside");
	bool end = argc == 4 && !strcmp(argv[2], "end");
	bool line = argc >= 4 && !strcmp(argv[2], "line");
	bool text = argc >= 5 && !strcmp(argv[2], "text");
	const char *pid = end || detached || inside ? argv[3] : line ? argv[4] : text || inflight ? argv[5] : NULL;
	struct pollfd process = { .fd = -1, .events = POLLIN };
	int64_t deadline_ms;
	bool ended = false;

	if (!end && !line && !text && !detached && !inside && !inflight) {
		fprintf(stderr, "usage: await SECONDS end PID | line FILE [PID] | text TEXT FILE [PID] | detached PID | inside PID CALL... | "
			"inflight DISK N PID\n");
		return 2;
	}
	deadline_ms = now_ms() + (int64_t)(atof(argv[1]) * 1000);
	if (pid) {
		/* readable once the process has ended (since 5.3) */
		process.fd = (int)syscall(SYS_pidfd_open, atoi(pid), 0);
		ended = process.fd < 0;
	}
	for (;;) {
		if (detached && !is_attached(pid))
			return 0;
		for (int i = 4; inside && i < argc; i++)
			if (is_inside(pid, argv[i]))
				return 0;
		if (inflight && is_inflight(argv[3], atoi(argv[4])))
			return 0;
		if ((line || text) && file_holds(argv[line ? 3 : 4], line ? "\n" : argv[3]))
			return 0;
		/* what was written last before the end has been looked for */
		if (ended)
			return !end;
		if (now_ms() > deadline_ms)
			return 1;
		ended = poll(&process, 1, detached || inside || inflight ? LOOK_INTO_PROC_AGAIN_MS : LOOK_AGAIN_MS) > 0;
	}
}
