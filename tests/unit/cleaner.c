/* SPDX-License-Identifier: BSD-2-Clause */
/* The cleaner: what it answers and undoes, and that its owner never waits for an answer that cannot come. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "lib/probe/cleaner.h"

static int answer(void *context)
{
	return *(int *)context;
}

static int nothing(void *context)
{
	(void)context;
	return 0;
}

static int refuse(int call, int err)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned int)call, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned int)err),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { .len = sizeof(filter) / sizeof(*filter), .filter = filter };

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) ? -errno : 0;
}

/* In the cleaner: from now on each sendmsg(2) of this process fails. */
static int refuse_answers(void *context, int argument)
{
	(void)context;
	(void)argument;
	return refuse(SYS_sendmsg, EIO);
}

static pid_t test;

static int in_child(void *context)
{
	(void)context;
	return getpid() != test && getsid(0) == getpid() ? 0 : -EINVAL;
}

/* Somebody kills the cleaner in the middle of its work. */
static int killed(void *context)
{
	(void)context;
	return kill(getpid(), SIGKILL);
}

static int work_in_child(void *context, int argument)
{
	return argument ? -EINVAL : in_child(context);
}

static int killed_at_work(void *context, int argument)
{
	(void)argument;
	return killed(context);
}

/* Gives so many files, each of which has its number in it; but for 13, after which it fails. */
static int give(void *context, int count)
{
	(void)context;
	for (int i = 0; i < count; i++) {
		int fd = memfd_create("given", 0), err = cleaner__give(fd);

		if (err) {
			close(fd);
			return err;
		}
		if (write(fd, &i, sizeof(i)) != sizeof(i))
			return -EIO;
	}
	return count == 13 ? -ERANGE : 0;
}

static int count_up(void *context)
{
	return ++*(int *)context < 100 ? 0 : -ERANGE;
}

static const struct cleaner_work answers = { .undo = answer };
static const struct cleaner_work makes = { .make = in_child, .undo = nothing };
static const struct cleaner_work makes_not = { .make = answer, .undo = nothing };
static const struct cleaner_work dies = { .make = killed, .undo = nothing };
static const struct cleaner_work dies_when_undone = { .undo = killed };
static const struct cleaner_work counts = { .make = count_up, .undo = nothing };
static const struct cleaner_work mute = { .work = refuse_answers, .undo = nothing };
static const struct cleaner_work works = { .work = work_in_child, .undo = nothing };
static const struct cleaner_work dies_at_work = { .work = killed_at_work, .undo = nothing };
static const struct cleaner_work gives = { .work = give, .undo = nothing };

static int add(const struct cleaner_work *work, int value)
{
	return cleaner__add(work, &value, sizeof(value));
}

static void test_answers(void)
{
	int value = 7, job, other;

	CHECK(!cleaner__pid() && !cleaner__is_alive());
	job = add(&answers, 0);
	CHECK(job > 0 && cleaner__is_alive());
	/* what fails stays, and the cleaner with it */
	other = add(&answers, -ENOENT);
	CHECK_INT(cleaner__undo(other), -ENOENT);
	CHECK_INT(cleaner__undo(other), -ENOENT);
	CHECK_INT(cleaner__undo(job), 0);
	CHECK_INT(cleaner__undo(job), -ESRCH);
	CHECK(cleaner__is_alive());
	kill(cleaner__pid(), SIGKILL);
	CHECK_INT(cleaner__undo(other), -ESRCH);
	CHECK(!cleaner__pid());
	CHECK_INT(waitpid(-1, NULL, WNOHANG), -1);

	/* what is to be made is made by the child, before it is asked for anything; the last job ends it */
	job = add(&makes, 0);
	CHECK(job > 0);
	CHECK_INT(cleaner__undo(job), 0);
	CHECK(!cleaner__pid());
	CHECK_INT(waitpid(-1, NULL, WNOHANG), -1);
	/* a job that its owner has undone itself */
	job = add(&dies_when_undone, 0);
	cleaner__drop(job);
	CHECK(!cleaner__pid());
	CHECK_INT(waitpid(-1, NULL, WNOHANG), -1);
	CHECK_INT(add(&makes_not, -ENOENT), -ENOENT);
	CHECK(!cleaner__pid());
	CHECK_INT(add(&dies, 0), -ESRCH);
	CHECK(!cleaner__pid());
	/* what make says is copied back, also where it fails */
	job = cleaner__add(&counts, &value, sizeof(value));
	CHECK_INT(value, 8);
	CHECK_INT(cleaner__undo(job), 0);
	value = 99;
	CHECK_INT(cleaner__add(&counts, &value, sizeof(value)), -ERANGE);
	CHECK_INT(value, 100);
}

/* It works while its owner goes on: each answer is that of what was asked. */
static void test_work(void)
{
	int job = add(&works, 0), other;

	CHECK_INT(cleaner__finish(job), 0);
	CHECK_INT(cleaner__begin(job), 0);
	CHECK_INT(cleaner__finish(job), 0);
	CHECK_INT(cleaner__finish(job), 0);
	CHECK_INT(cleaner__begin(job), 0);
	CHECK_INT(cleaner__undo(job), 0);
	CHECK_INT(cleaner__begin(job), -ESRCH);
	CHECK_INT(cleaner__finish(job), 0);
	job = add(&dies_at_work, 0);
	CHECK_INT(cleaner__begin(job), 0);
	CHECK_INT(cleaner__finish(job), -ESRCH);
	CHECK_INT(cleaner__undo(job), -ESRCH);
	CHECK(!cleaner__pid());
	/* one that cannot answer */
	job = add(&mute, 0);
	other = add(&works, 0);
	CHECK_INT(cleaner__begin(job), 0);
	CHECK_INT(cleaner__undo(other), -ESRCH);
	CHECK_INT(cleaner__undo(job), -ESRCH);
	waitpid(-1, NULL, WNOHANG);
}

