/* SPDX-License-Identifier: BSD-2-Clause */
#include "mount_flags.h"

const struct flag_name mount_flags[] = {
	{ 1 << 0, "MS_RDONLY" }, { 1 << 1, "MS_NOSUID" }, { 1 << 2, "MS_NODEV" }, { 1 << 3, "MS_NOEXEC" },
	{ 1 << 4, "MS_SYNCHRONOUS" }, { 1 << 5, "MS_REMOUNT" }, { 1 << 6, "MS_MANDLOCK" }, { 1 << 7, "MS_DIRSYNC" },
	{ 1 << 8, "MS_NOSYMFOLLOW" }, { 1 << 10, "MS_NOATIME" }, { 1 << 11, "MS_NODIRATIME" }, { 1 << 12, "MS_BIND" },
	{ 1 << 13, "MS_MOVE" }, { 1 << 14, "MS_REC" }, { 1 << 15, "MS_SILENT" }, { 1 << 16, "MS_POSIXACL" },
	{ 1 << 17, "MS_UNBINDABLE" }, { 1 << 18, "MS_PRIVATE" }, { 1 << 19, "MS_SLAVE" }, { 1 << 20, "MS_SHARED" },
	{ 1 << 21, "MS_RELATIME" }, { 1 << 22, "MS_KERNMOUNT" }, { 1 << 23, "MS_I_VERSION" }, { 1 << 24, "MS_STRICTATIME" },
	{ 1 << 25, "MS_LAZYTIME" }, { 0, NULL },
};

const struct flag_name umount_flags[] = {
	{ 1, "MNT_FORCE" }, { 2, "MNT_DETACH" }, { 4, "MNT_EXPIRE" }, { 8, "UMOUNT_NOFOLLOW" }, { 0, NULL },
};

/* include/uapi/linux/mount.h and fcntl.h; the numbers never change. */
const struct flag_name open_tree_flags[] = {
	{ 1, "OPEN_TREE_CLONE" }, { 2, "OPEN_TREE_NAMESPACE" }, { 0x100, "AT_SYMLINK_NOFOLLOW" }, { 0x800, "AT_NO_AUTOMOUNT" },
	{ 0x1000, "AT_EMPTY_PATH" }, { 0x8000, "AT_RECURSIVE" }, { 02000000, "OPEN_TREE_CLOEXEC" }, { 0, NULL },
};

const struct flag_name move_mount_flags[] = {
	{ 1, "MOVE_MOUNT_F_SYMLINKS" }, { 2, "MOVE_MOUNT_F_AUTOMOUNTS" }, { 4, "MOVE_MOUNT_F_EMPTY_PATH" },
	{ 0x10, "MOVE_MOUNT_T_SYMLINKS" }, { 0x20, "MOVE_MOUNT_T_AUTOMOUNTS" }, { 0x40, "MOVE_MOUNT_T_EMPTY_PATH" },
	{ 0x100, "MOVE_MOUNT_SET_GROUP" }, { 0x200, "MOVE_MOUNT_BENEATH" }, { 0, NULL },
};

const struct flag_name fsopen_flags[] = { { 1, "FSOPEN_CLOEXEC" }, { 0, NULL } };
const struct flag_name fsmount_flags[] = { { 1, "FSMOUNT_CLOEXEC" }, { 2, "FSMOUNT_NAMESPACE" }, { 0, NULL } };

const struct flag_name fspick_flags[] = {
	{ 1, "FSPICK_CLOEXEC" }, { 2, "FSPICK_SYMLINK_NOFOLLOW" }, { 4, "FSPICK_NO_AUTOMOUNT" }, { 8, "FSPICK_EMPTY_PATH" },
	{ 0, NULL },
};

const struct flag_name mount_attributes[] = {
	{ 1, "MOUNT_ATTR_RDONLY" }, { 2, "MOUNT_ATTR_NOSUID" }, { 4, "MOUNT_ATTR_NODEV" }, { 8, "MOUNT_ATTR_NOEXEC" },
	{ 0x10, "MOUNT_ATTR_NOATIME" }, { 0x20, "MOUNT_ATTR_STRICTATIME" }, { 0x80, "MOUNT_ATTR_NODIRATIME" },
	{ 0x100000, "MOUNT_ATTR_IDMAP" }, { 0x200000, "MOUNT_ATTR_NOSYMFOLLOW" }, { 0, NULL },
};
