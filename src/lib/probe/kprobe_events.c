/* SPDX-License-Identifier: BSD-2-Clause */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kprobe_events.h"
#include "lib/kernel/tracefs.h"

#define FILE_MAX (16 * 1024 * 1024)
/*
 * For how many calls at the same time a return probe can wait.  The kernel's own choice, which the other modes have to
 * take, is one for each CPU (5.10), later ten or two for each CPU: few for a function that sleeps.
 */
#define SLOTS "256"

static unsigned int added;	/* by this process, for names that differ */
static pid_t keeper;

/* One line appended to kprobe_events: 0 or -errno. */
static int append(const char *line)
{
	char path[512];
	int fd, err;

	err = tracefs__path(path, sizeof(path), "kprobe_events");
	if (err)
		return err;
	fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (write(fd, line, strlen(line)) < 0)
		err = -errno;
	close(fd);
	return err;
}

int kprobe_events__remove(const char *name)
{
	char line[128];

	snprintf(line, sizeof(line), "-:" KPROBE_EVENTS_GROUP "/%s\n", name);
	return append(line);
}

pid_t kprobe_event__pid(const char *name)
{
	char *end;
	long pid;

	if ((name[0] != 'p' && name[0] != 'r') || !isdigit((unsigned char)name[1]))
		return 0;
	pid = strtol(name + 1, &end, 10);
	return *end == '_' && pid > 0 && pid < 1L << 30 ? pid : 0;
}

static bool is_dead(pid_t pid)
{
	if (pid == getpid())
		return !added;
	return kill(pid, 0) && errno == ESRCH;
}

static bool is_that(pid_t pid, pid_t that)
{
	return that ? pid == that : is_dead(pid);
}

/*
 * Removes our group's probes of one process, or of all dead ones where pid is 0.  The number removed, or -errno of the
 * last failure.
 */
static int remove_of(pid_t pid)
{
	char *text, *line, *next;
	int removed = 0, err;
	size_t size;

	err = tracefs__read("kprobe_events", FILE_MAX, &text, &size);
	if (err)
		return err;
	/* "p:GROUP/NAME FUNC+0 …", "r16:GROUP/NAME …" */
	for (line = text; line; line = next) {
		char *name = strchr(line, ':');
		size_t group = strlen(KPROBE_EVENTS_GROUP "/");

		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		if (!name || strncmp(name + 1, KPROBE_EVENTS_GROUP "/", group))
			continue;
		name += 1 + group;
		name[strcspn(name, " ")] = '\0';
		if (kprobe_event__pid(name) && is_that(kprobe_event__pid(name), pid)) {
			int failed = kprobe_events__remove(name);

			/* -EBUSY: still in use; -ENOENT: somebody else was faster */
			if (!failed)
				removed++;
			else if (pid && failed != -ENOENT)
				err = failed;
		}
	}
	free(text);
	return err ? err : removed;
}

int kprobe_events__sweep(void)
{
	return remove_of(0);
}

/* The keeper: waits for the end of the process that owns the probes, and removes them.  Does not return. */
static void keep(pid_t owner, int owner_fd)
{
	struct pollfd end = { .events = POLLIN };

	setsid();
	prctl(PR_SET_NAME, "probelight-keep");
	/* Nothing of the owner's may stay open here: not its programs and links, not its output. */
	dup2(owner_fd, 0);
	syscall(SYS_close_range, 1, ~0U, 0);
	/* Readable once the owner is a zombie, which is after its files, and so its probes, are closed. */
	while (poll(&end, 1, -1) < 0 && errno == EINTR)
		;
	remove_of(owner);
	_exit(0);
}

static int start_keeper(void)
{
	pid_t owner = getpid();
	sigset_t all, before;
	int owner_fd, err = 0;

	owner_fd = syscall(SYS_pidfd_open, owner, 0);	/* since 5.3 */
	if (owner_fd < 0)
		return -errno;
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	keeper = fork();
	if (!keeper)
		keep(owner, owner_fd);
	if (keeper < 0)
		err = -errno;
	sigprocmask(SIG_SETMASK, &before, NULL);
	close(owner_fd);
	return err;
}

int kprobe_events__add(const char *function, bool is_return, char name[KPROBE_EVENTS_NAME_MAX])
{
	char line[1024];
	int err;

	if (keeper <= 0) {
		err = start_keeper();
		if (err)
			return err;
	}
	snprintf(name, KPROBE_EVENTS_NAME_MAX, "%c%d_%u_%s", is_return ? 'r' : 'p', getpid(), added, function);
	for (char *at = name; *at; at++)
		if (!isalnum((unsigned char)*at))
			*at = '_';
	if (snprintf(line, sizeof(line), "%s:" KPROBE_EVENTS_GROUP "/%s %s\n", is_return ? "r" SLOTS : "p", name, function) >=
	    (int)sizeof(line))
		return -ENAMETOOLONG;
	added++;
	return append(line);
}

int kprobe_events__id(const char *name)
{
	char relative[160], *text;
	size_t size;
	int id, err;

	snprintf(relative, sizeof(relative), "events/" KPROBE_EVENTS_GROUP "/%s/id", name);
	err = tracefs__read(relative, 64, &text, &size);
	if (err)
		return err;
	id = atoi(text);
	free(text);
	return id > 0 ? id : -EINVAL;
}

int kprobe_events__end(void)
{
	int removed;

	if (!added)
		return 0;
	removed = remove_of(getpid());
	if (keeper > 0) {
		kill(keeper, SIGKILL);
		waitpid(keeper, NULL, 0);
		keeper = 0;
	}
	added = 0;
	return removed < 0 ? removed : 0;
}

int kprobe_events__missed(uint64_t *entries, uint64_t *returns)
{
	char *text, *line, *rest = NULL;
	size_t size;
	int err;

	*entries = *returns = 0;
	if (!added)
		return 0;
	err = tracefs__read("kprobe_profile", FILE_MAX, &text, &size);
	if (err)
		return err;
	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		unsigned long long hits, misses;
		char name[KPROBE_EVENTS_NAME_MAX + 1];

		/* "  NAME   HITS   MISSES"; the misses are those of the probe and, of a return probe, of its slots */
		if (sscanf(line, "%64s %llu %llu", name, &hits, &misses) == 3 && kprobe_event__pid(name) == getpid())
			*(*name == 'r' ? returns : entries) += misses;
	}
	free(text);
	return 0;
}
