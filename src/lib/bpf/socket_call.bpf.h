/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The socket that a system call is about, when the call returns.  For tools with exits.bpf.h whose calls 32-bit programs can make by
 * socketcall(2), too.  Include it after that.  It takes the kernel's BTF.
 */
#ifndef PROBELIGHT_SOCKET_CALL_BPF_H
#define PROBELIGHT_SOCKET_CALL_BPF_H

#include "ends.bpf.h"
#include "files.bpf.h"
#include "lib/shared/socket_call.h"

/* Functions of socketcall(2), include/uapi/linux/net.h. */
#define SOCKETCALL_BIND 2
#define SOCKETCALL_LISTEN 4

#define SOCKET_CALL_ARGS 3

struct socket___part {
	struct file___part *file;
	struct sock___part *sk;
} __attribute__((preserve_access_index));

/*
 * The call's arguments, count of them, a constant.  Returns false where socketcall(2) was called for another function, or its arguments
 * cannot be read, as the kernel found too.
 */
static __always_inline bool socket_call_args(u64 args[SOCKET_CALL_ARGS], const struct exited *exited, u32 function, const u32 count)
{
	u32 words[SOCKET_CALL_ARGS] = {};

	if (exited->syscall != SYSCALL_socketcall) {
		for (u32 i = 0; i < count; i++)
			args[i] = exited->args[i];
		return true;
	}
	if ((u32)exited->args[0] != function || bpf_probe_read_user(words, count * sizeof(*words), (const void *)exited->args[1]))
		return false;
	for (u32 i = 0; i < count; i++)
		args[i] = words[i];
	return true;
}

#define SOCKET_CALL_NONE 0	/* the descriptor is no socket's */
#define SOCKET_CALL_OTHER 1	/* it is a socket's of another family */

/*
 * The address of a descriptor's internet socket, or one of these two numbers.  A global function: the verifier looks at it once, and does
 * not walk what follows once for each way through it.
 */
__noinline u64 socket_call_sock(u32 fd)
{
	struct file___part *file = files_get(fd);
	struct socket___part *socket;
	struct sock___part *sk;
	u16 family;

	if (!file)
		return SOCKET_CALL_NONE;
	/* private data of another file may be anything: only a socket's points back */
	socket = BPF_CORE_READ(file, private_data);
	if (!socket || BPF_CORE_READ(socket, file) != file)
		return SOCKET_CALL_NONE;
	sk = BPF_CORE_READ(socket, sk);
	family = BPF_CORE_READ(sk, __sk_common.skc_family);
	return family == AF_INET || family == AF_INET6 ? (u64)sk : SOCKET_CALL_OTHER;
}

/* What the socket itself says.  sk: an internet socket. */
static __always_inline void socket_call_fill(struct socket_call *call, const struct sock___part *sk)
{
	socket_fill_ends(&call->ends, sk);
	call->protocol = BPF_CORE_READ(sk, sk_protocol);
	call->about = SOCKET_CALL_IS_SOCKET | SOCKET_CALL_HAS_ADDRESS;
}

/* The filters; a call that is not wanted counts as filtered.  An address that is not known passes no filter. */
static __always_inline bool socket_call_filtered(const struct socket_call *call)
{
	if (result_filtered(call->result) || task_filtered())
		return true;
	if (!socket_filter.active || (call->about & SOCKET_CALL_HAS_ADDRESS && ends_wanted(&call->ends)))
		return false;
	event_count_filtered();
	return true;
}

#endif
