/* SPDX-License-Identifier: BSD-2-Clause */
#include "owner.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file.h"
#include "lib/print/clock.h"

/* PROC_PID_INIT_INO in include/linux/proc_ns.h */
#define PID_NS_INITIAL 0xeffffffcu

/* A start that the kernel has rounded once more for a time namespace. */
#define START_ROUNDED 1

/*
 * What the kernel adds to the starts that this process reads, in clock ticks (timens_add_boottime_ns() in fs/proc/array.c, since 5.6).
 * False where nobody can tell.
 */
static bool read_offset(int64_t *ticks)
{
	int64_t ns_per_tick = 1000000000 / sysconf(_SC_CLK_TCK), offset_ns;
	bool is_known = clock__namespace_offset("boottime", &offset_ns);

	/* rounded down */
	*ticks = offset_ns / ns_per_tick - (offset_ns % ns_per_tick < 0);
	return is_known;
}

/* What /proc/PID/stat tells. */
struct process {
	pid_t pid;		/* the file's own first field */
	uint64_t start;		/* field 22, as the first time namespace has it; 0: not known */
	bool has_ended;		/* a zombie that nobody waits for, without threads */
};

static struct process read_process(const char *number)
{
	struct process process = { .pid = 0 };
	unsigned long long start;
	char path[280], text[1024], state;
	const char *at;
	long threads;
	int64_t offset;

	snprintf(path, sizeof(path), "/proc/%s/stat", number);
	if (file__read_small(path, text, sizeof(text)) <= 0)
		return process;
	process.pid = atoi(text);
	/* the command in brackets may hold blanks and brackets itself */
	at = strrchr(text, ')');
	if (!at || sscanf(at + 1, " %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %ld %*d %llu", &state, &threads,
			  &start) != 3)
		return process;
	process.has_ended = (state == 'Z' || state == 'X') && threads <= 1;
	process.start = read_offset(&offset) ? start - (uint64_t)offset : 0;
	return process;
}

struct owner owner__self(void)
{
	struct owner owner = { .pid = getpid() };
	struct process process = read_process("self");
	struct stat stat_of;

	/* a /proc of another pid namespace says nothing of our pids */
	owner.start = process.pid == owner.pid ? process.start : 0;
	if (!stat("/proc/self/ns/pid", &stat_of))
		owner.pid_ns = (uint32_t)stat_of.st_ino;
	return owner;
}

void owner__text(const struct owner *owner, char text[OWNER_TEXT_MAX])
{
	snprintf(text, OWNER_TEXT_MAX, "%dn%xs%llx", owner->pid, owner->pid_ns, (unsigned long long)owner->start);
}

const char *owner__parse(const char *text, struct owner *owner)
{
	unsigned long pid, pid_ns;
	char *end;

	if (!isdigit((unsigned char)*text))
		return NULL;
	errno = 0;
	pid = strtoul(text, &end, 10);
	if (*end != 'n' || !isxdigit((unsigned char)end[1]) || !pid || pid >= 1UL << 30)
		return NULL;
	pid_ns = strtoul(end + 1, &end, 16);
	if (*end != 's' || !isxdigit((unsigned char)end[1]) || pid_ns > UINT32_MAX)
		return NULL;
	*owner = (struct owner){ .pid = (pid_t)pid, .pid_ns = (uint32_t)pid_ns, .start = strtoull(end + 1, &end, 16) };
	return errno ? NULL : end;
}

bool owner__is_same(const struct owner *a, const struct owner *b)
{
	return a->pid == b->pid && a->pid_ns == b->pid_ns && a->start == b->start;
}

/* Whether the process with the owner's number is known to have ended, or to have started at another time. */
static bool is_another(const char *number, const struct owner *owner)
{
	struct process process = read_process(number);

	if (!owner->start || !process.start)
		return process.has_ended;
	return process.has_ended || (process.start > owner->start ?
				     process.start - owner->start : owner->start - process.start) > START_ROUNDED;
}

/* The number of a process in its own pid namespace, the innermost one; 0: it is gone, or not known. */
static pid_t read_inner_pid(const char *process)
{
	char path[280], text[4096];
	const char *line, *last;

	snprintf(path, sizeof(path), "/proc/%s/status", process);
	if (file__read_small(path, text, sizeof(text)) <= 0)
		return 0;
	line = strstr(text, "\nNSpid:");
	if (!line)
		return 0;
	/* "NSpid:\t1234\t1": from the reader's namespace inwards */
	last = line + strcspn(line + 1, "\n") + 1;
	while (last > line && isdigit((unsigned char)last[-1]))
		last--;
	return atoi(last);
}

enum look { NOT_IT, IS_IT, NOBODY_KNOWS };

/* Whether a process that the initial pid namespace sees is the owner, which is in another one. */
static enum look look_at(const char *process, const struct owner *owner)
{
	char path[280];
	struct stat stat_of;
	pid_t inner;

	snprintf(path, sizeof(path), "/proc/%s/ns/pid", process);
	if (stat(path, &stat_of))
		return errno == ENOENT || errno == ESRCH ? NOT_IT : NOBODY_KNOWS;
	if ((uint32_t)stat_of.st_ino != owner->pid_ns)
		return NOT_IT;
	inner = read_inner_pid(process);
	if (inner && inner != owner->pid)
		return NOT_IT;
	return inner && is_another(process, owner) ? NOT_IT : IS_IT;
}

/*
 * From the initial pid namespace all processes can be seen: whether none is the owner, of another namespace that may be gone as a whole.
 * False where some processes are hidden (hidepid of proc(5), a missing CAP_SYS_PTRACE).
 */
static bool is_nowhere(const struct owner *owner, const struct owner *self)
{
	const struct dirent *entry;
	enum look found = NOT_IT;
	struct stat stat_of;
	DIR *dir;

	if (self->pid_ns != PID_NS_INITIAL || !self->start || stat("/proc/1/ns/pid", &stat_of) || stat_of.st_ino != PID_NS_INITIAL)
		return false;
	dir = opendir("/proc");
	if (!dir)
		return false;
	while (found == NOT_IT && (entry = readdir(dir)))
		if (isdigit((unsigned char)*entry->d_name))
			found = look_at(entry->d_name, owner);
	closedir(dir);
	return found == NOT_IT;
}

bool owner__is_known_dead(const struct owner *owner)
{
	struct owner self = owner__self();
	char process[16];

	if (!self.pid_ns || !owner->pid_ns || owner__is_same(owner, &self))
		return false;
	if (owner->pid_ns != self.pid_ns)
		return is_nowhere(owner, &self);
	if (kill(owner->pid, 0) && errno == ESRCH)
		return true;
	/* somebody has that pid: is it the one that started then? */
	snprintf(process, sizeof(process), "%d", owner->pid);
	return self.start && is_another(process, owner);
}

void owner__describe(const struct owner *owner, char *text, size_t size)
{
	struct owner self = owner__self();

	snprintf(text, size, "process %d%s", owner->pid, owner->pid_ns == self.pid_ns ? "" : " of another pid namespace");
}
