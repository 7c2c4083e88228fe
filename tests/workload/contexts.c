/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * contexts KIND…: attaches contexts.bpf.c's programs of these kinds (kprobe, ksyscall, …), makes what they are on happen, and checks
 * each value that they read. Prints "ok - …" and "not ok - …" lines; exit status 1 when something was not ok.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bpf/libbpf.h>

#include "lib/kernel/arming.h"
#include "contexts.h"
#include "workload/contexts.skel.h"

#define PERIOD 100000		/* nanoseconds */

static const struct { const char *kind, *program; } programs[KINDS] = {
	[KPROBE] = { "kprobe", "__sys_sendto_enter" }, [KRETPROBE] = { "kretprobe", "__sys_sendto_exit" },
	[KSYSCALL] = { "ksyscall", "sendto_enter" }, [KRETSYSCALL] = { "kretsyscall", "sendto_exit" },
	[RAWTP] = { "rawtp", "sched_process_exec" }, [TP_BTF] = { "tp_btf", "sched_process_exec_tp_btf" },
	[FENTRY] = { "fentry", "__sys_sendto_enter_fentry" }, [FEXIT] = { "fexit", "__sys_sendto_exit_fexit" },
	[LSM] = { "lsm", "file_open" }, [PERF_EVENT] = { "perf_event", "sample" },
	[UPROBE] = { "uprobe", "called_by_itself_enter" }, [URETPROBE] = { "uretprobe", "called_by_itself_exit" },
};

static struct contexts_bpf *skel;
static bool wanted[KINDS];
static int failed;

__attribute__((format(printf, 2, 3)))
static void die(int err, const char *format, ...)
{
	va_list args;

	printf("not ok - ");
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf(": %s\n", strerror(err < 0 ? -err : err));
	exit(1);
}

/* Whether the programs of the kind ran that often, and read those values the last time. */
static void check(int kind, unsigned long long count, size_t values_count, ...)
{
	const volatile struct seen *seen = &skel->bss->seen[kind];
	bool same = seen->count == count;
	va_list values;

	if (!wanted[kind])
		return;
	printf("# %s: seen %llu times:", programs[kind].kind, seen->count);
	va_start(values, values_count);
	for (size_t i = 0; i < values_count; i++) {
		unsigned long long value = va_arg(values, unsigned long long);

		printf(" %#llx of %#llx", seen->values[i], value);
		same &= seen->values[i] == value;
	}
	va_end(values);
	printf("\n%s - %s: %zu values\n", same ? "ok" : "not ok", programs[kind].kind, values_count);
	failed |= !same;
}

static struct bpf_link *attach_sample(struct bpf_program *program)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK, .size = sizeof(attr),
					.sample_period = PERIOD };
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? NULL : bpf_program__attach_perf_event(program, fd);
}

static void attach(void)
{
	struct fault fault;
	int err;

	for (int kind = 0; kind < KINDS; kind++)
		bpf_program__set_autoload(bpf_object__find_program_by_name(skel->obj, programs[kind].program), wanted[kind]);
	if (arming__begin(&fault))
		die(EBUSY, "%s", fault.text);
	/* libbpf makes a probe to see what the kernel calls the functions of system calls */
	err = contexts_bpf__load(skel);
	if (err)
		die(err, "load");
	for (int kind = 0; kind < KINDS; kind++) {
		struct bpf_program *program = bpf_object__find_program_by_name(skel->obj, programs[kind].program);

		if (wanted[kind] && !(kind == PERF_EVENT ? attach_sample(program) : bpf_program__attach(program)))
			die(errno, "%s: attach", programs[kind].kind);
	}
	if (arming__end(0, NULL, NULL, &fault))
		die(EBUSY, "%s", fault.text);
}

static void call_open(void)
{
	static const char path[] = "/tmp/contexts.file";
	int fd = open(path, O_CREAT | O_RDWR, 0600);

	/* FMODE_READ and FMODE_WRITE (include/linux/fs.h) */
	skel->bss->seen[LSM].values[0] &= 3;
	check(LSM, 1, 2, 3ull, 0ull);
	close(fd);
	unlink(path);
}

