/* SPDX-License-Identifier: BSD-2-Clause */
/* lib/ftrace/lease, in a directory that stands for tracefs and for /run/probelight. */
#include "lib/ftrace/lease.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "lib/kernel/tracefs.h"
#include "lib/probe/cleaner.h"
#include "lib/kernel/owner.h"

static char folder[] = "/tmp/probelight-lease.XXXXXX";
static char run_folder[64];

/* As set_graph_function, but for the line that an empty one has. */
static const struct lease_file files[] = {
	{ "roots", "", "", "none" },
	{ "depth", "0", "0", NULL },
	{ "thresh", "0", "0", NULL },
	{ "clock", NULL, lease_as_before, NULL },
	{ "not_there", "0", "0", NULL },
	{ NULL, NULL, NULL, NULL },
};

static void set(const char *file, const char *text)
{
	char path[128];
	FILE *to;

	snprintf(path, sizeof(path), "%s/%s", folder, file);
	to = fopen(path, "w");
	CHECK(to && fputs(text, to) >= 0 && !fclose(to));
}

static const char *get(const char *file)
{
	static char text[256];
	char path[128];
	size_t length = 0;
	FILE *from;

	snprintf(path, sizeof(path), "%s/%s", folder, file);
	from = fopen(path, "r");
	if (from) {
		length = fread(text, 1, sizeof(text) - 1, from);
		fclose(from);
	}
	text[length] = '\0';
	return text;
}

static bool has_record(void)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/tracefs.lease", run_folder);
	return !access(path, F_OK);
}

static void test_normal(void)
{
	struct lease lease, second;
	struct fault fault = {};

	CHECK_INT(lease__take(&lease, run_folder, files, &fault), 0);
	CHECK(has_record());
	CHECK_INT(lease__write(&lease, "roots", "vfs_read\n"), 0);
	CHECK_INT(lease__append(&lease, "roots", "vfs_write\n"), 0);
	CHECK_INT(lease__write(&lease, "depth", "3\n"), 0);
	CHECK_INT(lease__write(&lease, "clock", "mono\n"), 0);
	CHECK_INT(lease__write(&lease, "not_there", "1\n"), -ENOENT);
	CHECK_STR(get("roots"), "vfs_read\nvfs_write\n");
	/* another one of this process, which lives */
	CHECK_INT(lease__take(&second, run_folder, files, &fault), -EBUSY);
	CHECK(strstr(fault.text, "has roots in tracefs"));
	CHECK_INT(lease__give_back(&second), 0);
	CHECK_STR(get("roots"), "vfs_read\nvfs_write\n");
	CHECK_INT(lease__give_back(&lease), 0);
	CHECK_INT(lease__give_back(&lease), 0);
	CHECK_STR(get("roots"), "");
	CHECK_STR(get("depth"), "0\n");
	CHECK_STR(get("clock"), "local\n");
	CHECK(!has_record());
}

static void test_refused(void)
{
	struct lease lease;
	struct fault fault;

	set("depth", "12\n");
	CHECK_INT(lease__take(&lease, run_folder, files, &fault), -EBUSY);
	CHECK_STR(fault.text, "depth in tracefs is in use: it says '12', and is one for the whole system");
	CHECK(!has_record());
	set("depth", "0\n");
	set("thresh", "100\n");
	CHECK_INT(lease__take(&lease, run_folder, files, &fault), -EBUSY);
	CHECK(strstr(fault.text, "thresh in tracefs is in use"));
	CHECK_STR(get("thresh"), "100\n");
	/* idle is all that it says, not only how it begins */
	set("thresh", "0\n1\n");
	CHECK_INT(lease__take(&lease, run_folder, files, &fault), -EBUSY);
	CHECK_STR(fault.text, "thresh in tracefs is in use: it says '1', and is one for the whole system");
	set("thresh", "0\n");
	/* a folder that others may write to */
	CHECK_INT(chmod(run_folder, 0777), 0);
	CHECK_INT(lease__take(&lease, run_folder, files, &fault), -EPERM);
	CHECK_INT(chmod(run_folder, 0700), 0);
}

/* A file elsewhere than in tracefs, by its whole path, and one that the kernel raises by itself. */
static void test_elsewhere(void)
{
	static char path[64];
	const struct lease_file elsewhere[] = { { path, "0", "0", NULL }, { "stack_max_size", NULL, "0", NULL }, { NULL, NULL, NULL, NULL } };
	struct lease lease;
	struct fault fault;

	snprintf(path, sizeof(path), "%s/elsewhere", folder);
	set("elsewhere", "1\n");
	set("stack_max_size", "0\n");
	CHECK_INT(lease__take(&lease, run_folder, elsewhere, &fault), -EBUSY);
	CHECK(strstr(fault.text, "elsewhere is in use: it says '1', and is one for the whole system"));
	CHECK(!strstr(fault.text, "tracefs"));
	set("elsewhere", "0\n");
	CHECK_INT(lease__take(&lease, run_folder, elsewhere, &fault), 0);
	CHECK_INT(lease__write(&lease, path, "1\n"), 0);
	CHECK_INT(lease__write(&lease, "stack_max_size", "0\n"), 0);
	CHECK_STR(get("elsewhere"), "1\n");
	set("stack_max_size", "4096\n");
	CHECK_INT(lease__give_back(&lease), 0);
	CHECK_STR(get("elsewhere"), "0\n");
	CHECK_STR(get("stack_max_size"), "0\n");
}

