/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * In the guest: starts a tool, measures it, and prints "NAME VALUE" lines. Times are nanoseconds of the monotonic
 * clock, which counts instructions there.
 *
 *	measure start POKE MARKER -- TOOL...	from exec to the first line and to the first row that holds MARKER, then
 *						peak memory, and the time from SIGINT to the end. The tool has a terminal,
 *						as most programs hold their rows back when they write to something else.
 *	measure load OUTPUT RUNS WORKLOAD -- TOOL...	the tool writes to the file OUTPUT while WORKLOAD (a command line)
 *						runs, RUNS times; a line "span" for each
 *	measure cut OUTPUT WORKLOAD -- TOOL...	the tool writes an interval into OUTPUT in each period of WORKLOAD, whose
 *						events are the periods: a line "cpu", what it used meanwhile
 *	measure alone RUNS WORKLOAD		the workload without a tool, for comparison. One run more, as the first
 *						one in a guest finds nothing in caches.
 *	measure inside COMMAND...		a tool that starts the workload itself, as strace does
 *
 * POKE makes the event that the row is about: open, exec, kill, unlink, extack, or none where it comes by itself. It is made
 * from the tool's first line on; with a "!" behind it, for a tool that says nothing before its first row, from the
 * start on.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>

#include "../tests/workload/tcp_self.h"
#include "workload/disk.h"
#include "workload/drop.h"
#include "workload/extack.h"
#include "workload/work.h"

#define CGROUP "/sys/fs/cgroup/bench"
#define POKE_EVERY_NS 1000000
#define START_TIMEOUT_NS 60000000000LL
/* No measure takes so long. A tool may not end on SIGINT; it is killed with this program then. */
#define GIVE_UP_S 300
/* A tool is ready, or has caught up, when it has used less than a thousandth of the CPU's time for so long. */
#define QUIET_FOR_NS 400000000LL
#define QUIET_CPU_NS (QUIET_FOR_NS / 1000)

extern char **environ;

