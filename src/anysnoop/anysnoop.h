/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROBELIGHT_ANYSNOOP_H
#define PROBELIGHT_ANYSNOOP_H

#include "lib/shared/counted.h"
#include "lib/shared/event.h"

/* In one run. */
#define ANYSNOOP_EVENTS_MAX 64

/* What a program sends; the copy of the event's context begins with the last two members (lib/gen/record.h). */
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

#endif
