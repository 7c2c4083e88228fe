/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * refused_calls ACTION N: makes system calls that seccomp refuses, N times each, and as many of others that do the same and are
 * allowed.  Refused are openat, execve, kill, newfstatat, mount, finit_module, fsync, unlink, unlinkat, bind and listen; allowed are open,
 * execveat, tgkill, newlstat, umount2, delete_module, fdatasync and rmdir, on paths that are not there and descriptors that are not open.
 * bind and listen are of a socket, and 127.0.0.1, port 7.
 * arm64 has no open, newlstat, rmdir and unlink.
 * ACTION says what becomes of the refused ones:
 *
 *	errno	they fail with EPERM, as in containers
 *	trap	SIGSYS, whose handler lets them return 7, as in sandboxes
 *	trace	a tracer is asked and there is none: ENOSYS
 *	notify	a supervisor, a thread of this process, is asked while the call waits, and answers EPERM, as managers of containers do
 *	kill	the first of them, openat, ends the process
 *	begun	as errno, but first it waits in rt_sigtimedwait, which fails with EINTR when SIGUSR1 comes
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#define HANDLED 7	/* what the handler of SIGSYS lets a call return */
#define NO_FD 999

static const int refused[] = { SYS_openat, SYS_execve, SYS_kill, SYS_newfstatat, SYS_mount, SYS_finit_module, SYS_fsync,
			       SYS_bind, SYS_listen,
#ifdef __x86_64__
			       SYS_unlink,
#endif
			       SYS_unlinkat };

static void on_signal(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)info;
#ifdef __x86_64__
	((ucontext_t *)context)->uc_mcontext.gregs[REG_RAX] = HANDLED;
#else
	((ucontext_t *)context)->uc_mcontext.regs[0] = HANDLED;
#endif
}

/* Answers each call that waits.  The filter is not this thread's: it began before. */
static void *supervise(void *pipe_end)
{
	struct seccomp_notif notice;
	int listener;

	if (read(*(int *)pipe_end, &listener, sizeof(listener)) != sizeof(listener))
		return NULL;
	for (;;) {
		struct seccomp_notif_resp response = { .error = -EPERM };

		memset(&notice, 0, sizeof(notice));
		if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &notice))
			continue;
		response.id = notice.id;
		ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &response);
	}
}

/* Sets the filter of this thread.  0, or -1 with errno. */
static int set_filter(const struct sock_fprog *program, unsigned int action)
{
	static int ends[2];
	pthread_t supervisor;
	int listener;

	if (action != SECCOMP_RET_USER_NOTIF)
		return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, program);
	if (pipe(ends) || pthread_create(&supervisor, NULL, supervise, &ends[0]))
		return -1;
	listener = (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, program);
	return listener < 0 || write(ends[1], &listener, sizeof(listener)) != sizeof(listener) ? -1 : 0;
}

/* The filter: the calls' numbers, compared one by one, the action, and the others. */
static int refuse(unsigned int action)
{
	struct sock_filter code[2 * sizeof(refused) / sizeof(*refused) + 2];
	size_t used = 0;
	struct sock_fprog program;

	code[used++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
	for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++) {
		code[used++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned int)refused[i], 0, 1);
		code[used++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, action);
	}
	code[used++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	program = (struct sock_fprog){ .len = (unsigned short)used, .filter = code };
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || set_filter(&program, action);
}

static void expect(const char *call, long result, long wanted)
{
	if (result == wanted)
		return;
	fprintf(stderr, "refused_calls: %s returned %ld\n", call, result);
	exit(1);
}

/* A call that arm64 does not have */
#ifdef __x86_64__
#define OLD(...) expect(__VA_ARGS__)
#else
#define OLD(...)
#endif

/* The paths are on the stack: a call that does not run reads none of them, so that other memory may not be there. */
static void make_refused(long wanted)
{
	char path[] = "/refused", *argv[] = { path, NULL };
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(7), .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int socket_fd = socket(AF_INET, SOCK_STREAM, 0);
	struct stat status;

	expect("openat", syscall(SYS_openat, AT_FDCWD, path, O_RDONLY), wanted);
	expect("execve", syscall(SYS_execve, path, argv, NULL), wanted);
	expect("kill", syscall(SYS_kill, getpid(), 0), wanted);
	expect("newfstatat", syscall(SYS_newfstatat, AT_FDCWD, path, &status, 0), wanted);
	expect("mount", syscall(SYS_mount, path, path, path, 0, NULL), wanted);
	expect("finit_module", syscall(SYS_finit_module, NO_FD, path, 0), wanted);
	expect("fsync", syscall(SYS_fsync, NO_FD), wanted);
	OLD("unlink", syscall(SYS_unlink, path), wanted);
	expect("unlinkat", syscall(SYS_unlinkat, AT_FDCWD, path, AT_REMOVEDIR), wanted);
	expect("bind", syscall(SYS_bind, socket_fd, &address, sizeof(address)), wanted);
	expect("listen", syscall(SYS_listen, socket_fd, 5), wanted);
	close(socket_fd);
}

static void make_allowed(void)
{
	char path[] = "/allowed", *argv[] = { path, NULL };
	struct stat status;

	OLD("open", syscall(SYS_open, path, O_RDONLY), -1);
	expect("execveat", syscall(SYS_execveat, AT_FDCWD, path, argv, NULL, 0), -1);
	expect("tgkill", syscall(SYS_tgkill, getpid(), getpid(), 0), 0);
	OLD("lstat", syscall(SYS_lstat, path, &status), -1);
	expect("umount2", syscall(SYS_umount2, path, 0), -1);
	expect("delete_module", syscall(SYS_delete_module, path, O_NONBLOCK), -1);
	expect("fdatasync", syscall(SYS_fdatasync, NO_FD), -1);
	OLD("rmdir", syscall(SYS_rmdir, path), -1);
	(void)status;
}

static void on_wakeup(int signal) { (void)signal; }

static void wait_in_call(void)
{
	sigset_t none;

	signal(SIGUSR1, on_wakeup);
	sigemptyset(&none);
	expect("rt_sigtimedwait", syscall(SYS_rt_sigtimedwait, &none, NULL, NULL, 8), -1);
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO };
	int count = argc == 3 ? atoi(argv[2]) : 0;
	unsigned int what = SECCOMP_RET_ERRNO | EPERM;
	long wanted = -1;

	if (count < 1)
		return 2;
	if (!strcmp(argv[1], "trap")) {
		what = SECCOMP_RET_TRAP;
		wanted = HANDLED;
		sigaction(SIGSYS, &action, NULL);
	} else if (!strcmp(argv[1], "trace")) {
		what = SECCOMP_RET_TRACE;
	} else if (!strcmp(argv[1], "notify")) {
		what = SECCOMP_RET_USER_NOTIF;
	} else if (!strcmp(argv[1], "kill")) {
		what = SECCOMP_RET_KILL_PROCESS;
	}
	if (refuse(what)) {
		perror("refused_calls: seccomp");
		return 1;
	}
	if (!strcmp(argv[1], "begun"))
		wait_in_call();
	for (int i = 0; i < count; i++) {
		make_refused(wanted);
		make_allowed();
	}
	return 0;
}
