/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One try to attach a program to one function in one mode, and what a kernel may lack for a mode.  For attach.c, which
 * decides the modes and the names.
 */
#ifndef PROBELIGHT_ATTEMPT_H
#define PROBELIGHT_ATTEMPT_H

#include <stdbool.h>

#include <bpf/libbpf.h>

#include "attach.h"
#include "funcname.h"

struct attempt {
	struct bpf_program *program;
	bool is_return;
	struct bpf_link *link;		/* of the last try, or NULL; the caller's */
	enum attach_mode mode;		/* of the last try */
	char why[256];			/* why no better mode */
	int err;			/* of the last try */
};

/* Tries one mode on one name.  0, with attempt->link set, or -errno. */
int attempt__try(struct attempt *attempt, enum attach_mode mode, const struct funcname *name);

/*
 * Mode legacy for several functions, ended by NULL, as one event: for a program that was loaded for kprobe.multi.  0, with
 * attempt->link set, or -errno.
 */
int attempt__try_legacy_all(struct attempt *attempt, const char *const *functions);

/*
 * Why the kernel lacks a mode, in words for a message; NULL where err, of attempt__try(), has another reason.  Static, valid
 * for ever.
 */
const char *attempt__lacks(enum attach_mode mode, int err);

/* Whether an error of attempt__try() is one that another name might not meet. */
bool attempt__is_about_name(int err);

/* Whether the kernel has events of the kprobe PMU (modes link and perf). */
bool attempt__has_pmu(void);

/* Why the kernel has no kprobe_events that can be written (mode legacy), or NULL where it has. */
const char *attempt__lacks_kprobe_events(void);

/* Whether the kernel has kprobe.multi links.  Asks it with one program of two instructions. */
bool attempt__has_multi(void);

#endif
