/* SPDX-License-Identifier: BSD-2-Clause */
#include "syscall_args.h"

#include <fcntl.h>
#include <linux/prctl.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include "lib/print/mount_flags.h"
#include "lib/print/open_flags.h"
#include "lib/print/signals.h"

bool syscall_args__is_text(const char *argument, const char *type)
{
	/*
	 * bytes to read or write, as many as another argument says; and lists that the kernel fills (fs/read_write.c,
	 * fs/xattr.c, ipc/mqueue.c)
	 */
	static const char *const bytes[] = { "buf", "list", "u_msg_ptr" };

	for (size_t i = 0; i < sizeof(bytes) / sizeof(*bytes); i++)
		if (!strcmp(argument, bytes[i]))
			return false;
	return !strcmp(type, "const char *") || !strcmp(type, "char *");
}

/*
 * Numbers differ between architectures, so they come from the headers of this one; those that these headers may not have yet are
 * written out, and are the same on all (include/uapi/linux and include/uapi/asm-generic of Linux 7.3).
 */
#define N(name) { (uint64_t)(name), #name }

static const struct flag_name directories[] = { N(AT_FDCWD), {} };
static const struct flag_name read_only[] = { N(O_RDONLY), N(O_WRONLY), N(O_RDWR), {} };

/* include/uapi/linux/fcntl.h */
static const struct flag_name at_flags[] = {
	N(AT_SYMLINK_NOFOLLOW), N(AT_SYMLINK_FOLLOW), N(AT_NO_AUTOMOUNT), N(AT_EMPTY_PATH), { 0x2000, "AT_STATX_FORCE_SYNC" },
	{ 0x4000, "AT_STATX_DONT_SYNC" }, { 0x8000, "AT_RECURSIVE" }, {},
};
static const struct flag_name access_flags[] = { { 0x200, "AT_EACCESS" }, N(AT_SYMLINK_NOFOLLOW), N(AT_EMPTY_PATH), {} };
static const struct flag_name handle_flags[] = {
	{ 1, "AT_HANDLE_MNT_ID_UNIQUE" }, { 2, "AT_HANDLE_CONNECTABLE" }, { 0x200, "AT_HANDLE_FID" }, N(AT_SYMLINK_FOLLOW),
	N(AT_EMPTY_PATH), {},
};
static const struct flag_name execveat_flags[] = {
	N(AT_SYMLINK_NOFOLLOW), N(AT_EMPTY_PATH), { 0x10000, "AT_EXECVE_CHECK" }, {},
};
static const struct flag_name unlinkat_flags[] = { N(AT_REMOVEDIR), {} };
static const struct flag_name rename_flags[] = { { 1, "RENAME_NOREPLACE" }, { 2, "RENAME_EXCHANGE" }, { 4, "RENAME_WHITEOUT" }, {} };

/* include/uapi/asm-generic/mman-common.h, include/uapi/asm-generic/mman.h, arch/x86/include/uapi/asm/mman.h */
static const struct flag_name prot_none[] = { N(PROT_NONE), {} };
static const struct flag_name protections[] = {
	N(PROT_READ), N(PROT_WRITE), N(PROT_EXEC), { 8, "PROT_SEM" },
#if defined(__aarch64__)
	{ 0x10, "PROT_BTI" }, { 0x20, "PROT_MTE" },
#endif
	N(PROT_GROWSDOWN), N(PROT_GROWSUP), {},
};
static const struct flag_name map_types[] = {
	N(MAP_SHARED), N(MAP_PRIVATE), { 3, "MAP_SHARED_VALIDATE" }, { 8, "MAP_DROPPABLE" }, {},
};
static const struct flag_name map_flags[] = {
	N(MAP_FIXED), N(MAP_ANONYMOUS),
#if defined(__x86_64__)
	{ 0x40, "MAP_32BIT" }, { 0x80, "MAP_ABOVE4G" },
#endif
	N(MAP_GROWSDOWN), N(MAP_DENYWRITE), N(MAP_EXECUTABLE), N(MAP_LOCKED), N(MAP_NORESERVE), N(MAP_POPULATE), N(MAP_NONBLOCK),
	N(MAP_STACK), N(MAP_HUGETLB), { 0x80000, "MAP_SYNC" }, { 0x100000, "MAP_FIXED_NOREPLACE" }, {},
};

