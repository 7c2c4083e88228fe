/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fault CALL TOOL ARG…: runs the tool again and again, and makes one system call fail each time: in the first run the first bpf(2),
 * say, in the second run the second, until a run has no more of them.  CALL: bpf, perf_event_open, mmap, open or write.
 *
 * Each run must end by itself: with status 1 and lines on stderr that all begin with the tool's name, one of them alone if the
 * tool was not ready yet; or with status 0 and its summary, if it can do without the call.  Whatever else happens is
 * printed, "bad N: …".  The last line is "CALL: N faults, M ended the tool, B bad".  Exit status 1 if any was bad.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
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

/* A run of the tool. */
struct run {
	int call;		/* in calls */
	int wanted;		/* the call of this number fails, from 1 on */
	int seen;
	bool was_injected;
	bool on_stderr;		/* it was a write to stderr: what it should have said is not there */
	int status;		/* as of waitpid(2) */
};

static pid_t tool;
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

/* At the entry or the exit of a system call of a thread; in_call holds the thread that is to be told the failure. */
static void on_syscall(struct run *run, pid_t thread, pid_t *failing)
{
	struct user_regs_struct regs;

	if (ptrace(PTRACE_GETREGS, thread, NULL, &regs))
		return;
	if (thread == *failing) {
		regs.rax = (unsigned long long)-calls[run->call].error;
		ptrace(PTRACE_SETREGS, thread, NULL, &regs);
		*failing = 0;
		return;
	}
	/* -ENOSYS at the entry, as nobody has carried it out yet */
	if ((long long)regs.rax != -ENOSYS || !is_call(run, (long)regs.orig_rax) ||
	    is_question(run, thread, &regs) || ++run->seen != run->wanted)
		return;
	run->was_injected = true;
	run->on_stderr = calls[run->call].numbers[0] == SYS_write && regs.rdi == STDERR_FILENO;
	regs.orig_rax = (unsigned long long)-1;
	ptrace(PTRACE_SETREGS, thread, NULL, &regs);
	*failing = thread;
}

static void start(char **argv)
{
	tool = fork();
	if (!tool) {
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
}

/* Runs the tool to its end, with its threads and children. */
static void follow(struct run *run, char **argv)
{
	pid_t failing = 0, thread;
	bool first = true;
	int status;

	start(argv);
	alarm(RUN_SECONDS);
	is_overdue = 0;
	while ((thread = waitpid(-1, &status, __WALL)) > 0 || (thread < 0 && errno == EINTR)) {
		int signal = 0;

		if (thread < 0) {
			if (is_overdue)
				kill(tool, SIGSTOP);
			continue;
		}
		if (WIFEXITED(status) || WIFSIGNALED(status)) {
			if (thread == tool)
				run->status = status;
			continue;
		}
		if (is_overdue && WSTOPSIG(status) == SIGSTOP) {
			tell_place(thread);
			kill(tool, SIGKILL);
		}
		if (first) {
			ptrace(PTRACE_SETOPTIONS, thread, NULL, PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK |
			       PTRACE_O_EXITKILL);
			first = false;
		} else if (WSTOPSIG(status) == (SIGTRAP | 0x80)) {
			on_syscall(run, thread, &failing);
		} else if (WSTOPSIG(status) != SIGTRAP && WSTOPSIG(status) != SIGSTOP) {
			signal = WSTOPSIG(status);
		}
		ptrace(PTRACE_SYSCALL, thread, NULL, signal);
	}
	alarm(0);
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

int main(int argc, char **argv)
{
	struct run run = { .call = -1 };
	int ended = 0, bad = 0, count;

	for (int i = 0; argc > 2 && i < (int)(sizeof(calls) / sizeof(*calls)); i++)
		if (!strcmp(argv[1], calls[i].name))
			run.call = i;
	if (run.call < 0) {
		fprintf(stderr, "usage: fault bpf|perf_event_open|mmap|open|write TOOL ARG...\n");
		return 2;
	}
	/* waitpid(2) is to return then, where signal(2) would have it go on */
	sigaction(SIGALRM, &(struct sigaction){ .sa_handler = on_alarm }, NULL);
	for (count = 0; count < RUNS_MAX; count++) {
		const char *why;

		run = (struct run){ .call = run.call, .wanted = count + 1 };
		follow(&run, argv + 2);
		if (!run.was_injected)
			break;
		ended += WIFEXITED(run.status) && WEXITSTATUS(run.status) == 1;
		why = verdict(&run, argv[2]);
		if (why) {
			bad++;
			printf("bad %d: %s\n", count + 1, why);
			fflush(stdout);
			if (system("sed 's/^/bad   stderr: /' /tmp/fault.err"))
				die("sed");
		}
	}
	printf("%s: %d faults, %d ended the tool, %d bad\n", argv[1], count, ended, bad);
	return bad || count == RUNS_MAX;
}
