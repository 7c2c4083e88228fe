/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ctx_values PART...: makes events happen and checks what programs read of them, through structs that ctxgen wrote on
 * another kernel.  Parts: sched, block=DEVICE, syscalls, netlink, task.  Prints "ok - …" and "not ok - …" lines,
 * for a part that layout refuses "refused: …".  Exit status 1 when something was not ok.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bpf/libbpf.h>

#include "lib/layout/layout.h"
#include "ctx_values.h"
#include "workload/ctx_values.skel.h"

static int failed;

__attribute__((format(printf, 2, 3)))
static void check(int passed, const char *format, ...)
{
	va_list args;

	printf(passed ? "ok - " : "not ok - ");
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
	failed |= !passed;
}

static void die(const char *what)
{
	printf("not ok - %s: %s\n", what, strerror(errno));
	exit(1);
}

/* Loads and attaches the programs of that name, and of the other one if not NULL; NULL after "refused: …". */
static struct ctx_values_bpf *attach(const char *program, const char *other)
{
	struct bpf_object_open_opts opts = { .sz = sizeof(opts) };
	struct ctx_values_bpf *skel;
	struct bpf_program *each;
	struct layout *layout;
	struct fault fault;
	const void *elf;
	size_t size = 0;

	if (layout__new(&layout))
		die("layout__new");
	opts.btf_custom_path = layout__btf_path(layout);
	skel = ctx_values_bpf__open_opts(&opts);
	if (!skel)
		die("open");
	bpf_object__for_each_program(each, skel->obj)
		bpf_program__set_autoload(each, !strcmp(bpf_program__name(each), program) ||
					  (other && !strcmp(bpf_program__name(each), other)));
	elf = ctx_values_bpf__elf_bytes(&size);
	if (layout__fill(layout, skel->obj, elf, size, &fault)) {
		printf("refused: %s\n", fault.text);
		ctx_values_bpf__destroy(skel);
		layout__free(layout);
		return NULL;
	}
	if (ctx_values_bpf__load(skel))
		die("load");
	layout__free(layout);
	skel->bss->wanted.caller = (__u32)syscall(SYS_gettid);
	if (ctx_values_bpf__attach(skel))
		die("attach");
	return skel;
}

/* A child of a known name, priority and CPU waits in read(2), and is woken. */
static void part_sched(void)
{
	struct ctx_values_bpf *skel = attach("sched_wakeup", NULL);
	int pipe_fds[2], ready[2];
	cpu_set_t cpus;
	pid_t child;
	char byte = 0, state = 0, path[64], text[512];
	int cpu, fd, has_success;

	if (!skel)
		return;
	/* a format file tells it, read another way than the tested one */
	has_success = !system("grep -q 'field:int success;' /sys/kernel/tracing/events/sched/sched_wakeup/format");
	if (pipe(pipe_fds) || pipe(ready))
		die("pipe");
	cpu = (int)sysconf(_SC_NPROCESSORS_ONLN) - 1;
	child = fork();
	if (!child) {
		CPU_ZERO(&cpus);
		CPU_SET(cpu, &cpus);
		prctl(PR_SET_NAME, "woken \001child");
		if (sched_setaffinity(0, sizeof(cpus), &cpus) || setpriority(PRIO_PROCESS, 0, 7) ||
		    write(ready[1], &byte, 1) != 1)
			_exit(1);
		_exit(read(pipe_fds[0], &byte, 1) != 1);
	}
	if (child < 0 || read(ready[0], &byte, 1) != 1)
		die("a child");
	snprintf(path, sizeof(path), "/proc/%d/stat", child);
	while (state != 'S') {
		fd = open(path, O_RDONLY);
		text[read(fd, text, sizeof(text) - 1)] = 0;
		close(fd);
		state = strrchr(text, ')')[2];
		sched_yield();
	}
	skel->bss->wanted.wakee = (__u32)child;
	if (write(pipe_fds[1], &byte, 1) != 1)
		die("write");
	waitpid(child, NULL, 0);
	check(skel->bss->wakeup.count > 0, "sched_wakeup was seen");
	check(skel->bss->wakeup.pid == child, "pid is %d", skel->bss->wakeup.pid);
	check(skel->bss->wakeup.prio == 127, "prio is %d", skel->bss->wakeup.prio);
	check(skel->bss->wakeup.target_cpu == cpu, "target_cpu is %d of %d", skel->bss->wakeup.target_cpu, cpu);
	check(skel->bss->wakeup.success == (has_success ? 1 : -1), "success is %d", skel->bss->wakeup.success);
	check(!strcmp(skel->bss->wakeup.comm, "woken \001child"), "comm is the child's");
	ctx_values_bpf__destroy(skel);
}

/* Writes 8 KB at 24 KB, past the page cache: one request. */
static void part_block(const char *device)
{
	struct ctx_values_bpf *skel = attach("block_rq_issue", NULL);
	struct stat stat_of;
	unsigned dev;
	void *buffer;
	int fd;

	if (!skel)
		return;
	fd = open(device, O_RDWR | O_DIRECT);
	if (fd < 0 || fstat(fd, &stat_of) || posix_memalign(&buffer, 4096, 8192))
		die(device);
	memset(buffer, 'x', 8192);
	if (pwrite(fd, buffer, 8192, 24576) != 8192)
		die("pwrite");
	dev = major(stat_of.st_rdev) << 20 | minor(stat_of.st_rdev);
	check(skel->bss->request.count == 1, "one request was seen: %llu",
	      (unsigned long long)skel->bss->request.count);
	check(skel->bss->request.dev == dev, "dev is %x of %x", skel->bss->request.dev, dev);
	check(skel->bss->request.sector == 48, "sector is %llu", (unsigned long long)skel->bss->request.sector);
	check(skel->bss->request.nr_sector == 16, "nr_sector is %u", skel->bss->request.nr_sector);
	check(skel->bss->request.bytes == 8192 || skel->bss->request.bytes == 0, "bytes is %u",
	      skel->bss->request.bytes);
	check(skel->bss->request.rwbs[0] == 'W', "rwbs is %.8s", skel->bss->request.rwbs);
	check(*skel->bss->request.comm && !strcmp(skel->bss->request.comm, skel->bss->request.current), "comm is %.16s",
	      skel->bss->request.comm);
	ctx_values_bpf__destroy(skel);
}