/* include/uapi/linux/sched.h; of clone's lowest byte, a signal, those that programs use */
static const struct flag_name exit_signals[] = { N(SIGCHLD), N(SIGUSR1), N(SIGUSR2), {} };
static const struct flag_name clone_flags[] = {
	N(CLONE_VM), N(CLONE_FS), N(CLONE_FILES), N(CLONE_SIGHAND), N(CLONE_PIDFD), N(CLONE_PTRACE), N(CLONE_VFORK), N(CLONE_PARENT),
	N(CLONE_THREAD), N(CLONE_NEWNS), N(CLONE_SYSVSEM), N(CLONE_SETTLS), N(CLONE_PARENT_SETTID), N(CLONE_CHILD_CLEARTID),
	N(CLONE_DETACHED), N(CLONE_UNTRACED), N(CLONE_CHILD_SETTID), N(CLONE_NEWCGROUP), N(CLONE_NEWUTS), N(CLONE_NEWIPC),
	N(CLONE_NEWUSER), N(CLONE_NEWPID), N(CLONE_NEWNET), { 0x80000000, "CLONE_IO" }, {},
};
static const struct flag_name namespace_flags[] = {
	{ 0x80, "CLONE_NEWTIME" }, N(CLONE_FS), N(CLONE_FILES), N(CLONE_VM), N(CLONE_SIGHAND), N(CLONE_THREAD), N(CLONE_NEWNS),
	N(CLONE_SYSVSEM), N(CLONE_NEWCGROUP), N(CLONE_NEWUTS), N(CLONE_NEWIPC), N(CLONE_NEWUSER), N(CLONE_NEWPID), N(CLONE_NEWNET), {},
};

static const struct flag_name unshare_flags[] = {
	{ 0x80, "CLONE_NEWTIME" }, N(CLONE_FS), N(CLONE_FILES), N(CLONE_VM), N(CLONE_SIGHAND), N(CLONE_THREAD), N(CLONE_NEWNS),
	N(CLONE_SYSVSEM), { 0x100000, "UNSHARE_EMPTY_MNTNS" }, N(CLONE_NEWCGROUP), N(CLONE_NEWUTS), N(CLONE_NEWIPC), N(CLONE_NEWUSER),
	N(CLONE_NEWPID), N(CLONE_NEWNET), {},
};

/* include/uapi/linux/pidfd.h, fs.h, module.h, asm-generic/mman-common.h */
static const struct flag_name pidfd_flags[] = { { O_NONBLOCK, "PIDFD_NONBLOCK" }, { O_EXCL, "PIDFD_THREAD" }, {} };
static const struct flag_name sync_range_flags[] = {
	{ 1, "SYNC_FILE_RANGE_WAIT_BEFORE" }, { 2, "SYNC_FILE_RANGE_WRITE" }, { 4, "SYNC_FILE_RANGE_WAIT_AFTER" }, {},
};
static const struct flag_name rw_flags[] = {
	{ 0x1, "RWF_HIPRI" }, { 0x2, "RWF_DSYNC" }, { 0x4, "RWF_SYNC" }, { 0x8, "RWF_NOWAIT" }, { 0x10, "RWF_APPEND" },
	{ 0x20, "RWF_NOAPPEND" }, { 0x40, "RWF_ATOMIC" }, { 0x80, "RWF_DONTCACHE" }, { 0x100, "RWF_NOSIGNAL" }, {},
};
static const struct flag_name module_flags[] = {
	{ 1, "MODULE_INIT_IGNORE_MODVERSIONS" }, { 2, "MODULE_INIT_IGNORE_VERMAGIC" }, { 4, "MODULE_INIT_COMPRESSED_FILE" }, {},
};
static const struct flag_name msync_flags[] = { N(MS_ASYNC), N(MS_INVALIDATE), N(MS_SYNC), {} };

