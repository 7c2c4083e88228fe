/* SPDX-License-Identifier: BSD-2-Clause */
/* The flags of the calls that mount and unmount by name: include/uapi/linux/mount.h and fcntl.h, include/linux/fs.h. */
#ifndef PROBELIGHT_MOUNT_FLAGS_H
#define PROBELIGHT_MOUNT_FLAGS_H

#include "flags.h"

extern const struct flag_name mount_flags[], umount_flags[];

/* Of open_tree(2), and of mount_setattr(2) but for the first two. */
extern const struct flag_name open_tree_flags[];
extern const struct flag_name move_mount_flags[], fsopen_flags[], fsmount_flags[], fspick_flags[];

/* Of fsmount(2), and of struct mount_attr. */
extern const struct flag_name mount_attributes[];

#endif
