/* SPDX-License-Identifier: BSD-2-Clause */
/* Programs on tracepoints. */
#ifndef PROBELIGHT_TRACEPOINT_H
#define PROBELIGHT_TRACEPOINT_H

#include <stdint.h>

#include <bpf/libbpf.h>

/* The event of a program in section "tp/SYSTEM/NAME" or "tracepoint/SYSTEM/NAME": "SYSTEM/NAME"; NULL for other sections. */
const char *tracepoint__of(const struct bpf_program *program);

/* What perf_event_open(2) takes for an event, "SYSTEM/NAME", above 0; or -errno. */
int tracepoint__id(const char *event);

/*
 * Opens an event, "SYSTEM/NAME", as one that a program can be attached to: its file, or -errno, ENOENT where the kernel has no
 * such event.
 */
int tracepoint__open(const char *event);

/*
 * The same for an event of ours in uprobe_events, and one process: nobody else has its breakpoints.  Its first thread must live on.  pid:
 * in the caller's pid namespace; 0: every process.
 */
int tracepoint__open_for(const char *event, uint32_t pid);

/*
 * Attaches a program to its event, wherever tracefs is mounted and whatever CPUs are online (libbpf knows two places, and takes
 * CPU 0).  The caller's link, or NULL with errno set: of tracefs__mount_point(), ENOENT where the kernel has no such event,
 * E2BIG where 64 programs are attached already, of perf_event_open(2).
 */
struct bpf_link *tracepoint__attach(const struct bpf_program *program, const char *event);

/* The same with a cookie, for programs that call bpf_get_attach_cookie(); kernel__has_attach_cookie() tells whether they may. */
struct bpf_link *tracepoint__attach_with(const struct bpf_program *program, const char *event, __u64 cookie);

#endif