/* include/linux/socket.h, include/linux/net.h */
static const struct flag_name families[] = {
	N(AF_UNSPEC), N(AF_UNIX), N(AF_INET), N(AF_AX25), N(AF_IPX), N(AF_APPLETALK), N(AF_X25), N(AF_INET6), N(AF_KEY), N(AF_NETLINK),
	N(AF_PACKET), N(AF_RDS), N(AF_PPPOX), N(AF_LLC), N(AF_IB), N(AF_MPLS), N(AF_CAN), N(AF_TIPC), N(AF_BLUETOOTH), N(AF_RXRPC),
	N(AF_PHONET), N(AF_IEEE802154), N(AF_ALG), N(AF_NFC), N(AF_VSOCK), N(AF_KCM), N(AF_QIPCRTR), N(AF_SMC), N(AF_XDP),
	{ 45, "AF_MCTP" }, {},
};
static const struct flag_name socket_types[] = {
	N(SOCK_STREAM), N(SOCK_DGRAM), N(SOCK_RAW), N(SOCK_RDM), N(SOCK_SEQPACKET), N(SOCK_DCCP), N(SOCK_PACKET), {},
};
static const struct flag_name socket_flags[] = { N(SOCK_NONBLOCK), N(SOCK_CLOEXEC), {} };

/* of 32-bit calls: include/uapi/linux/net.h, include/uapi/linux/ipc.h */
static const struct flag_name socket_calls[] = {
	{ 1, "SYS_SOCKET" }, { 2, "SYS_BIND" }, { 3, "SYS_CONNECT" }, { 4, "SYS_LISTEN" }, { 5, "SYS_ACCEPT" }, { 6, "SYS_GETSOCKNAME" },
	{ 7, "SYS_GETPEERNAME" }, { 8, "SYS_SOCKETPAIR" }, { 9, "SYS_SEND" }, { 10, "SYS_RECV" }, { 11, "SYS_SENDTO" },
	{ 12, "SYS_RECVFROM" }, { 13, "SYS_SHUTDOWN" }, { 14, "SYS_SETSOCKOPT" }, { 15, "SYS_GETSOCKOPT" }, { 16, "SYS_SENDMSG" },
	{ 17, "SYS_RECVMSG" }, { 18, "SYS_ACCEPT4" }, { 19, "SYS_RECVMMSG" }, { 20, "SYS_SENDMMSG" }, {},
};
static const struct flag_name ipc_calls[] = {
	{ 1, "SEMOP" }, { 2, "SEMGET" }, { 3, "SEMCTL" }, { 4, "SEMTIMEDOP" }, { 11, "MSGSND" }, { 12, "MSGRCV" }, { 13, "MSGGET" },
	{ 14, "MSGCTL" }, { 21, "SHMAT" }, { 22, "SHMDT" }, { 23, "SHMGET" }, { 24, "SHMCTL" }, {},
};

