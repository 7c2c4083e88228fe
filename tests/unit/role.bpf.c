/* SPDX-License-Identifier: BSD-2-Clause */
/* The object whose programs tests/unit/role.c asks for.  Never loaded. */
#include "vmlinux.h"

#include <bpf/bpf_helpers.h>

#include "lib/bpf/role.bpf.h"

#define PROGRAM(section, role, name) SEC(section) role int name(void *ctx) { return 0; }
#define SAYS_NOTHING

PROGRAM("kprobe", SAYS_NOTHING, entry)
PROGRAM("kretprobe", SAYS_NOTHING, ret)
PROGRAM("ksyscall/kill", SAYS_NOTHING, call)
PROGRAM("kretsyscall/kill", SAYS_NOTHING, call_ret)
PROGRAM("?fentry_id", SAYS_NOTHING, fentry)
PROGRAM("?fexit_id", SAYS_NOTHING, fexit)
PROGRAM("raw_tp/sys_enter", SAYS_NOTHING, enters)
PROGRAM("tp/syscalls/sys_exit_kill", SAYS_NOTHING, exits)
PROGRAM("raw_tp/sched_switch", SAYS_NOTHING, event)
/* the names say nothing */
PROGRAM("raw_tp/sched_switch", SAYS_NOTHING, begin_event)
PROGRAM("raw_tp/sched_switch", SAYS_NOTHING, end_event)
PROGRAM("raw_tp/sched_switch", SEES_BEGIN, tagged_begin)
/* what the program says goes before its section */
PROGRAM("kprobe", SEES_END, tagged_end)
PROGRAM("kretprobe", SEES_WHOLE, tagged_whole)
PROGRAM("kprobe", SEES_NO_EVENT, tagged_nothing)
