/* SPDX-License-Identifier: BSD-2-Clause */
/* same_pid NAME…: a process after the other, all of the same number and each of that name, that does chroot("/"). Prints the number. */
#include <linux/sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define PID 29001

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		pid_t wanted = PID;
		struct clone_args args = { .exit_signal = 17 /* SIGCHLD */, .set_tid = (uintptr_t)&wanted, .set_tid_size = 1 };
		pid_t child = (pid_t)syscall(SYS_clone3, &args, sizeof(args));

		if (child < 0) {
			perror("clone3");
			return 1;
		}
		if (!child) {
			prctl(PR_SET_NAME, argv[i]);
			_exit(chroot("/"));
		}
		waitpid(child, NULL, 0);
	}
	printf("%d\n", PID);
	return 0;
}
