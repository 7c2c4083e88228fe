/* SPDX-License-Identifier: BSD-2-Clause */
/* The functions that the kernel lets nobody probe, since kprobes run them. */
#ifndef PROBELIGHT_BLACKLIST_H
#define PROBELIGHT_BLACKLIST_H

#include <stdbool.h>
#include <stdint.h>

/* Whether an address is in /sys/kernel/debug/kprobes/blacklist; false also where that cannot be read, and for address 0. */
bool blacklist__has(uint64_t address);

#endif
