/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Programs on places of files, which all processes have that execute the file, now and later.  One program takes any number of places in
 * the way that costs least to attach and to detach:
 *
 *	one uprobe.multi link for each file (since Linux 6.6)
 *	one event of uprobe_events with a line for each place (lib/probe/uprobe_events.h)
 *	an event of the uprobe PMU for each place: of one place alone, or without tracefs.  Each waits for an RCU grace period when it is
 *	detached (36 to 64 ms on 6.1 to 7.3)
 */
#ifndef PROBELIGHT_USER_ATTACH_H
#define PROBELIGHT_USER_ATTACH_H

#include <stdbool.h>
#include <stdint.h>

#include <bpf/libbpf.h>

#include "lib/print/fault.h"
#include "lib/probe/uprobe_events.h"
#include "user_site.h"
#include "user_targets.h"

/* BPF_TRACE_UPROBE_MULTI of include/uapi/linux/bpf.h, which older headers do not have. */
#define USER_ATTACH_MULTI ((enum bpf_attach_type)48)

struct user_place {
	const struct user_target *target;
	uint64_t offset;	/* in the file */
	uint64_t semaphore;	/* where the file has a counter of tracers (USDT), which the kernel keeps; 0: nowhere */
	uint64_t cookie;	/* what bpf_get_attach_cookie() gives, with uprobe.multi */
	bool by_kernel;		/* a return probe */
};

/* Places of one program; zeroed at first. */
struct user_places {
	struct user_place *list;
	size_t count;
};

/* Adds the places of a function.  0 or -ENOMEM. */
int user_places__add(struct user_places *places, const struct user_target *target, const struct user_sites *sites, uint64_t semaphore,
		     uint64_t cookie);
void user_places__free(struct user_places *places);

/* On how many pages of code they are, once they are attached: each process that executes them has a copy of each (4 kB). */
size_t user_places__pages(const struct user_places *places);

/*
 * Writes where which cookie belongs into the map user_sites, for programs that find their place by the kernel's record of it
 * (lib/bpf/user_site.bpf.h).  0, or -errno with one line in fault: -ENOTUNIQ where two files of the same size are in the way.
 */
int user_places__write(const struct user_places *places, int map_fd, struct fault *fault);

/*
 * Defines an event of uprobe_events at places of one kind, as user_links__add() attaches a program, for who records it without one.  fetch
 * and name: as uprobe_events__add(); uprobe_events__end() removes it.  0, or -errno with one line in fault.
 */
int user_places__define(struct user_places *places, const char *fetch, char name[UPROBE_EVENTS_NAME_MAX], struct fault *fault);

/*
 * Whether this kernel has uprobe.multi: it is asked once.  Then programs are to be loaded with the expected attach type
 * USER_ATTACH_MULTI; those take no other events.
 */
bool user_attach__has_multi(void);

/*
 * Opens an event of the uprobe PMU at a place of a file: a descriptor or -errno.  semaphore: as in struct user_place; pid: the thread that
 * it is for, -1: all.  The place must be one of user_site.h.
 */
int user_attach__open_event(const char *path, uint64_t offset, uint64_t semaphore, bool at_return, int pid);

/* Links that are kept until they are closed; zeroed at first. */
struct user_links {
	int *volatile list;		/* descriptors: of links, and of the events that they are on */
	volatile size_t count;		/* of those in list that are complete */
	volatile bool are_closed;	/* by user_links__close() */
	volatile size_t closed;		/* how many of list are */
	bool without_lines;		/* uprobe_events cannot be written any more: privileges were dropped */
	uint32_t pid;			/* of user_links__set_process(), or 0 */
};

/*
 * Before the first user_links__add(): only this process, by its number in the caller's pid namespace, before and after an exec; 0: every
 * one.  No other one has the breakpoints, nor what it forks; children by vfork(2) share them, and since 6.6 no program sees those.  Where
 * the kernel cannot do it, it is every process, so programs filter, too: 6.6 to 6.9 leave its other threads out, and all ask the first
 * thread for its memory, so that one must not have ended.
 */
void user_links__set_process(struct user_links *links, uint32_t pid);

/* Whether that one's first thread has ended and others go on, which before 6.6 are not seen from then on.  Opens a file for reading. */
bool user_links__has_lost_process(const struct user_links *links);

/*
 * Attaches a program of type kprobe to places, of which those that are the same count once.  The kernel never skips a program at a uprobe,
 * so nothing is missed there; of return probes it makes at most 64 for a thread at the same time.  Only what user_site.h has found may be
 * attached to.  0, or -errno with one line in fault; those that are attached by then stay so.
 */
int user_links__add(struct user_links *links, const struct bpf_program *program, struct user_places *places, struct fault *fault);

/* Detaches all, also in a signal's handler: closes descriptors.  The rest is user_links__free()'s. */
void user_links__close(struct user_links *links);

/* Detaches all. */
void user_links__free(struct user_links *links);

#endif
