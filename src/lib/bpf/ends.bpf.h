/* SPDX-License-Identifier: BSD-2-Clause */
/* The filters -4, -6, -P, -L and -D: by the two ends of a socket or a packet.  Include it once in a tool, after vmlinux.h. */
#ifndef PROBELIGHT_ENDS_BPF_H
#define PROBELIGHT_ENDS_BPF_H

#include "socket.bpf.h"
#include "stats.bpf.h"

const volatile struct socket_filter socket_filter = {};

static __always_inline bool address_is_mapped(const __u8 *address)
{
	const __u32 *words = (const __u32 *)address;

	return !words[0] && !words[1] && words[2] == bpf_htonl(0xffff);
}

static __always_inline bool port_is_among(const volatile __u16 *ports, __u32 count, __u16 port)
{
	for (__u32 i = 0; i < count && i < SOCKET_PORTS_MAX; i++)
		if (ports[i] == port)
			return true;
	return false;
}

/* ends: both addresses and ports filled in. */
static __always_inline bool ends_wanted(const struct socket_ends *ends)
{
	if (!socket_filter.active)
		return true;
	if (socket_filter.ip) {
		/* of a listening socket only one of them says */
		bool is_v4 = address_is_mapped(ends->local) || address_is_mapped(ends->remote);

		if (socket_filter.ip != (is_v4 ? 4 : 6))
			return false;
	}
	if (socket_filter.local_count && !port_is_among(socket_filter.local, socket_filter.local_count, ends->local_port))
		return false;
	if (socket_filter.remote_count && !port_is_among(socket_filter.remote, socket_filter.remote_count, ends->remote_port))
		return false;
	return !socket_filter.ports_count || port_is_among(socket_filter.ports, socket_filter.ports_count, ends->local_port) ||
	       port_is_among(socket_filter.ports, socket_filter.ports_count, ends->remote_port);
}

/* Whether an event of these ends is not wanted; counts it as filtered then. */
static __always_inline bool ends_filtered(const struct socket_ends *ends)
{
	if (ends_wanted(ends))
		return false;
	event_count_filtered();
	return true;
}

/* ends_wanted() for the ends that the socket has now. */
static __always_inline bool socket_wanted(const struct sock___part *sk)
{
	struct socket_ends ends;

	if (!socket_filter.active)
		return true;
	socket_fill_ends(&ends, sk);
	return ends_wanted(&ends);
}

/* The same; an event that is not wanted counts as filtered. */
static __always_inline bool socket_filtered(const struct sock___part *sk)
{
	if (socket_wanted(sk))
		return false;
	event_count_filtered();
	return true;
}

#endif
