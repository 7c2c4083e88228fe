/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fault [-c] CALL TOOL ARG…: makes each system call of a kind fail once, each in a run of its own: in the first run
 * the first bpf(2), say, in the second run the second, until a run has no more of them.  CALL: bpf, perf_event_open,
 * mmap, open or write.
 *
 * A run does not begin anew: the tool runs once, and is copied before each of the calls (fork); the call fails in the
 * copy, which goes on to its end while the tool stands still.  From where the tool has a child or a thread, which a
 * copy would not have, and from where it ends otherwise than it should after its copies have ended, it is run again
 * and again.
 *
 * -c: only calls after the first capget(2), with which a tool's checks begin: not those of the dynamic loader and of
 * the sanitizers.
 *
 * Each run must end by itself: with status 1 and lines on stderr that all begin with the tool's name, one of them
 * alone if the tool was not ready yet; or with status 0 and its summary, if it can do without the call.  Whatever
 * else happens is printed, "bad N: …".  The last line is "CALL: N faults, M ended the tool, B bad".  Exit status 1 if
 * any was bad.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#define RUNS_MAX 2000
#define RUN_SECONDS 900

static const struct {
	const char *name;
	long numbers[2];
	int error;
} calls[] = {
	{ "bpf", { SYS_bpf, SYS_bpf }, ENOMEM },
	{ "perf_event_open", { SYS_perf_event_open, SYS_perf_event_open }, ENOMEM },
	{ "mmap", { SYS_mmap, SYS_mmap }, ENOMEM },
	{ "open", { SYS_openat, SYS_open }, EIO },
	{ "write", { SYS_write, SYS_writev }, EIO },
};

/* A run of the tool, or of a copy. */
struct run {
	int call;		/* in calls */
	int wanted;		/* the call of this number fails, from 1 on; 0: none, a copy is made before each */
	int seen;
	bool was_injected;
	bool on_stderr;		/* it was a write to stderr: what it should have said is not there */
	int status;		/* as of waitpid(2) */
	pid_t main;		/* its process */
	pid_t repeating;	/* the thread that makes its call again, after a copy */
	pid_t failing;		/* the thread whose call is to fail */
	int members;		/* threads that have not ended */
	bool is_alone;		/* it has never had another one */
	bool awaits_checks;	/* -c: its calls do not count yet */
	int copied;		/* copies were made before that many calls */
};

/* What runs: threads of the tool, and of the copy. */
static struct member {
	pid_t pid;
	struct run *run;
	int waits_with;		/* the status that it stopped with while a copy ran; 0: none */
	bool is_told;		/* the stop of the thread that made it was seen, or it is the first one */
	bool has_ended;		/* before that */
} members[64];

static bool from_checks_on;
static int bad, ended;

static volatile sig_atomic_t is_overdue;

static void die(const char *what)
{
	perror(what);
	exit(125);
}

/* Where a thread that hangs is: its last system call or -1, its instruction pointer, and what /proc/PID/maps says lies there. */
static void tell_place(pid_t thread)
{
	struct user_regs_struct regs;
	char path[64], line[512];
	FILE *maps;

	if (ptrace(PTRACE_GETREGS, thread, NULL, &regs))
		return;
	printf("bad   hangs: system call %lld(%lld) = %lld, at %#llx", regs.orig_rax, regs.rdi, regs.rax, regs.rip);
	snprintf(path, sizeof(path), "/proc/%d/maps", (int)thread);
	maps = fopen(path, "r");
	while (maps && fgets(line, sizeof(line), maps)) {
		unsigned long long from, to;

		if (sscanf(line, "%llx-%llx", &from, &to) == 2 && regs.rip >= from && regs.rip < to)
			printf(" in %s", line);
	}
	if (maps)
		fclose(maps);
	printf("\n");
}

static void on_alarm(int signal)
{
	(void)signal;
	is_overdue = 1;
}

static bool is_call(const struct run *run, long number)
{
	return number == calls[run->call].numbers[0] || number == calls[run->call].numbers[1];
}

/*
 * libbpf loads a BTF of a few types to ask the kernel for each kind of type that it may know. If the answer on global functions is no,
 * libbpf makes them static, and the kernel verifies them anew for each call: with execsnoop's that takes minutes here, until it gives up
 * after a million instructions. All kernels with a ring buffer have them (since 5.5), so this answer would be a lie.
 */
