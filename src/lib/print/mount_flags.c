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