static void fail(const char *what)
{
	fprintf(stderr, "measure: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void say(const char *name, int64_t value)
{
	printf("%s %lld\n", name, (long long)value);
	fflush(stdout);
}

static void sleep_ns(int64_t ns)
{
	struct timespec time = { .tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000 };

	while (nanosleep(&time, &time))
		;
}

static void write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		fail(path);
	close(fd);
}

/* Starts the tool in its cgroup; its time begins at exec. */
static pid_t start_tool(char **command, int out, int err, int64_t *start_ns)
{
	int gate[2];
	pid_t pid;
	char go = 0;

	if (mkdir(CGROUP, 0755) && errno != EEXIST)
		fail(CGROUP);
	if (pipe2(gate, O_CLOEXEC))
		fail("pipe");
	pid = fork();
	if (pid < 0)
		fail("fork");
	if (!pid) {
		setsid();
		if (isatty(out))
			ioctl(out, TIOCSCTTY, 0);
		dup2(out, STDOUT_FILENO);
		dup2(err, STDERR_FILENO);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		write_file(CGROUP "/cgroup.procs", "0");
		if (read(gate[0], &go, 1) != 1)
			_exit(127);
		execv(command[0], command);
		_exit(127);
	}
	close(gate[0]);
	/* all that comes before exec is done by then */
	sleep_ns(50000000);
	work__align();
	*start_ns = work__now_ns();
	if (write(gate[1], &go, 1) != 1)
		fail("pipe");
	close(gate[1]);
	return pid;
}

/* The sum over all processes of the tool of what a line of /proc/PID/FILE says, in kilobytes. */
static int64_t processes_kb(const char *file, const char *line_start)
{
	FILE *procs = fopen(CGROUP "/cgroup.procs", "re");
	char path[64], line[256];
	int64_t sum = 0;
	long pid;

	if (!procs)
		fail(CGROUP);
	while (fscanf(procs, "%ld", &pid) == 1) {
		FILE *lines;

		snprintf(path, sizeof(path), "/proc/%ld/%s", pid, file);
		lines = fopen(path, "re");
		while (lines && fgets(line, sizeof(line), lines))
			if (!strncmp(line, line_start, strlen(line_start)))
				sum += strtoll(line + strlen(line_start), NULL, 10);
		if (lines)
			fclose(lines);
	}
	fclose(procs);
	return sum;
}

static int64_t peak_memory_kb(void)
{
	return processes_kb("status", "VmHWM:");
}

/*
 * The same for a difference of two: before Linux 6.2 (f1a7941243c1) the peak leaves out up to 64 pages of each thread that the kernel has
 * not added to it yet, which the page tables have.
 */
static int64_t exact_memory_kb(void)
{
	int64_t peak_kb = peak_memory_kb(), now_kb = processes_kb("smaps_rollup", "Rss:");

	return now_kb > peak_kb ? now_kb : peak_kb;
}

/* SIGINT to the tool and its end; what it still writes to a terminal is read, so that it is not held up. */
static int64_t stop_tool(pid_t pid, int terminal)
{
	int64_t start_ns;
	char text[4096];
	int status;
	pid_t ended;

	work__align();
	start_ns = work__now_ns();
	kill(pid, SIGINT);
	if (terminal < 0) {
		ended = waitpid(pid, &status, 0);
	} else {
		struct pollfd fd = { .fd = terminal, .events = POLLIN };

		for (;;) {
			ended = waitpid(pid, &status, WNOHANG);
			if (ended)
				break;
			/* the terminal hangs up when the tool ends */
			if (poll(&fd, 1, 1000) > 0 && read(terminal, text, sizeof(text)) <= 0)
				fd.fd = -1;
			if (fd.fd < 0) {
				ended = waitpid(pid, &status, 0);
				break;
			}
		}
	}
	if (ended != pid)
		fail("waitpid");
	return work__now_ns() - start_ns;
}

static int64_t wait_quiet(pid_t pid)
{
	int64_t deadline_ns = work__now_ns() + START_TIMEOUT_NS, before, now = 0;

	do {
		before = now;
		sleep_ns(QUIET_FOR_NS);
		now = work__tool_cpu_ns();
		if (work__now_ns() > deadline_ns || waitpid(pid, NULL, WNOHANG) == pid) {
			errno = ETIMEDOUT;
			fail("the tool ended, or does not come to rest");
		}
	} while (now - before > QUIET_CPU_NS);
	return now;
}

/* ---- start */

static void poke(const char *kind)
{
	if (!strcmp(kind, "open")) {
		close(open(WORK_MARKER, O_RDONLY));
	} else if (!strcmp(kind, "unlink")) {
		unlink(WORK_MARKER);
	} else if (!strcmp(kind, "life")) {
		close(open(WORK_MARKER, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
		unlink(WORK_MARKER);
	} else if (!strcmp(kind, "stat")) {
		struct stat status;

		stat(WORK_MARKER, &status);
	} else if (!strcmp(kind, "rmmod")) {
		syscall(SYS_delete_module, WORK_MARKER, O_NONBLOCK);
	} else if (!strcmp(kind, "umount")) {
		umount2(WORK_MARKER, 0);
	} else if (!strcmp(kind, "fsync")) {
		fsync(-1);
	} else if (!strcmp(kind, "file")) {
		static int fd = -1;
		char byte;

		if (fd < 0)
			fd = memfd_create(WORK_MARKER, 0);
		if (pread(fd, &byte, 1, 0))
			fail("file");
	} else if (!strcmp(kind, "call")) {
		getpgid(0);
	} else if (!strcmp(kind, "kill")) {
		kill(getpid(), 0);
	} else if (!strcmp(kind, "bind")) {
		struct sockaddr_in address = { .sin_family = AF_INET };

		bind(-1, (struct sockaddr *)&address, sizeof(address));
	} else if (!strcmp(kind, "udp")) {
		struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(9), .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
		static int fd = -1;

		if (fd < 0)
			fd = socket(AF_INET, SOCK_DGRAM, 0);
		if (sendto(fd, "", 1, 0, (struct sockaddr *)&address, sizeof(address)) != 1)
			fail("udp");
	} else if (!strcmp(kind, "fault")) {
		static volatile char *byte;
		static int fd = -1;

		if (fd < 0) {
			mkdir("/tmp/fault", 0700);
			mount("none", "/tmp/fault", "ramfs", 0, NULL);
			fd = open("/tmp/fault/file", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
			byte = mmap(NULL, 1, PROT_READ, MAP_SHARED, fd, 0);
			umount2("/tmp/fault", MNT_DETACH);
		}
		if (fd < 0 || byte == MAP_FAILED || ftruncate(fd, 0) || ftruncate(fd, 1))
			fail("fault");
		(void)*byte;
	} else if (!strcmp(kind, "shmget")) {
		shmget(0x70726f62, 1, 0);
	} else if (!strcmp(kind, "listen")) {
		listen(-1, 1);
	} else if (!strcmp(kind, "signal")) {
		kill(getpid(), SIGWINCH);	/* which does nothing */
	} else if (!strcmp(kind, "capable")) {
		syscall(SYS_sethostname, NULL, -1);
	} else if (!strcmp(kind, "cred")) {
		if (setresgid((gid_t)-1, getegid() ? 0 : 1, (gid_t)-1))
			fail("setresgid");
	} else if (!strcmp(kind, "extack")) {
		static int fd = -1;

		if (fd < 0)
			fd = extack__socket();
		if (extack__provoke(fd))
			fail("netlink");
	} else if (!strcmp(kind, "tcp")) {
		static struct sockaddr_in address;
		static int listener = -1;
		int from = socket(AF_INET, SOCK_STREAM, 0);

		/* each end resets the connection when it is closed */
		if (listener < 0) {
			listener = tcp_bound(&address);
			listen(listener, 1);
		}
		if (connect(from, (struct sockaddr *)&address, sizeof(address)))
			fail("connect");
		close(accept(listener, NULL, NULL));
		close(from);
	} else if (!strcmp(kind, "drop")) {
		static int fd = -1;

		if (fd < 0)
			fd = drop__socket();
		if (drop__provoke(fd))
			fail("drop");
	} else if (!strcmp(kind, "disk")) {
		static char data[512] __attribute__((aligned(512)));
		static int fd = -1;

		if (fd < 0)
			fd = disk__open();
		if (pwrite(fd, data, sizeof(data), 0) != sizeof(data))
			fail("disk");
	} else if (!strcmp(kind, "exec")) {
		char *arguments[] = { "bench-child", NULL };
		pid_t pid;

		if (posix_spawn(&pid, "/probelight/build/bench/bench-child", NULL, NULL, arguments, environ))
			fail("bench-child");
		waitpid(pid, NULL, 0);
	}
}

static int start(int argc, char **argv)
{
	char *kind = argv[2], *mute = strchr(kind, '!');
	const char *marker = argv[3];
	static char text[1 << 20];
	struct termios raw;
	size_t used = 0;
	int64_t start_ns, ready_ns = 0, row_ns = 0, poked_ns = 0;
	int master, slave, null;
	pid_t pid;

	(void)argc;
	if (mute)
		*mute = '\0';
	if (openpty(&master, &slave, NULL, NULL, NULL))
		fail("openpty");
	tcgetattr(slave, &raw);
	cfmakeraw(&raw);
	tcsetattr(slave, TCSANOW, &raw);
	null = open("/tmp/stderr", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	fcntl(master, F_SETFD, FD_CLOEXEC);
	if (!strcmp(kind, "open"))
		close(open(WORK_MARKER, O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
	pid = start_tool(argv + 5, slave, null, &start_ns);
	close(slave);
	while (!row_ns) {
		struct pollfd fd = { .fd = master, .events = POLLIN };
		struct timespec wait = { .tv_nsec = POKE_EVERY_NS };
		int64_t now;
		ssize_t got;

		/* from its first line on there should be a row soon: an event now, and then one each millisecond */
		if (ppoll(&fd, 1, ready_ns || mute ? &wait : NULL, NULL) > 0) {
			got = read(master, text + used, sizeof(text) - 1 - used);
			if (got <= 0) {
				errno = EPIPE;
				fail("the tool ended without a row");
			}
			used += (size_t)got;
			text[used] = '\0';
		}
		now = work__now_ns();
		if (!ready_ns && strchr(text, '\n'))
			ready_ns = now;
		/* of a tool that no row is made for here */
		if (ready_ns && !strcmp(marker, "-"))
			row_ns = ready_ns;
		if (ready_ns && !row_ns) {
			const char *rows = mute ? text : strchr(text, '\n') + 1, *row = strstr(rows, marker);

			if (row && strchr(row, '\n'))
				row_ns = now;
		}
		if (used >= sizeof(text) - 1 || now - start_ns > START_TIMEOUT_NS) {
			errno = ETIMEDOUT;
			fail("no row");
		}
		if (!row_ns && (ready_ns || mute) && now - poked_ns >= POKE_EVERY_NS) {
			poked_ns = now;
			poke(kind);
		}
	}
	say("ready", ready_ns - start_ns);
	say("row", row_ns - start_ns);
	/* what still runs after the start (workers, deferred frees) shall not be taken for the stop */
	sleep_ns(300000000);
	say("memory", peak_memory_kb());
	say("stop", stop_tool(pid, master));
	return 0;
}

/* ---- load */

static void run_workload(const char *command, int64_t result[4])
{
	FILE *work = popen(command, "re");

	if (!work || fscanf(work, "%lld %lld %lld %lld", (long long *)&result[0], (long long *)&result[1],
			    (long long *)&result[2], (long long *)&result[3]) != 4) {
		errno = EPROTO;
		fail(command);
	}
	pclose(work);
}

static int load(char **argv)
{
	int out = open(argv[2], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	int err = open("/tmp/stderr", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	int64_t start_ns, result[4], after_ns, events = 0;
	long runs = strtol(argv[3], NULL, 10);
	pid_t pid;

	if (out < 0 || err < 0)
		fail(argv[2]);
	pid = start_tool(argv + 6, out, err, &start_ns);
	wait_quiet(pid);
	while (runs-- > 0) {
		run_workload(argv[4], result);
		after_ns = wait_quiet(pid);
		events += result[0];
		/* the span, and what the tool had left to do after it */
		say("span", result[1] + after_ns - result[3]);
	}
	say("events", events);
	stop_tool(pid, -1);
	return 0;
}

static int cut(char **argv)
{
	int out = open(argv[2], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	int err = open("/tmp/stderr", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	int64_t start_ns, result[4];
	struct stat status;
	pid_t pid;

	if (out < 0 || err < 0)
		fail(argv[2]);
	pid = start_tool(argv + 5, out, err, &start_ns);
	/* it does not come to rest: ready is when it has printed something, or has put a file of its own in that place (--metrics) */
	do {
		sleep_ns(QUIET_FOR_NS);
		if (stat(argv[2], &status) || waitpid(pid, NULL, WNOHANG) == pid || work__now_ns() - start_ns > START_TIMEOUT_NS) {
			errno = ETIMEDOUT;
			fail("the tool ended, or is not ready");
		}
	} while (!status.st_size);
	run_workload(argv[3], result);
	say("events", result[0]);
	say("cpu", result[3] - result[2]);
	say("memory", exact_memory_kb());
	stop_tool(pid, -1);
	return 0;
}

static int alone(char **argv)
{
	long runs = strtol(argv[2], NULL, 10);
	int64_t result[4];

	run_workload(argv[3], result);
	while (runs-- > 0) {
		run_workload(argv[3], result);
		say("span", result[1]);
	}
	return 0;
}

static int inside(char **argv)
{
	int64_t result[4] = {};
	int pipes[2];
	struct rusage usage;
	FILE *from;
	pid_t pid;

	if (pipe(pipes))
		fail("pipe");
	pid = fork();
	if (!pid) {
		dup2(pipes[1], STDOUT_FILENO);
		close(pipes[0]);
		close(pipes[1]);
		execv(argv[2], argv + 2);
		_exit(127);
	}
	close(pipes[1]);
	from = fdopen(pipes[0], "r");
	if (!from || fscanf(from, "%lld %lld", (long long *)&result[0], (long long *)&result[1]) != 2) {
		errno = EPROTO;
		fail(argv[2]);
	}
	wait4(pid, NULL, 0, &usage);
	say("events", result[0]);
	say("span", result[1]);
	say("memory", usage.ru_maxrss);
	return 0;
}

int main(int argc, char **argv)
{
	/* what is started from a script in the background would ignore it */
	signal(SIGINT, SIG_DFL);
	alarm(GIVE_UP_S);
	if (argc > 5 && !strcmp(argv[1], "start") && !strcmp(argv[4], "--"))
		return start(argc, argv);
	if (argc > 6 && !strcmp(argv[1], "load") && !strcmp(argv[5], "--"))
		return load(argv);
	if (argc > 5 && !strcmp(argv[1], "cut") && !strcmp(argv[4], "--"))
		return cut(argv);
	if (argc == 4 && !strcmp(argv[1], "alone"))
		return alone(argv);
	if (argc > 2 && !strcmp(argv[1], "inside"))
		return inside(argv);
	fprintf(stderr, "usage: measure start POKE MARKER -- TOOL... | load OUTPUT RUNS WORKLOAD -- TOOL... | "
		"cut OUTPUT WORKLOAD -- TOOL... | alone RUNS WORKLOAD | inside COMMAND...\n");
	return 2;
}
