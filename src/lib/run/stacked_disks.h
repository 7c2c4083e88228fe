/* SPDX-License-Identifier: BSD-2-Clause */
/* Block devices that pass what they get on without making requests: device mapper, software RAID, zram. */
#ifndef PROBELIGHT_STACKED_DISKS_H
#define PROBELIGHT_STACKED_DISKS_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Whether the device, "sda" or "sda1", makes requests, by its directory in /sys/class/block: what has no hardware queues
 * makes none.
 */
bool stacked_disks__makes_requests(const char *name);

/*
 * The device's name there, "dm-0", by its numbers; false: there is none, as for file systems without a device, or it does not fit into
 * size bytes.
 */
bool stacked_disks__name(unsigned int major, unsigned int minor, char *name, size_t size);

/* Whether there is a device that makes none, or may be one later: the driver of device mapper or of software RAID is loaded. */
bool stacked_disks__are_there(void);

/*
 * One line on stderr, where file systems are mounted from such devices, that names up to three of these and the tools
 * that show their time.
 */
void stacked_disks__tell(void);

#endif
