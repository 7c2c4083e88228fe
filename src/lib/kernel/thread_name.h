/* SPDX-License-Identifier: BSD-2-Clause */
/* The name of a thread that lives, of which a record has only the number. */
#ifndef PROBELIGHT_THREAD_NAME_H
#define PROBELIGHT_THREAD_NAME_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/shared/event.h"

/* Untrusted bytes with a 0 byte behind them.  tid: as /proc has it; 0: the idle thread of that CPU.  Whether it is known. */
bool thread_name__find(uint32_t tid, unsigned int cpu, char name[TASK_COMM_LEN + 1]);

#endif
