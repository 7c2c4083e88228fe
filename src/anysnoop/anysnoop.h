/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROBELIGHT_ANYSNOOP_H
#define PROBELIGHT_ANYSNOOP_H

#include "lib/shared/counted.h"
#include "lib/shared/event.h"

/* In one run: with programs of their own, and with those that share programs, as functions of a pattern do (run_events.h). */
#define ANYSNOOP_EVENTS_MAX 64
#define ANYSNOOP_SHARING_MAX 8192

/* Of a hook of the security modules: the most that BPF knows are 7. */
#define ANYSNOOP_HOOK_ARGS 8

/* What a program sends; the copy of the event's context (lib/gen/record.h), or a key (lib/gen/key.h), begins with the last two members. */
struct anysnoop_event {
	struct event_task task;
	__u32 index;		/* which event of the command line */
	__u32 cpu;
};

/* Marks in the program (lib/bpf/patch.bpf.h). */
#define ANYSNOOP_MATCHES 0x616e7901
#define ANYSNOOP_COPY 0x616e7902
#define ANYSNOOP_SIZE 0x616e7903
#define ANYSNOOP_INDEX 0x616e7904
#define ANYSNOOP_SIGNED 0x616e7905
#define ANYSNOOP_IS_CALL 0x616e7906
#define ANYSNOOP_VALUES 0x616e7907
#define ANYSNOOP_LOW 0x616e7908
#define ANYSNOOP_HIGH 0x616e7909
#define ANYSNOOP_ANY_TASK 0x616e790a
#define ANYSNOOP_SELF 0x616e790b
#define ANYSNOOP_AFTER_RETURN 0x616e790c
#define ANYSNOOP_TOUCH 0x616e790d
#define ANYSNOOP_OWN_STACK 0x616e790e
#define ANYSNOOP_PREEMPTED 0x616e790f
#define ANYSNOOP_IS_SHARED 0x616e7910
#define ANYSNOOP_BY_COOKIE 0x616e7911
#define ANYSNOOP_MEMORY 0x616e7912
#define ANYSNOOP_CALLER_ON_TOP 0x616e7913
#define ANYSNOOP_NAMES_TASK 0x616e7914
#define ANYSNOOP_IS_OWN 0x616e7915
#define ANYSNOOP_SENDS_KEY 0x616e7916

#endif
