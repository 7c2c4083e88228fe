/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROBELIGHT_MODSNOOP_H
#define PROBELIGHT_MODSNOOP_H

#include "lib/shared/event.h"
#include "lib/shared/path.h"
#include "lib/shared/syscalls.h"

/* The calls that load and remove modules. */
#define TRACED_CALLS(CALL) CALL(init_module) CALL(finit_module) CALL(delete_module)

#define MODULE_NAME_SIZE 64	/* the kernel's names have 56 bytes at most (MODULE_NAME_LEN) */

enum module_text { MODULE_NAME, MODULE_FILE, MODULE_PARAMS, MODULE_TEXTS };

enum module_flag {
	MODULE_WAITS = 1,	/* the request waits for modprobe to end */
	MODULE_ARGS_UNKNOWN = 2,
};

/* The texts lie at the end, room bytes for each. */
struct module_event {
	struct event_task task;
	__s32 result;		/* 0 or -errno */
	__u32 flags;		/* finit_module, delete_module: as passed */
	__u16 call;		/* enum syscall_id; SYSCALL_NONE: the kernel asks for a module */
	__u16 about;		/* enum module_flag */
	__u16 room;		/* PATH_ROOM_SHORT or PATH_SIZE */
	__u16 sizes[MODULE_TEXTS];	/* with the 0 byte; 0: there is none, or it could not be read */
	__u32 reserved;
	char texts[];
};

#endif