static bool is_question(const struct run *run, pid_t thread, const struct user_regs_struct *regs)
{
	/* union bpf_attr of BPF_BTF_LOAD: btf, btf_log_buf, btf_size */
	return calls[run->call].numbers[0] == SYS_bpf && regs->rdi == BPF_BTF_LOAD &&
	       (unsigned int)ptrace(PTRACE_PEEKDATA, thread, regs->rsi + 16, NULL) < 256;
}

static struct member *member_of(pid_t pid)
{
	for (size_t i = 0; i < sizeof(members) / sizeof(*members); i++)
		if (members[i].pid == pid)
			return &members[i];
	return NULL;
}

/* A thread is seen first where it stops, or (is_told) where the one that made it stops: by then it may have ended. */
static void add_member(struct run *run, pid_t pid, bool is_told)
{
	struct member *member = member_of(pid);

	if (member && member->has_ended)
		*member = (struct member){ .pid = 0 };
	else if (member)
		member->is_told |= is_told;
	if (member)
		return;
	member = member_of(0);
	if (!member) {
		fprintf(stderr, "fault: too many threads\n");
		exit(125);
	}
	*member = (struct member){ .pid = pid, .run = run, .is_told = is_told };
	run->members++;
}

static void remove_member(struct run *run, struct member *member)
{
	if (member->is_told)
		*member = (struct member){ .pid = 0 };
	else
		member->has_ended = true;
	run->members--;
}

/* Lets a thread that has stopped go on to its next system call, and waits for its next stop. */
static int step(pid_t thread)
{
	int status = 0;

	ptrace(PTRACE_SYSCALL, thread, NULL, 0);
	while (waitpid(thread, &status, __WALL) < 0 && errno == EINTR)
		;
	return status;
}

/* The registers of a thread that is to make its call again. */
static struct user_regs_struct once_more(struct user_regs_struct regs)
{
	regs.rip -= 2;		/* the instruction is 0f 05 */
	regs.rax = regs.orig_rax;
	regs.orig_rax = (unsigned long long)-1;
	return regs;
}

#define OPTIONS (PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_EXITKILL)

/*
 * Copies the process of a thread at the entry of a call, by a system call of its own in place of that.  The copy, and the thread, will
 * make the call again.  Returns the copy's pid, 0 where it could not be made.
 */
static pid_t copy_at(pid_t thread, const struct user_regs_struct *regs)
{
	struct user_regs_struct clone = *regs, again = once_more(*regs);
	unsigned long copy = 0;
	int status;

	clone.orig_rax = SYS_clone;
	clone.rdi = CLONE_PARENT | SIGCHLD;
	clone.rsi = clone.rdx = clone.r10 = clone.r8 = 0;
	ptrace(PTRACE_SETREGS, thread, NULL, &clone);
	/* the tool's own filter does not allow it */
	ptrace(PTRACE_SETOPTIONS, thread, NULL, OPTIONS | PTRACE_O_SUSPEND_SECCOMP);
	status = step(thread);
	if (status >> 8 == (SIGTRAP | PTRACE_EVENT_FORK << 8)) {
		ptrace(PTRACE_GETEVENTMSG, thread, NULL, &copy);
		while (waitpid((pid_t)copy, &status, __WALL) < 0 && errno == EINTR)
			;
		ptrace(PTRACE_SETOPTIONS, (pid_t)copy, NULL, OPTIONS);
		ptrace(PTRACE_SETREGS, (pid_t)copy, NULL, &again);
		step(thread);
	}
	ptrace(PTRACE_SETOPTIONS, thread, NULL, OPTIONS);
	ptrace(PTRACE_SETREGS, thread, NULL, &again);
	return (pid_t)copy;
}

static void judge(const struct run *run, int number, const char *name);
static void follow(struct run *run);

