/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One program on the entries of several functions, which it tells apart by bpf_get_func_ip(), or a program for each.  Arming a probe has
 * the kernel walk over all its functions: 11 M instructions for each program (6.1), and as many for one link on all of them
 * (kprobe.multi, since 5.18 with CONFIG_FPROBE).
 *
 * Probes behind ftrace's hook (FUNC+5) were tried and left: dnssnoop's five started in 58 M instead of 84 M (6.1), but ended after 0.43 s
 * instead of 0.13 s.  The kernel makes jumps of them meanwhile; it seems that who makes or removes a probe waits for that, as kprobe_mutex
 * is held over a grace period of RCU tasks.  They also do not see calls that a live patch leads away.  Of the 84 M each probe is 9 M of
 * walks over all functions, and 2.5 M in which register_kprobe() decodes all static branches, which a probe at any place costs.
 *
 *	static const char *const functions[] = { "ip_send_skb", "ip6_send_skb", NULL };
 *
 *	entries__choose(&attach, object, "any_entry", functions, skel->rodata->entry_at);	before load
 *	...
 *	entries__attach(&attach, skel->progs.any_entry, &skel->links.any_entry, functions);	after it; tool__run() does the others
 *
 * The program on all is in section "kprobe.multi"; those on one are in sections "kprobe/FUNCTION".  entries__leave_out() is for functions
 * that this kernel does not have, or nobody calls.
 */
#ifndef PROBELIGHT_ENTRIES_H
#define PROBELIGHT_ENTRIES_H

#include <stdbool.h>
#include <stdint.h>

#include <bpf/libbpf.h>

#include "attach.h"

#define ENTRIES_MAX 16

/* Before entries__choose(): leaves one of functions out, in whose place "" stands then; its program is not loaded. */
void entries__leave_out(const struct bpf_object *object, const char **functions, size_t index);

/*
 * Which of both are loaded: the program on all where attach__may_all(), and the kernel tells each function's address, which goes to
 * addresses, in the order of functions (ended by NULL, ENTRIES_MAX at most; 0 for "").  Returns whether that one is.
 */
bool entries__choose(struct attach *attach, const struct bpf_object *object, const char *any, const char *const *functions,
		     uint64_t *addresses);

/* Attaches the program on all but "", if it is loaded; the link is the skeleton's.  Returns attach->err. */
int entries__attach(struct attach *attach, struct bpf_program *any, struct bpf_link **link, const char *const *functions);

#endif
