/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * kprobe_events: what is appended to a file that stands for tracefs' own, and whose probes are swept.  The kernel's
 * side of it is tested in the guest (tests/attach).
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "lib/probe/kprobe_events.h"
#include "lib/probe/own_lines.h"
#include "lib/kernel/tracefs.h"

static char folder[] = "/tmp/probelight-kprobe-events.XXXXXX";

static void write_file(const char *name, const char *text)
{
	char path[256];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "w");
	CHECK(file && fputs(text, file) >= 0 && !fclose(file));
}

/* The file's content, static. */
static const char *read_file(const char *name)
{
	static char text[4096];
	char path[256];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "r");
	if (!file)
		return NULL;
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	fclose(file);
	return text;
}

static void test_names(void)
{
	static const char *const bad[] = {
		"", "p", "p1234", "p1234_0_x", "p_do_unlinkat_0", "q1234n1s1_0_x", "p0n1s1_0_x", "p1n1s1", "p1n1s1x", "p1ns1_0_x",
		"p1n1s_0_x", "p1n1_0_x", "p99999999999999999999n1s1_0_x", "p1n100000000s1_0_x", "p1n1s10000000000000000_0_x", "p-1n1s1_0_x",
	};
	char text[OWNER_TEXT_MAX];
	struct owner owner;

	CHECK(own_lines__owner("p1234nf0000004s5a3c_0_do_unlinkat", &owner));
	CHECK_INT(owner.pid, 1234);
	CHECK_INT(owner.pid_ns, 0xf0000004);
	CHECK_INT(owner.start, 0x5a3c);
	owner__text(&owner, text);
	CHECK_STR(text, "1234nf0000004s5a3c");
	CHECK(own_lines__owner("r77n1s2_12_x 1 2", &owner));
	CHECK_INT(owner.pid, 77);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		if (!CHECK(!own_lines__owner(bad[i], &owner)))
			fprintf(stderr, "    of \"%s\"\n", bad[i]);
}

static void test_owners(void)
{
	struct owner self = owner__self(), other = self;
	siginfo_t info;

	CHECK_INT(self.pid, getpid());
	CHECK(self.pid_ns && self.start);
	CHECK(owner__is_same(&self, &other));
	CHECK(!owner__is_known_dead(&self));
	/* an earlier process of our pid */
	other.start -= 2;
	CHECK(!owner__is_same(&self, &other) && owner__is_known_dead(&other));
	/* one of that number in another pid namespace: nobody knows */
	other.pid_ns++;
	CHECK(!owner__is_known_dead(&other));
	/* the start is not known: the pid alone decides */
	other = self;
	other.pid = getppid();
	other.start = 0;
	CHECK(!owner__is_known_dead(&other));
	other.start = 1;
	CHECK(other.pid == 1 || owner__is_known_dead(&other));
	/* one that nobody waits for has ended */
	other = self;
	other.pid = fork();
	other.start = 0;
	if (!other.pid)
		_exit(0);
	waitid(P_PID, (id_t)other.pid, &info, WEXITED | WNOWAIT);
	CHECK(owner__is_known_dead(&other));
	waitpid(other.pid, NULL, 0);
	CHECK(owner__is_known_dead(&other));
}

/* A pid that is none: that of a child that is gone. */
static pid_t dead_pid(void)
{
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	waitpid(pid, NULL, 0);
	return pid;
}

static void test_sweep(void)
{
	struct owner self = owner__self(), parent = self;
	char before[1024], expected[1200];
	pid_t dead = dead_pid();

	/*
	 * others' probes, also those of dead processes; ours of a living one, of a dead one, of one that had our pid before, and of one
	 * with a dead one's pid in another pid namespace
	 */
	parent.pid = getppid();
	snprintf(before, sizeof(before),
		 "p:kprobes/libbpf_%d_do_unlinkat_0x0_0 do_unlinkat+0x0\n"
		 "p:mine/p%dn%xs1_0_do_unlinkat do_unlinkat\n"
		 "p:probelight/p%dn%xs0_0_do_unlinkat do_unlinkat\n"
		 "r16:probelight/r%dn%xs1_1_do_unlinkat do_unlinkat\n"
		 "p:probelight/handmade do_unlinkat\n"
		 "p:probelight/p%d_0_do_rmdir do_rmdir\n"
		 "p:probelight/p%dn%xs1_0_do_rmdir do_rmdir\n"
		 "p:probelight/p%dn%xs1_0_do_rmdir do_rmdir\n", dead, dead, self.pid_ns, parent.pid, self.pid_ns, dead, self.pid_ns,
		 dead, dead, self.pid_ns - 1, getpid(), self.pid_ns);
	snprintf(expected, sizeof(expected), "%s-:probelight/r%dn%xs1_1_do_unlinkat\n-:probelight/p%dn%xs1_0_do_rmdir\n", before,
		 dead, self.pid_ns, getpid(), self.pid_ns);
	write_file("kprobe_events", before);
	CHECK_INT(kprobe_events__sweep(), 2);
	CHECK_STR(read_file("kprobe_events"), expected);

	write_file("kprobe_events", "");
	CHECK_INT(kprobe_events__sweep(), 0);
	CHECK_STR(read_file("kprobe_events"), "");
}

