/* SPDX-License-Identifier: BSD-2-Clause */
/* lib/ftrace/instance, in a directory that stands for tracefs.  The guest's tests have the kernel's side. */
#include "lib/ftrace/instance.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "lib/kernel/tracefs.h"
#include "lib/probe/cleaner.h"
#include "lib/kernel/owner.h"

static char folder[] = "/tmp/probelight-instance.XXXXXX";

static bool exists(const char *relative)
{
	char path[512];

	return !tracefs__path(path, sizeof(path), relative) && !access(path, F_OK);
}

static void make_named(const char *name)
{
	char path[512];

	CHECK_INT(tracefs__path(path, sizeof(path), name), 0);
	CHECK_INT(mkdir(path, 0700), 0);
}

/* Instances of dead owners are removed, no others. */
static void test_sweep(void)
{
	struct owner owner = owner__self();
	char names[3][128], text[OWNER_TEXT_MAX], path[512];
	pid_t dead = fork();

	if (!dead)
		_exit(0);
	waitpid(dead, NULL, 0);
	owner__text(&owner, text);
	snprintf(names[0], sizeof(names[0]), "instances/probelight.%s.7", text);
	owner.pid = dead;
	owner__text(&owner, text);
	snprintf(names[1], sizeof(names[1]), "instances/probelight.%s.0", text);
	owner.pid_ns++;
	owner__text(&owner, text);
	snprintf(names[2], sizeof(names[2]), "instances/probelight.%s.0", text);
	for (int i = 0; i < 3; i++)
		make_named(names[i]);
	make_named("instances/probelight.mine");
	make_named("instances/foreign");
	CHECK_INT(instance__sweep(), 1);
	CHECK(exists(names[0]) && !exists(names[1]) && exists(names[2]));
	CHECK(exists("instances/probelight.mine") && exists("instances/foreign"));
	for (int i = 0; i < 3; i += 2)
		CHECK(!tracefs__path(path, sizeof(path), names[i]) && !rmdir(path));
}

/* The cleaner writes it, once. */
static void test_clock(void)
{
	struct instance instance;
	char path[512], *text;
	size_t size;

	CHECK_INT(instance__make(&instance, 0), 0);
	/* there is no such file yet */
	CHECK_INT(instance__set_clock(&instance), -ENOENT);
	CHECK_INT(tracefs__path(path, sizeof(path), instance__file(&instance, "trace_clock")), 0);
	close(open(path, O_CREAT | O_WRONLY, 0600));
	instance__begin_clock(&instance);
	instance__begin_clock(&instance);
	CHECK_INT(instance__set_clock(&instance), 0);
	CHECK_INT(instance__read(&instance, "trace_clock", 64, &text, &size), 0);
	CHECK_STR(text, "mono\n");
	free(text);
	CHECK_INT(instance__write(&instance, "trace_clock", "local\n"), 0);
	instance__begin_clock(&instance);
	CHECK_INT(instance__set_clock(&instance), 0);
	CHECK_INT(instance__read(&instance, "trace_clock", 64, &text, &size), 0);
	CHECK_STR(text, "local\n");
	free(text);
	CHECK_INT(unlink(path), 0);
	CHECK_INT(instance__remove(&instance), 0);
	/* a cleaner that somebody has killed: this process sets it */
	CHECK_INT(instance__make(&instance, 0), 0);
	CHECK_INT(tracefs__path(path, sizeof(path), instance__file(&instance, "trace_clock")), 0);
	close(open(path, O_CREAT | O_WRONLY, 0600));
	CHECK_INT(kill(cleaner__pid(), SIGKILL), 0);
	CHECK_INT(instance__set_clock(&instance), 0);
	CHECK_INT(instance__read(&instance, "trace_clock", 64, &text, &size), 0);
	CHECK_STR(text, "mono\n");
	free(text);
	CHECK_INT(unlink(path), 0);
	CHECK_INT(instance__remove(&instance), 0);
	/* what is being done is waited for before it is removed */
	CHECK_INT(instance__make(&instance, 0), 0);
	instance__begin_clock(&instance);
	CHECK_INT(instance__remove(&instance), 0);
	CHECK_INT(cleaner__pid(), 0);
}

static void test_make(void)
{
	struct instance instance = { .path = "" };

	CHECK_INT(instance__remove(&instance), 0);
	/*
	 * it fails on the way: nothing stays, neither a directory nor a cleaner.  An ordinary file system's directory has no
	 * buffer_size_kb.
	 */
	CHECK_INT(instance__make(&instance, 64), -ENOENT);
	CHECK_STR(instance.path, "");
	CHECK_INT(cleaner__pid(), 0);
	CHECK_INT(waitpid(-1, NULL, WNOHANG), -1);
	CHECK_INT(instance__sweep(), 0);
	test_clock();
	strcpy(instance.path, "instances/foreign");
	CHECK_STR(instance__file(&instance, "tracing_on"), "instances/foreign/tracing_on");
	CHECK_INT(instance__write(&instance, "tracing_on", "1"), -ENOENT);
	CHECK_INT(instance__open(&instance, "tracing_on", O_RDONLY), -ENOENT);
	tracefs__use("/nonexistent");
	CHECK_INT(instance__make(&instance, 0), -ENOENT);
	tracefs__use(folder);
}

int main(void)
{
	char command[64];

	/* as in the tools: writing to a cleaner that was killed is an error and no signal */
	signal(SIGPIPE, SIG_IGN);
	CHECK(mkdtemp(folder));
	tracefs__use(folder);
	make_named("instances");
	test_sweep();
	test_make();
	snprintf(command, sizeof(command), "rm -r '%s'", folder);
	CHECK_INT(system(command), 0);
	return check_done();
}