/* A process takes it, writes, and is killed; with its cleaner, or without. */
static void test_killed(bool cleaner_too)
{
	struct lease lease;
	struct fault fault;
	pid_t child, cleaner = 0;
	int ready[2];

	CHECK_INT(pipe(ready), 0);
	child = fork();
	if (!child) {
		close(ready[0]);
		if (lease__take(&lease, run_folder, files, &fault) || lease__write(&lease, "roots", "vfs_read\n"))
			_exit(1);
		cleaner = cleaner__pid();
		if (write(ready[1], &cleaner, sizeof(cleaner)) < 0)
			_exit(1);
		pause();
	}
	close(ready[1]);
	CHECK(read(ready[0], &cleaner, sizeof(cleaner)) == sizeof(cleaner));
	CHECK_STR(get("roots"), "vfs_read\n");
	if (cleaner_too)
		kill(cleaner, SIGKILL);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	/* the cleaner is this process's now */
	waitpid(cleaner, NULL, 0);
	close(ready[0]);
	CHECK_STR(get("roots"), cleaner_too ? "vfs_read\n" : "");
	CHECK_INT(has_record(), cleaner_too);
	CHECK_INT(lease__take(&lease, run_folder, files, &fault), 0);
	CHECK_STR(get("roots"), "");
	CHECK_INT(lease__give_back(&lease), 0);
}

/* Both are killed, and somebody else writes into a file before the next start: that file is theirs. */
static void test_others(void)
{
	struct lease lease;
	struct fault fault;
	pid_t child, cleaner = 0;
	int ready[2];

	set("clock", "[local] global\n");
	CHECK_INT(pipe(ready), 0);
	child = fork();
	if (!child) {
		if (lease__take(&lease, run_folder, files, &fault) || lease__write(&lease, "roots", "vfs_read\n") ||
		    lease__write(&lease, "depth", "3\n") || lease__write(&lease, "clock", "mono\n") ||
		    (cleaner = cleaner__pid(), write(ready[1], &cleaner, sizeof(cleaner)) < 0))
			_exit(1);
		pause();
	}
	close(ready[1]);
	CHECK(read(ready[0], &cleaner, sizeof(cleaner)) == sizeof(cleaner));
	close(ready[0]);
	/* who lives keeps it */
	lease__sweep(run_folder);
	CHECK_STR(get("depth"), "3\n");
	kill(cleaner, SIGKILL);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	waitpid(cleaner, NULL, 0);
	set("roots", "others\n");
	CHECK_INT(lease__take(&lease, run_folder, files, &fault), -EBUSY);
	CHECK_STR(fault.text, "roots in tracefs is in use: it says 'others', and is one for the whole system");
	CHECK_STR(get("roots"), "others\n");
	CHECK_STR(get("depth"), "0\n");
	CHECK_STR(get("clock"), "local\n");
	CHECK(!has_record());
	lease__sweep(run_folder);
	set("roots", "");
}

/* Somebody else writes the files, and what they say is noted. */
static void test_noted(void)
{
	struct lease lease;
	struct fault fault;

	set("clock", "[local] global\n");
	CHECK_INT(lease__take(&lease, run_folder, files, &fault), 0);
	CHECK_INT(lease__note_all(&lease, false), 0);
	set("depth", "7\n");
	set("clock", "mono\n");
	CHECK_INT(lease__give_back(&lease), 0);
	CHECK_STR(get("depth"), "0\n");
	CHECK_STR(get("clock"), "local\n");
	CHECK_INT(lease__take(&lease, run_folder, files, &fault), 0);
	CHECK_INT(lease__note_all(&lease, false), 0);
	set("depth", "7\n");
	set("clock", "mono\n");
	CHECK_INT(lease__note_all(&lease, true), 0);
	set("depth", "9\n");
	CHECK_INT(lease__give_back(&lease), 0);
	CHECK_STR(get("depth"), "9\n");
	CHECK_STR(get("clock"), "local\n");
	CHECK(!has_record());
	set("depth", "0\n");
}

/* A cleaner that was killed alone: the process gives it back itself. */
static void test_no_cleaner(void)
{
	struct lease lease;
	struct fault fault;

	CHECK_INT(lease__take(&lease, run_folder, files, &fault), 0);
	CHECK_INT(lease__write(&lease, "roots", "vfs_read\n"), 0);
	kill(cleaner__pid(), SIGKILL);
	CHECK_INT(lease__give_back(&lease), 0);
	CHECK_STR(get("roots"), "");
	CHECK(!has_record());
}

int main(void)
{
	char command[128];

	signal(SIGPIPE, SIG_IGN);
	CHECK(mkdtemp(folder));
	tracefs__use(folder);
	snprintf(run_folder, sizeof(run_folder), "%s/run", folder);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	set("roots", "");
	set("depth", "0\n");
	set("thresh", "0\n");
	set("clock", "[local] global\n");
	test_normal();
	test_refused();
	test_elsewhere();
	test_killed(false);
	test_killed(true);
	test_others();
	test_noted();
	test_no_cleaner();
	snprintf(command, sizeof(command), "rm -r '%s'", folder);
	CHECK_INT(system(command), 0);
	return check_done();
}
