/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the programs of a tool that prints events share: the ring buffer, the filters, the accounting, TP_PROG().
 *
 * A program is: if (task_filtered()) return 0; e = event_reserve(sizeof(*e)); if (!e) return 0; fill *e in place;
 * event_submit(e).  Every event that reaches task_filtered() or event_reserve() is then delivered, or counted.
 * Include it once in a tool, after vmlinux.h.
 */
#ifndef PROBELIGHT_TOOL_BPF_H
#define PROBELIGHT_TOOL_BPF_H

#include "filter.bpf.h"
#include "ring.bpf.h"
#include "stats.bpf.h"
#include "tp_prog.bpf.h"

#endif
