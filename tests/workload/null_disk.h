/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Null block devices (Documentation/block/null_blk.rst), made through configfs as tests need them: a disk without hardware, that
 * takes as long, keeps as much and fails where one says.
 */
#ifndef NULL_DISK_H
#define NULL_DISK_H

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#define NULL_DISKS "/sys/kernel/config/nullb"

static void null_disk_die(const char *what)
{
	perror(what);
	exit(125);
}

/* "irqmode=2" */
static void null_disk_set(const char *name, const char *setting)
{
	const char *value = strchr(setting, '=');
	char path[256];
	int fd;

	if (!value)
		null_disk_die(setting);
	snprintf(path, sizeof(path), NULL_DISKS "/%s/%.*s", name, (int)(value - setting), setting);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0 || write(fd, value + 1, strlen(value + 1)) < 0)
		null_disk_die(path);
	close(fd);
}

/* Makes the disk /dev/NAME, "nullb0" first, with settings that NULL ends; without a scheduler. */
static void null_disk_make(const char *name, const char *const *settings)
{
	char path[256];
	int fd;

	if (access(NULL_DISKS, F_OK)) {
		/* one that was loaded without the word has a disk of the name already */
		if (system("rmmod null_blk 2>/dev/null; modprobe null_blk nr_devices=0"))
			null_disk_die("modprobe null_blk");
		if (access(NULL_DISKS, F_OK) && mount("configfs", "/sys/kernel/config", "configfs", 0, NULL))
			null_disk_die("configfs");
	}
	snprintf(path, sizeof(path), NULL_DISKS "/%s", name);
	/* one that another test has left */
	rmdir(path);
	if (mkdir(path, 0755))
		null_disk_die(path);
	for (; *settings; settings++)
		null_disk_set(name, *settings);
	null_disk_set(name, "power=1");
	snprintf(path, sizeof(path), "/sys/block/%s/queue/scheduler", name);
	/* one that makes no requests (queue_mode=0) has none */
	if (access(path, F_OK))
		return;
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0 || write(fd, "none", 4) != 4)
		null_disk_die(path);
	close(fd);
}

static void __attribute__((unused)) null_disk_remove(const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), NULL_DISKS "/%s", name);
	if (rmdir(path))
		null_disk_die(path);
}

#endif