/* A copy of the process is run, and its call fails. */
static bool run_copy(struct run *run, pid_t thread, const struct user_regs_struct *regs, const char *name)
{
	struct run copy = { .call = run->call, .wanted = 1, .is_alone = true };

	copy.main = copy_at(thread, regs);
	run->repeating = thread;
	if (!copy.main)
		return false;
	if (truncate("/tmp/fault.out", 0) || truncate("/tmp/fault.err", 0))
		die("/tmp/fault.err");
	add_member(&copy, copy.main, true);
	ptrace(PTRACE_SYSCALL, copy.main, NULL, 0);
	follow(&copy);
	alarm(RUN_SECONDS);
	judge(&copy, run->seen, name);
	return true;
}

static const char *tool_name;

/* At the entry or the exit of a system call of a thread. */
static void on_syscall(struct run *run, pid_t thread)
{
	struct user_regs_struct regs;

	if (ptrace(PTRACE_GETREGS, thread, NULL, &regs))
		return;
	if (thread == run->failing) {
		regs.rax = (unsigned long long)-calls[run->call].error;
		ptrace(PTRACE_SETREGS, thread, NULL, &regs);
		run->failing = 0;
		return;
	}
	if (run->awaits_checks) {
		run->awaits_checks = regs.orig_rax != SYS_capget;
		return;
	}
	/* -ENOSYS at the entry, as nobody has carried it out yet */
	if ((long long)regs.rax != -ENOSYS || !is_call(run, (long)regs.orig_rax) || is_question(run, thread, &regs))
		return;
	if (thread == run->repeating) {
		run->repeating = 0;
		return;
	}
	run->seen++;
	if (!run->wanted && run->is_alone && run->copied == run->seen - 1)
		run->copied += run_copy(run, thread, &regs, tool_name);
	if (run->seen != run->wanted)
		return;
	run->was_injected = true;
	run->on_stderr = calls[run->call].numbers[0] == SYS_write && regs.rdi == STDERR_FILENO;
	regs.orig_rax = (unsigned long long)-1;
	ptrace(PTRACE_SETREGS, thread, NULL, &regs);
	run->failing = thread;
}

static void start(struct run *run, char **argv)
{
	int status;

	run->main = fork();
	if (!run->main) {
		int out = open("/tmp/fault.out", O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0600);
		int err = open("/tmp/fault.err", O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0600);

		dup2(out, 1);
		dup2(err, 2);
		close(out);
		close(err);
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		execvp(*argv, argv);
		_exit(127);
	}
	run->is_alone = true;
	run->awaits_checks = from_checks_on;
	add_member(run, run->main, true);
	/* it stops once it is the tool */
	if (waitpid(run->main, &status, __WALL) != run->main || !WIFSTOPPED(status)) {
		fprintf(stderr, "fault: %s cannot be run\n", *argv);
		exit(125);
	}
	ptrace(PTRACE_SETOPTIONS, run->main, NULL, OPTIONS);
	ptrace(PTRACE_SYSCALL, run->main, NULL, 0);
}

/* A thread of the run has stopped, or ended. */
static void on_stop(struct run *run, pid_t thread, int status)
{
	int signal = 0;

	if (WIFEXITED(status) || WIFSIGNALED(status)) {
		if (thread == run->main)
			run->status = status;
		remove_member(run, member_of(thread));
		return;
	}
	if (is_overdue && WSTOPSIG(status) == SIGSTOP) {
		tell_place(thread);
		kill(run->main, SIGKILL);
	}
	if (WSTOPSIG(status) == (SIGTRAP | 0x80)) {
		on_syscall(run, thread);
	} else if (status >> 16) {
		unsigned long other;

		run->is_alone = false;
		if (!ptrace(PTRACE_GETEVENTMSG, thread, NULL, &other))
			add_member(run, (pid_t)other, true);
	} else if (WSTOPSIG(status) != SIGTRAP && WSTOPSIG(status) != SIGSTOP) {
		signal = WSTOPSIG(status);
	}
	ptrace(PTRACE_SYSCALL, thread, NULL, signal);
}