/* include/uapi/linux/prctl.h */
static const struct flag_name prctl_options[] = {
	N(PR_SET_PDEATHSIG), N(PR_GET_PDEATHSIG), N(PR_GET_DUMPABLE), N(PR_SET_DUMPABLE), N(PR_GET_UNALIGN), N(PR_SET_UNALIGN),
	N(PR_GET_KEEPCAPS), N(PR_SET_KEEPCAPS), N(PR_GET_FPEMU), N(PR_SET_FPEMU), N(PR_GET_FPEXC), N(PR_SET_FPEXC), N(PR_GET_TIMING),
	N(PR_SET_TIMING), N(PR_SET_NAME), N(PR_GET_NAME), N(PR_GET_ENDIAN), N(PR_SET_ENDIAN), N(PR_GET_SECCOMP), N(PR_SET_SECCOMP),
	N(PR_CAPBSET_READ), N(PR_CAPBSET_DROP), N(PR_GET_TSC), N(PR_SET_TSC), N(PR_GET_SECUREBITS), N(PR_SET_SECUREBITS),
	N(PR_SET_TIMERSLACK), N(PR_GET_TIMERSLACK), N(PR_TASK_PERF_EVENTS_DISABLE), N(PR_TASK_PERF_EVENTS_ENABLE), N(PR_MCE_KILL),
	N(PR_MCE_KILL_GET), N(PR_SET_MM), N(PR_SET_CHILD_SUBREAPER), N(PR_GET_CHILD_SUBREAPER), N(PR_SET_NO_NEW_PRIVS),
	N(PR_GET_NO_NEW_PRIVS), N(PR_GET_TID_ADDRESS), N(PR_SET_THP_DISABLE), N(PR_GET_THP_DISABLE), N(PR_SET_FP_MODE),
	N(PR_GET_FP_MODE), N(PR_CAP_AMBIENT), N(PR_SVE_SET_VL), N(PR_SVE_GET_VL), N(PR_GET_SPECULATION_CTRL),
	N(PR_SET_SPECULATION_CTRL), N(PR_PAC_RESET_KEYS), N(PR_SET_TAGGED_ADDR_CTRL), N(PR_GET_TAGGED_ADDR_CTRL), N(PR_SET_IO_FLUSHER),
	N(PR_GET_IO_FLUSHER), N(PR_SET_SYSCALL_USER_DISPATCH), { 60, "PR_PAC_SET_ENABLED_KEYS" }, { 61, "PR_PAC_GET_ENABLED_KEYS" },
	{ 62, "PR_SCHED_CORE" }, { 63, "PR_SME_SET_VL" }, { 64, "PR_SME_GET_VL" }, { 65, "PR_SET_MDWE" }, { 66, "PR_GET_MDWE" },
	{ 67, "PR_SET_MEMORY_MERGE" }, { 68, "PR_GET_MEMORY_MERGE" }, { 69, "PR_RISCV_V_SET_CONTROL" }, { 70, "PR_RISCV_V_GET_CONTROL" },
	{ 71, "PR_RISCV_SET_ICACHE_FLUSH_CTX" }, { 72, "PR_PPC_GET_DEXCR" }, { 73, "PR_PPC_SET_DEXCR" }, { 74, "PR_GET_SHADOW_STACK_STATUS" },
	{ 75, "PR_SET_SHADOW_STACK_STATUS" }, { 76, "PR_LOCK_SHADOW_STACK_STATUS" }, { 77, "PR_TIMER_CREATE_RESTORE_IDS" },
	{ 78, "PR_FUTEX_HASH" }, { 79, "PR_RSEQ_SLICE_EXTENSION" }, { 80, "PR_GET_CFI" }, { 81, "PR_SET_CFI" },
	{ 43, "PR_MPX_ENABLE_MANAGEMENT" }, { 44, "PR_MPX_DISABLE_MANAGEMENT" }, { 0x41555856, "PR_GET_AUXV" }, { 0x53564d41, "PR_SET_VMA" }, { 0x59616d61, "PR_SET_PTRACER" }, {},
};