static void part_syscalls(void)
{
	struct ctx_values_bpf *skel = attach("enter_openat", "exit_openat");
	long fd;

	if (!skel)
		return;
	fd = syscall(SYS_openat, 77, "/tmp/ctx values", O_CREAT | O_WRONLY | O_TRUNC, 0123);
	check(fd >= 0, "the file was opened");
	check(skel->bss->open.count == 1, "one open was seen");
	check(skel->bss->open.nr == SYS_openat, "__syscall_nr is %d", skel->bss->open.nr);
	check(skel->bss->open.dfd == 77, "dfd is %d", skel->bss->open.dfd);
	check(!strcmp(skel->bss->open.path, "/tmp/ctx values"), "filename is %.64s", skel->bss->open.path);
	check(skel->bss->open.flags == (O_CREAT | O_WRONLY | O_TRUNC), "flags is %o", (unsigned)skel->bss->open.flags);
	check(skel->bss->open.mode == 0123, "mode is %o", skel->bss->open.mode);
	check(skel->bss->open.ret == fd, "ret is %lld", (long long)skel->bss->open.ret);
	syscall(SYS_openat, AT_FDCWD, "/nonexistent", O_RDONLY, 0);
	check(skel->bss->open.dfd == AT_FDCWD, "dfd is %d, AT_FDCWD", skel->bss->open.dfd);
	check(skel->bss->open.ret == -ENOENT, "ret is %lld, -ENOENT", (long long)skel->bss->open.ret);
	ctx_values_bpf__destroy(skel);
}

/* Asks for an attribute of a link in a way that the kernel refuses with words. */
static void part_netlink(void)
{
	struct ctx_values_bpf *skel = attach("netlink_extack", NULL);
	struct {
		struct nlmsghdr header;
		struct ifinfomsg link;
		struct rtattr name;
		char bytes[64];
	} request = {
		.header = { .nlmsg_len = NLMSG_LENGTH(sizeof(struct ifinfomsg)) + 8, .nlmsg_type = RTM_NEWLINK,
			    .nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK },
		.link = { .ifi_index = 1 },
		/* a MTU of 4 bytes that has only 1 */
		.name = { .rta_len = 5, .rta_type = IFLA_MTU },
	};
	static const char expected[] = "Attribute failed policy validation";
	const char *text;
	char reply[1024];
	int fd;

	if (!skel)
		return;
	fd = socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE);
	if (fd < 0 || send(fd, &request, request.header.nlmsg_len, 0) < 0 || recv(fd, reply, sizeof(reply), 0) < 0)
		die("netlink");
	text = skel->bss->extack.text;
	check(skel->bss->extack.count == 1, "one netlink_extack was seen: %llu",
	      (unsigned long long)skel->bss->extack.count);
	check(!!strstr(text, "ttribute"), "msg is \"%s\", such as \"%s\"", text, expected);
	check(skel->bss->extack.length == (long)strlen(text) + 1, "its length with the 0 byte is %lld",
	      (long long)skel->bss->extack.length);
	check(skel->bss->extack.size == strlen(text) + 1, "its size in the record is %u", skel->bss->extack.size);
	check(skel->bss->extack.cut_length == 8 && !strncmp(skel->bss->extack.cut, text, 7) &&
		      !skel->bss->extack.cut[7],
	      "cut to 8 bytes it is \"%s\"", skel->bss->extack.cut);
	check(skel->bss->extack.bytes == 16 && !memcmp(skel->bss->extack.array, text, 16),
	      "as an array it gives %lld bytes", (long long)skel->bss->extack.bytes);
	ctx_values_bpf__destroy(skel);
}

static void part_task(void)
{
	struct ctx_values_bpf *skel = attach("enter_getppid", NULL);

	if (!skel)
		return;
	syscall(SYS_getppid);
	check(skel->bss->task.count == 1, "one getppid was seen");
	check(skel->bss->task.pid == getpid() && skel->bss->task.tgid == getpid(), "pid and tgid are %d",
	      skel->bss->task.pid);
	check(skel->bss->task.parent == getppid(), "the parent is %d", skel->bss->task.parent);
	check(!strcmp(skel->bss->task.comm, "ctx_values"), "comm is %.16s", skel->bss->task.comm);
	ctx_values_bpf__destroy(skel);
}

int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	umask(0);
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "sched"))
			part_sched();
		else if (!strncmp(argv[i], "block=", 6))
			part_block(argv[i] + 6);
		else if (!strcmp(argv[i], "syscalls"))
			part_syscalls();
		else if (!strcmp(argv[i], "netlink"))
			part_netlink();
		else if (!strcmp(argv[i], "task"))
			part_task();
		else
			check(0, "there is no part \"%s\"", argv[i]);
	}
	return failed;
}