/* Follows a run to its end, with its threads and children.  Those of a tool that has been copied wait until the copy has ended. */
static void follow(struct run *run)
{
	struct member *member;
	pid_t thread;
	int status;

	alarm(RUN_SECONDS);
	is_overdue = 0;
	while (run->members) {
		for (member = members; member < members + sizeof(members) / sizeof(*members); member++) {
			if (member->run != run || !member->pid || !member->waits_with)
				continue;
			status = member->waits_with;
			member->waits_with = 0;
			on_stop(run, member->pid, status);
		}
		if (!run->members)
			break;
		thread = waitpid(-1, &status, __WALL);
		if (thread < 0 && errno != EINTR)
			die("waitpid");
		if (thread < 0) {
			if (is_overdue)
				kill(run->main, SIGSTOP);
			continue;
		}
		member = member_of(thread);
		if (!member) {
			/* a new one may stop before the one that made it */
			add_member(run, thread, false);
			member = member_of(thread);
		}
		if (member->run == run)
			on_stop(run, thread, status);
		else
			member->waits_with = status;
	}
	alarm(0);
	/* nobody is left to tell of these */
	for (member = members; member < members + sizeof(members) / sizeof(*members); member++)
		if (member->run == run)
			*member = (struct member){ .pid = 0 };
}

/* Why a run is bad, or NULL. */
static const char *verdict(const struct run *run, const char *name)
{
	char line[1024], prefix[64];
	bool summary = false;
	int messages = 0;
	FILE *err;

	if (WIFSIGNALED(run->status))
		return WTERMSIG(run->status) == SIGKILL ? "it did not end by itself" : strsignal(WTERMSIG(run->status));
	if (WEXITSTATUS(run->status) > 1)
		return "another exit status than 0 and 1";
	if (run->on_stderr)
		return NULL;
	err = fopen("/tmp/fault.err", "r");
	if (!err)
		die("/tmp/fault.err");
	snprintf(prefix, sizeof(prefix), "%s: ", name);
	while (fgets(line, sizeof(line), err)) {
		if (strncmp(line, prefix, strlen(prefix))) {
			fclose(err);
			return "a line on stderr that is not the tool's";
		}
		if (strstr(line, ": delivered ") || strstr(line, ": counted "))
			summary = true;
		/* the latter is told at the start of every run: which engine, and what it promises */
		else if (!strstr(line, ": warning: ") && !strstr(line, ": engine "))
			messages++;
	}
	fclose(err);
	if (WEXITSTATUS(run->status) == 1 && messages != 1)
		return messages ? "more than one message" : "status 1 without a message";
	if (WEXITSTATUS(run->status) == 0 && !summary)
		return "status 0 without a summary";
	return NULL;
}

/* Counts a run whose call of that number failed, and prints why it is bad if it is. */
static void judge(const struct run *run, int number, const char *name)
{
	const char *why = verdict(run, name);

	ended += WIFEXITED(run->status) && WEXITSTATUS(run->status) == 1;
	if (!why)
		return;
	bad++;
	printf("bad %d: %s\n", number, why);
	fflush(stdout);
	if (system("sed 's/^/bad   stderr: /' /tmp/fault.err"))
		die("sed");
}

int main(int argc, char **argv)
{
	struct run run = { .call = -1 };
	int count;
	bool has_more;

	if (argc > 1 && !strcmp(argv[1], "-c")) {
		from_checks_on = true;
		argc--;
		argv++;
	}
	for (int i = 0; argc > 2 && i < (int)(sizeof(calls) / sizeof(*calls)); i++)
		if (!strcmp(argv[1], calls[i].name))
			run.call = i;
	if (run.call < 0) {
		fprintf(stderr, "usage: fault [-c] bpf|perf_event_open|mmap|open|write TOOL ARG...\n");
		return 2;
	}
	tool_name = argv[2];
	/* waitpid(2) is to return then, where signal(2) would have it go on */
	sigaction(SIGALRM, &(struct sigaction){ .sa_handler = on_alarm }, NULL);
	start(&run, argv + 2);
	follow(&run);
	/* a copy may have changed what the tool shares with it, so that it ended too early */
	has_more = run.seen > run.copied || !WIFEXITED(run.status) || WEXITSTATUS(run.status);
	for (count = run.copied; has_more && count < RUNS_MAX; count++) {
		run = (struct run){ .call = run.call, .wanted = count + 1 };
		start(&run, argv + 2);
		follow(&run);
		if (!run.was_injected)
			break;
		judge(&run, count + 1, tool_name);
	}
	printf("%s: %d faults, %d ended the tool, %d bad\n", argv[1], count, ended, bad);
	return bad || count == RUNS_MAX;
}
