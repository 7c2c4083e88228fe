/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * as_container [HOW] COMMAND…: runs the command as root of a container that Docker, or Kubernetes with the seccomp profile RuntimeDefault,
 * starts without options: the 14 capabilities of the default, and the system calls of the default profile that matter here refused with EPERM.
 * HOW: --unconfined, as Kubernetes starts one by default: without a profile; --bpf: with CAP_BPF, CAP_PERFMON and CAP_SYS_RESOURCE
 * alone, and the profile, which allows the calls that they are for.
 */
#include <errno.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_open_tree
#define SYS_open_tree 428
#define SYS_move_mount 429
#endif

#ifndef CAP_PERFMON
#define CAP_PERFMON 38
#define CAP_BPF 39
#endif

#define REFUSE(call) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)

static void die(const char *what)
{
	perror(what);
	exit(125);
}

/* Keeps these capabilities alone, also over an exec of root's. */
static void keep(unsigned long long all)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = {};

	for (int i = 0; i < 64; i++)
		if (!(all & 1ull << i) && prctl(PR_CAPBSET_DROP, i, 0, 0, 0) && errno != EINVAL)
			die("PR_CAPBSET_DROP");
	for (int i = 0; i < 2; i++)
		data[i].permitted = data[i].effective = (unsigned int)(all >> 32 * i);
	if (syscall(SYS_capset, &header, data))
		die("capset");
}

int main(int argc, char **argv)
{
	static const unsigned long long tracing = 1ull << CAP_BPF | 1ull << CAP_PERFMON | 1ull << CAP_SYS_RESOURCE;
	static const int kept[] = {
		CAP_CHOWN, CAP_DAC_OVERRIDE, CAP_FSETID, CAP_FOWNER, CAP_MKNOD, CAP_NET_RAW, CAP_SETGID, CAP_SETUID, CAP_SETFCAP,
		CAP_SETPCAP, CAP_NET_BIND_SERVICE, CAP_SYS_CHROOT, CAP_KILL, CAP_AUDIT_WRITE,
	};
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		REFUSE(SYS_mount), REFUSE(SYS_umount2), REFUSE(SYS_unshare),
		REFUSE(SYS_setns), REFUSE(SYS_open_by_handle_at), REFUSE(SYS_open_tree), REFUSE(SYS_move_mount),
		REFUSE(SYS_keyctl), REFUSE(SYS_add_key), REFUSE(SYS_syslog), REFUSE(SYS_kcmp), REFUSE(SYS_userfaultfd),
		REFUSE(SYS_init_module), REFUSE(SYS_finit_module), REFUSE(SYS_bpf), REFUSE(SYS_perf_event_open),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { .len = sizeof(filter) / sizeof(*filter), .filter = filter };
	bool is_unconfined = argc > 2 && !strcmp(argv[1], "--unconfined"), is_bpf = argc > 2 && !strcmp(argv[1], "--bpf");
	char **command = argv + 1 + (is_unconfined || is_bpf);
	unsigned long long all = 0;

	if (argc < 2)
		return 2;
	for (size_t i = 0; i < sizeof(kept) / sizeof(*kept); i++)
		all |= 1ull << kept[i];
	keep(is_bpf ? tracing : all);
	if (is_bpf) {
		/* the last two are allowed */
		filter[program.len - 5] = filter[program.len - 1];
		program.len -= 4;
	}
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || (!is_unconfined && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)))
		die("seccomp");
	execvp(command[0], command);
	die(command[0]);
}
