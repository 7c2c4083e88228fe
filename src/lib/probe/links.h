/* SPDX-License-Identifier: BSD-2-Clause */
/* What holds a skeleton's programs to their hooks. */
#ifndef PROBELIGHT_LINKS_H
#define PROBELIGHT_LINKS_H

#include <stdbool.h>

#include <bpf/libbpf.h>

/* The skeleton's program of that index, below skeleton->prog_cnt.  Its size depends on the bpftool that made the skeleton. */
struct bpf_prog_skeleton *links__entry(const struct bpf_object_skeleton *skeleton, int index);

/*
 * Whether a program sees a call begin (kprobe, ksyscall, fentry, a session, sys_enter), or end (kretprobe, kretsyscall,
 * fexit, sys_exit), by its section.
 */
bool links__is_entry(const struct bpf_program *program);
bool links__is_return(const struct bpf_program *program);

/*
 * Keeps a link of a program that libbpf has no function for, and that is only a descriptor.  It is closed with the skeleton's, or by
 * links__close_own().  0, or -ENOMEM.
 */
int links__own(const struct bpf_program *program, int fd);

/* The same for an event of perf's that is no link.  The kernel tells nothing of what it missed: missed__tell_unseen() is the caller's. */
int links__own_event(const struct bpf_program *program, int fd);
void links__close_own(void);

/* The descriptor of an entry's link, of either kind; -1: it has none. */
int links__fd(const struct bpf_prog_skeleton *entry);

/* The same of those that are asked for what they missed (missed.h): all but links__own_event(). */
int links__asked_fd(const struct bpf_prog_skeleton *entry);

/*
 * Detaches all, at the same time: each link waits for RCU grace periods several times, partly under a lock of the kernel's
 * (event_mutex).  Nine probes took 169 ms so, one after the other 349 (6.1).  Before each link goes, kernel.ftrace_enabled is set again
 * if somebody has cleared it since disarming__begin().  The skeleton's links are NULL then.
 */
void links__detach(struct bpf_object_skeleton *skeleton);

#endif