/* An argument of a call, or (NULL) of any. */
static const struct {
	const char *call, *argument;
	struct meaning meaning;
} arguments[] = {
	{ NULL, "dfd", { .values = directories } },
	{ NULL, "olddfd", { .values = directories } },
	{ NULL, "newdfd", { .values = directories } },
	{ "unlinkat", "flag", { .flags = unlinkat_flags } },
	{ "newfstatat", "flag", { .flags = at_flags } },
	{ "statx", "flags", { .flags = at_flags } },
	{ "linkat", "flags", { .flags = at_flags } },
	{ "fchownat", "flag", { .flags = at_flags } },
	{ "fchmodat2", "flags", { .flags = at_flags } },
	{ "execveat", "flags", { .flags = execveat_flags } },
	{ "faccessat2", "flags", { .flags = access_flags } },
	{ "name_to_handle_at", "flag", { .flags = handle_flags } },
	{ "utimensat", "flags", { .flags = at_flags } },
	{ "renameat2", "flags", { .flags = rename_flags } },
	{ "open", "flags", { .mask = O_ACCMODE, .values = read_only, .flags = open_flag_names } },
	{ "openat", "flags", { .mask = O_ACCMODE, .values = read_only, .flags = open_flag_names } },
	{ "open_by_handle_at", "flags", { .mask = O_ACCMODE, .values = read_only, .flags = open_flag_names } },
	{ "mq_open", "oflag", { .mask = O_ACCMODE, .values = read_only, .flags = open_flag_names } },
	{ "pipe2", "flags", { .flags = open_flag_names } },
	{ "dup3", "flags", { .flags = open_flag_names } },
	{ "mmap", "prot", { .mask = ~0ull, .values = prot_none, .flags = protections } },
	{ "mmap", "flags", { .mask = 0xf, .values = map_types, .flags = map_flags } },
	{ "mmap_pgoff", "prot", { .mask = ~0ull, .values = prot_none, .flags = protections } },
	{ "mmap_pgoff", "flags", { .mask = 0xf, .values = map_types, .flags = map_flags } },
	{ "mprotect", "prot", { .mask = ~0ull, .values = prot_none, .flags = protections } },
	{ "pkey_mprotect", "prot", { .mask = ~0ull, .values = prot_none, .flags = protections } },
	{ "clone", "clone_flags", { .mask = 0xff, .values = exit_signals, .flags = clone_flags } },
	{ "unshare", "unshare_flags", { .flags = unshare_flags } },
	{ "setns", "flags", { .flags = namespace_flags } },
	{ "socket", "family", { .values = families } },
	{ "socket", "type", { .mask = 0xf, .values = socket_types, .flags = socket_flags } },
	{ "socketpair", "family", { .values = families } },
	{ "socketpair", "type", { .mask = 0xf, .values = socket_types, .flags = socket_flags } },
	{ "socketcall", "call", { .values = socket_calls } },
	{ "ipc", "call", { .values = ipc_calls } },
	{ "accept4", "flags", { .flags = socket_flags } },
	{ "mount", "flags", { .flags = mount_flags } },
	{ "umount", "flags", { .flags = umount_flags } },
	{ "open_tree", "flags", { .flags = open_tree_flags } },
	{ "open_tree_attr", "flags", { .flags = open_tree_flags } },
	{ "mount_setattr", "flags", { .flags = open_tree_flags } },
	{ "move_mount", "flags", { .flags = move_mount_flags } },
	{ "fsopen", "flags", { .flags = fsopen_flags } },
	{ "fsmount", "flags", { .flags = fsmount_flags } },
	{ "fsmount", "attr_flags", { .flags = mount_attributes } },
	{ "fspick", "flags", { .flags = fspick_flags } },
	{ "pidfd_send_signal", "flags", { .flags = pidfd_signal_flags } },
	{ "pidfd_open", "flags", { .flags = pidfd_flags } },
	{ "finit_module", "flags", { .flags = module_flags } },
	{ "delete_module", "flags", { .flags = open_flag_names } },
	{ "sync_file_range", "flags", { .flags = sync_range_flags } },
	{ "msync", "flags", { .flags = msync_flags } },
	{ "preadv2", "flags", { .flags = rw_flags } },
	{ "pwritev2", "flags", { .flags = rw_flags } },
	{ "prctl", "option", { .values = prctl_options } },
};

const struct meaning *syscall_args__meaning(const char *call, const char *argument, const char *type)
{
	static const struct meaning mode = { .is_octal = true };

	if (!strcmp(type, "umode_t"))
		return &mode;
	for (size_t i = 0; i < sizeof(arguments) / sizeof(*arguments); i++)
		if (!strcmp(arguments[i].argument, argument) && (!arguments[i].call || !strcmp(arguments[i].call, call)))
			return &arguments[i].meaning;
	return NULL;
}

const struct meaning *syscall_args__result(void)
{
	static const struct meaning result = { .is_error = true };

	return &result;
}