/* Six arguments, so that each register has one. */
static void call_sendto(void)
{
	static const int with_them[] = { KPROBE, KSYSCALL, FENTRY, FEXIT }, with_result[] = { KRETPROBE, KRETSYSCALL };
	static const char text[] = "contexts";
	struct sockaddr_un to = { .sun_family = AF_UNIX, .sun_path = "/tmp/contexts.socket" };
	int from = socket(AF_UNIX, SOCK_DGRAM, 0), server = socket(AF_UNIX, SOCK_DGRAM, 0), flags = MSG_DONTWAIT | MSG_NOSIGNAL;
	long sent;

	if (from < 0 || server < 0 || bind(server, (struct sockaddr *)&to, sizeof(to)))
		die(errno, "a socket");
	sent = syscall(SYS_sendto, from, text, sizeof(text), flags, &to, sizeof(to));
	for (size_t i = 0; i < sizeof(with_them) / sizeof(*with_them); i++)
		check(with_them[i], 1, 6, (unsigned long long)from, (unsigned long long)(unsigned long)text,
		      (unsigned long long)sizeof(text), (unsigned long long)flags, (unsigned long long)(unsigned long)&to,
		      (unsigned long long)sizeof(to));
	for (size_t i = 0; i < sizeof(with_result) / sizeof(*with_result); i++)
		check(with_result[i], 1, 1, (unsigned long long)sent);
	if (wanted[FEXIT] && skel->bss->seen[FEXIT].ret != sent)
		die(0, "fexit: the result is %lld, not %ld", skel->bss->seen[FEXIT].ret, sent);
	unlink(to.sun_path);
}

/* A child starts this program again, with two words on the command line. */
static void call_exec(void)
{
	int go[2];
	pid_t child;
	char byte;

	if (pipe(go))
		die(errno, "a pipe");
	child = fork();
	if (!child) {
		if (read(go[0], &byte, 1) == 1)
			execl("/proc/self/exe", "contexts", "nothing", NULL);
		_exit(1);
	}
	skel->bss->child = child;
	if (child < 0 || write(go[1], "", 1) != 1 || waitpid(child, NULL, 0) != child)
		die(errno, "a child");
	check(RAWTP, 1, 3, (unsigned long long)child, (unsigned long long)child, 2ull);
	check(TP_BTF, 1, 3, (unsigned long long)child, (unsigned long long)child, 2ull);
}

/* Six arguments, so that each register has one; src/ctxgen/test declares them. */
__attribute__((noinline, noclone))
ssize_t called_by_itself(int fd, const char *text, size_t size, mode_t mode, void *buffer, long last)
{
	__asm__ volatile("" : : "r"(fd), "r"(text), "r"(size), "r"(mode), "r"(buffer), "r"(last) : "memory");
	return -ENOTUNIQ;
}

static void call_itself(void)
{
	static const char text[] = "uprobe";
	char buffer[1];
	ssize_t result = called_by_itself(-3, text, sizeof(text), 0640, buffer, -5);

	check(UPROBE, 1, 6, (unsigned long long)-3, (unsigned long long)(unsigned long)text, (unsigned long long)sizeof(text), 0640ull,
	      (unsigned long long)(unsigned long)buffer, (unsigned long long)-5);
	check(URETPROBE, 1, 1, (unsigned long long)result);
	if (wanted[UPROBE] && !skel->bss->seen[UPROBE].ret)
		die(0, "uprobe: the text is another one");
}

static void burn(void)
{
	const volatile struct seen *seen = &skel->bss->seen[PERF_EVENT];

	while (wanted[PERF_EVENT] && !seen->count)
		getppid();
	skel->bss->pid = 0;
	check(PERF_EVENT, seen->count, 1, (unsigned long long)PERIOD);
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "nothing"))
		return 0;
	for (int i = 1; i < argc; i++) {
		int kind = 0;

		while (kind < KINDS && strcmp(programs[kind].kind, argv[i]))
			kind++;
		if (kind == KINDS)
			die(EINVAL, "%s", argv[i]);
		wanted[kind] = true;
	}
	skel = contexts_bpf__open();
	if (!skel)
		die(errno, "open");
	attach();
	skel->bss->pid = getpid();
	call_open();
	skel->bss->pid = 0;
	call_exec();
	skel->bss->pid = getpid();
	call_sendto();
	call_itself();
	burn();
	disarming__await();
	contexts_bpf__destroy(skel);
	disarming__end();
	return failed;
}
