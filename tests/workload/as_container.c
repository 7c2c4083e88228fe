/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * as_container COMMAND…: runs the command as root of a container that Docker starts without options: the 14 capabilities of its
 * default, and the system calls of its default seccomp profile that matter here refused with EPERM.
 */
#include <errno.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_open_tree
#define SYS_open_tree 428
#define SYS_move_mount 429
#endif

#define REFUSE(call) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)

static void die(const char *what)
{
	perror(what);
	exit(125);
}

int main(int argc, char **argv)
{
	static const int kept[] = {
		CAP_CHOWN, CAP_DAC_OVERRIDE, CAP_FSETID, CAP_FOWNER, CAP_MKNOD, CAP_NET_RAW, CAP_SETGID, CAP_SETUID, CAP_SETFCAP,
		CAP_SETPCAP, CAP_NET_BIND_SERVICE, CAP_SYS_CHROOT, CAP_KILL, CAP_AUDIT_WRITE,
	};
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		REFUSE(SYS_bpf), REFUSE(SYS_perf_event_open), REFUSE(SYS_mount), REFUSE(SYS_umount2), REFUSE(SYS_unshare),
		REFUSE(SYS_setns), REFUSE(SYS_open_by_handle_at), REFUSE(SYS_open_tree), REFUSE(SYS_move_mount),
		REFUSE(SYS_keyctl), REFUSE(SYS_add_key), REFUSE(SYS_syslog), REFUSE(SYS_kcmp), REFUSE(SYS_userfaultfd),
		REFUSE(SYS_init_module), REFUSE(SYS_finit_module),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { .len = sizeof(filter) / sizeof(*filter), .filter = filter };
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = {};
	unsigned long long all = 0;

	if (argc < 2)
		return 2;
	for (size_t i = 0; i < sizeof(kept) / sizeof(*kept); i++)
		all |= 1ull << kept[i];
	for (int i = 0; i < 64; i++)
		if (!(all & 1ull << i) && prctl(PR_CAPBSET_DROP, i, 0, 0, 0) && errno != EINVAL)
			die("PR_CAPBSET_DROP");
	for (int i = 0; i < 2; i++)
		data[i].permitted = data[i].effective = (unsigned int)(all >> 32 * i);
	if (syscall(SYS_capset, &header, data))
		die("capset");
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		die("seccomp");
	execvp(argv[1], argv + 1);
	die(argv[1]);
}