static void test_add(void)
{
	char first[KPROBE_EVENTS_NAME_MAX], second[KPROBE_EVENTS_NAME_MAX], expected[1024], relative[256], profile[512];
	uint64_t entries = 1, returns = 1;
	char other[OWNER_TEXT_MAX], own[OWNER_TEXT_MAX];
	struct owner owner = owner__self();

	owner__text(&owner, own);
	owner.pid_ns++;
	owner__text(&owner, other);
	write_file("kprobe_events", "p:mine/old do_unlinkat\n");
	CHECK_INT(kprobe_events__missed(&entries, &returns), 0);
	CHECK_INT(entries + returns, 0);
	CHECK_INT(kprobe_events__add("do_unlinkat", 0, false, first), 0);
	CHECK_INT(kprobe_events__add("ext4:a.function.with_a_name.that_is_longer_than_the_kernels_64_characters+16", 0, true,
				     second), 0);
	snprintf(expected, sizeof(expected), "p%s_0_do_unlinkat", own);
	CHECK_STR(first, expected);
	CHECK_INT(strlen(second), KPROBE_EVENTS_NAME_MAX - 1);
	CHECK(own_lines__owner(second, &owner) && owner.pid == getpid());
	CHECK(!strpbrk(second, ":.+"));
	snprintf(expected, sizeof(expected),
		 "p:mine/old do_unlinkat\n"
		 "p:probelight/%s do_unlinkat\n"
		 "r256:probelight/%s ext4:a.function.with_a_name.that_is_longer_than_the_kernels_64_characters+16\n",
		 first, second);
	CHECK_STR(read_file("kprobe_events"), expected);

	CHECK_INT(kprobe_events__id(first), -ENOENT);
	mkdir((snprintf(relative, sizeof(relative), "%s/events", folder), relative), 0700);
	mkdir((snprintf(relative, sizeof(relative), "%s/events/probelight", folder), relative), 0700);
	mkdir((snprintf(relative, sizeof(relative), "%s/events/probelight/%s", folder, first), relative), 0700);
	snprintf(relative, sizeof(relative), "events/probelight/%s/id", first);
	write_file(relative, "1789\n");
	CHECK_INT(kprobe_events__id(first), 1789);

	/* ours are added up, others' are not, also those of a process that has our pid in another pid namespace */
	snprintf(profile, sizeof(profile),
		 "  %-44s %15d %15d\n  %-44s %15d %15d\n  p%s_0_do_unlinkat %15d %15d\n  p%d_0_do_unlinkat 1 500\n", first, 100, 3,
		 second, 7, 4, other, 1, 50, getpid());
	write_file("kprobe_profile", profile);
	CHECK_INT(kprobe_events__missed(&entries, &returns), 0);
	CHECK_INT(entries, 3);
	CHECK_INT(returns, 4);

	/* at the end ours go, by name, and the file is only appended to; sweeping leaves a living process' ones */
	CHECK_INT(kprobe_events__sweep(), 0);
	CHECK_INT(kprobe_events__end(), 0);
	snprintf(expected + strlen(expected), sizeof(expected) - strlen(expected), "-:probelight/%s\n-:probelight/%s\n", first,
		 second);
	CHECK_STR(read_file("kprobe_events"), expected);
	/* the cleaner is gone too */
	CHECK(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD);
}

/* The cleaner removes what a process leaves that does not end it, and nothing of others. */
static void test_cleaner(void)
{
	char name[KPROBE_EVENTS_NAME_MAX] = "", expected[512];
	int ready[2], status;
	pid_t child;

	write_file("kprobe_events", "p:mine/old do_unlinkat\n");
	CHECK(!pipe(ready));
	child = fork();
	if (!child) {
		/* the write end stays open here only: the cleaner must have closed it, or the read below never ends */
		if (kprobe_events__add("do_unlinkat", 0, false, name) || write(ready[1], name, sizeof(name)) != sizeof(name))
			_exit(1);
		raise(SIGKILL);
	}
	close(ready[1]);
	waitpid(child, &status, 0);
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	CHECK_INT(read(ready[0], name, sizeof(name)), sizeof(name));
	CHECK_INT(read(ready[0], expected, 1), 0);
	close(ready[0]);
	snprintf(expected, sizeof(expected), "p:mine/old do_unlinkat\np:probelight/%s do_unlinkat\n-:probelight/%s\n", name, name);
	/* it is nobody's child of ours: wait for its work, ten seconds at most */
	for (int i = 0; i < 1000 && strcmp(read_file("kprobe_events"), expected); i++)
		usleep(10000);
	CHECK_STR(read_file("kprobe_events"), expected);
}

int main(void)
{
	char command[128];

	CHECK(mkdtemp(folder));
	tracefs__use(folder);
	test_names();
	test_owners();
	test_sweep();
	test_add();
	test_cleaner();
	snprintf(command, sizeof(command), "rm -r %s", folder);
	CHECK(!system(command));
	return check_done();
}
