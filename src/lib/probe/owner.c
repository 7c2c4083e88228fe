/* SPDX-License-Identifier: BSD-2-Clause */
#include "owner.h"

#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/kernel/file.h"

/* Field 22 of /proc/PID/stat; 0 where it cannot be read.  *pid is the file's own first field. */
static uint64_t read_start(const char *process, pid_t *pid)
{
	unsigned long long start;
	char path[64], text[1024];
	const char *at;

	snprintf(path, sizeof(path), "/proc/%s/stat", process);
	if (file__read_small(path, text, sizeof(text)) <= 0)
		return 0;
	*pid = atoi(text);
	/* the command in brackets may hold blanks and brackets itself */
	at = strrchr(text, ')');
	if (!at || sscanf(at + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu",
			  &start) != 1)
		return 0;
	return start;
}

struct owner owner__self(void)
{
	struct owner owner = { .pid = getpid() };
	struct stat stat_of;
	pid_t pid = 0;

	/* a /proc of another pid namespace says nothing of our pids */
	owner.start = read_start("self", &pid);
	if (pid != owner.pid)
		owner.start = 0;
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

bool owner__is_dead(const struct owner *owner)
{
	struct owner self = owner__self();
	char process[16];
	uint64_t start;
	pid_t pid = 0;

	if (!self.pid_ns || owner->pid_ns != self.pid_ns || owner__is_same(owner, &self))
		return false;
	if (kill(owner->pid, 0) && errno == ESRCH)
		return true;
	/* somebody has that pid: is it the one that started then? */
	snprintf(process, sizeof(process), "%d", owner->pid);
	start = self.start && owner->start ? read_start(process, &pid) : 0;
	return start && start != owner->start;
}
