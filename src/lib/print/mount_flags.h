/* SPDX-License-Identifier: BSD-2-Clause */
/* The flags of mount(2) and umount2(2) by name: include/uapi/linux/mount.h, include/linux/fs.h. */
#ifndef PROBELIGHT_MOUNT_FLAGS_H
#define PROBELIGHT_MOUNT_FLAGS_H

#include "flags.h"

extern const struct flag_name mount_flags[], umount_flags[];

#endif