static int count_files(void)
{
	DIR *dir = opendir("/proc/self/fd");
	int count = 0;

	while (readdir(dir))
		count++;
	closedir(dir);
	return count;
}

/* What it opens is its owner's, which has no file more than it asked for. */
static void test_gives(void)
{
	int job = add(&gives, 0), fds[CLEANER_FDS_MAX], before = count_files(), number;

	CHECK_INT(cleaner__ask(job, 3, fds, CLEANER_FDS_MAX), 3);
	for (int i = 0; i < 3; i++) {
		CHECK(pread(fds[i], &number, sizeof(number), 0) == sizeof(number));
		CHECK_INT(number, i);
		CHECK_INT(fcntl(fds[i], F_GETFD), FD_CLOEXEC);
		close(fds[i]);
	}
	CHECK_INT(cleaner__ask(job, 0, fds, CLEANER_FDS_MAX), 0);
	/* fewer than there are, those of an answer that nobody waits for, and those of work that fails */
	CHECK_INT(cleaner__ask(job, 3, fds, 1), 1);
	close(fds[0]);
	CHECK_INT(cleaner__begin(job), 0);
	CHECK_INT(cleaner__ask(job, 13, fds, CLEANER_FDS_MAX), -ERANGE);
	CHECK_INT(count_files(), before);
	CHECK_INT(cleaner__ask(job, CLEANER_FDS_MAX, fds, CLEANER_FDS_MAX), CLEANER_FDS_MAX);
	for (int i = 0; i < CLEANER_FDS_MAX; i++)
		close(fds[i]);
	CHECK_INT(cleaner__ask(job, CLEANER_FDS_MAX + 1, fds, CLEANER_FDS_MAX), -ENOSPC);
	CHECK_INT(count_files(), before);
	CHECK_INT(cleaner__undo(job), 0);
}

/* Somebody kills it, or stops it. */
static void test_killed(void)
{
	int first = add(&answers, 0), second, status;
	pid_t before = cleaner__pid(), now;

	kill(before, SIGKILL);
	/* the next job has it made again, with the first one */
	second = add(&answers, 0);
	now = cleaner__pid();
	CHECK(second > 0 && now && now != before);
	CHECK_INT(cleaner__undo(first), 0);
	CHECK_INT(cleaner__pid(), now);
	kill(now, SIGSTOP);
	CHECK_INT(cleaner__undo(second), -ETIMEDOUT);
	CHECK(cleaner__is_alive());
	kill(now, SIGCONT);
	kill(now, SIGKILL);
	waitpid(now, &status, 0);
	CHECK_INT(cleaner__undo(second), -ESRCH);
}

static char folder[] = "/tmp/probelight-cleaner.XXXXXX";

struct file {
	char path[64], needs_not[64];
};

/* Busy as long as another one is there. */
static int remove_file(void *context)
{
	const struct file *file = context;

	if (*file->needs_not && !access(file->needs_not, F_OK))
		return -EBUSY;
	return unlink(file->path) ? -errno : 0;
}

static int make_file(void *context)
{
	const struct file *file = context;
	int fd = open(file->path, O_CREAT | O_WRONLY, 0600);

	return fd < 0 || close(fd) ? -errno : 0;
}

static const struct cleaner_work files = { .make = make_file, .undo = remove_file };

static void add_file(const char *name, const char *needs_not)
{
	struct file file = { .needs_not = "" };

	snprintf(file.path, sizeof(file.path), "%s/%s", folder, name);
	if (*needs_not)
		snprintf(file.needs_not, sizeof(file.needs_not), "%s/%s", folder, needs_not);
	CHECK(cleaner__add(&files, &file, sizeof(file)) > 0);
}

/*
 * The owner is killed: all is undone, also what is busy until another one is gone, and also by a cleaner that was killed and
 * made again before the owner gave its privileges up; a close_range(2) that is refused changes nothing.  The cleaner becomes
 * this process's child.
 */
static void test_owner_killed(void)
{
	int status, told[2];
	pid_t child, cleaner;
	char path[64];

	CHECK_INT(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
	CHECK_INT(pipe(told), 0);
	child = fork();
	if (!child) {
		refuse(SYS_close_range, EPERM);
		add_file("first", "");
		add_file("last", "first");
		kill(cleaner__pid(), SIGKILL);
		waitpid(cleaner__pid(), NULL, 0);
		if (cleaner__seal() || !cleaner__is_alive() || add(&answers, 0) != -EPERM)
			_exit(1);
		cleaner = cleaner__pid();
		if (write(told[1], &cleaner, sizeof(cleaner)) == sizeof(cleaner))
			pause();
		_exit(1);
	}
	close(told[1]);
	CHECK_INT(read(told[0], &cleaner, sizeof(cleaner)), sizeof(cleaner));
	snprintf(path, sizeof(path), "%s/last", folder);
	CHECK(!access(path, F_OK));
	CHECK_INT(kill(child, SIGKILL), 0);
	CHECK_INT(waitpid(child, &status, 0), child);
	/* nobody has the pipe: the cleaner has closed it */
	CHECK_INT(read(told[0], path, 1), 0);
	close(told[0]);
	CHECK_INT(waitpid(cleaner, &status, 0), cleaner);
	CHECK_INT(status, 0);
	CHECK_INT(rmdir(folder), 0);
}

int main(void)
{
	test = getpid();
	signal(SIGPIPE, SIG_IGN);
	/* a cleaner that is waited for in vain ends the test */
	alarm(600);
	CHECK(mkdtemp(folder));
	test_answers();
	test_work();
	test_gives();
	test_killed();
	test_owner_killed();
	return check_done();
}
