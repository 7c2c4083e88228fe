/* SPDX-License-Identifier: BSD-2-Clause */
#include "stacked_disks.h"

#include <dirent.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/kernel/file.h"
#include "lib/print/say.h"

#define SHOWN_MAX 3

static bool has_file(const char *name, const char *file)
{
	char path[512];

	snprintf(path, sizeof(path), "/sys/class/block/%s/%s", name, file);
	return !access(path, F_OK);
}

bool stacked_disks__makes_requests(const char *name)
{
	return has_file(name, has_file(name, "partition") ? "../mq" : "mq");
}

/*
 * Whether the kernel has a driver whose devices come while a tool runs: a volume is activated, an array is put together.  Device mapper
 * registers a device for its calls (drivers/md/dm-ioctl.c), and software RAID has parameters, so it is there as part of the kernel, too.
 */
static bool may_come(void)
{
	return !access("/sys/class/misc/device-mapper", F_OK) || !access("/sys/module/md_mod", F_OK);
}

bool stacked_disks__are_there(void)
{
	DIR *disks = opendir("/sys/block");
	const struct dirent *entry;
	bool found = false;

	while (!found && disks && (entry = readdir(disks)))
		found = *entry->d_name != '.' && !stacked_disks__makes_requests(entry->d_name);
	if (disks)
		closedir(disks);
	return found || may_come();
}

bool stacked_disks__name(unsigned int major, unsigned int minor, char *name, size_t size)
{
	char path[64], target[512];
	const char *slash;
	ssize_t length;

	/* a number that the kernel makes up for a file system (include/uapi/linux/major.h): most mounts have one */
	if (!major)
		return false;
	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u", major, minor);
	length = readlink(path, target, sizeof(target) - 1);
	if (length < 0)
		return false;
	target[length] = '\0';
	slash = strrchr(target, '/');
	return slash && (size_t)snprintf(name, size, "%s", slash + 1) < size;
}

/* Adds "dm-0 (slow)" to the text: *count are there already. */
static void add(const char *name, char *text, size_t size, unsigned int *count)
{
	char path[512], label[128], shown[256];
	size_t used = strlen(text);

	snprintf(path, sizeof(path), "/sys/class/block/%s/dm/name", name);
	if (file__read_small(path, label, sizeof(label)) > 0)
		label[strcspn(label, "\n")] = '\0';
	snprintf(shown, sizeof(shown), *label ? "%s (%s)" : "%s", name, label);
	if (strstr(text, shown))
		return;
	if ((*count)++ < SHOWN_MAX)
		snprintf(text + used, size - used, "%s%s", used ? ", " : "", shown);
}

void stacked_disks__tell(void)
{
	char line[4096 * 2], name[64], text[3 * 256] = "";
	FILE *mounts = fopen("/proc/self/mountinfo", "re");
	unsigned int major, minor, count = 0;

	/* the third word of a line is the number of the device (proc_pid_mountinfo(5)) */
	while (mounts && fgets(line, sizeof(line), mounts))
		if (sscanf(line, "%*d %*d %u:%u ", &major, &minor) == 2 && stacked_disks__name(major, minor, name, sizeof(name)) &&
		    !stacked_disks__makes_requests(name))
			add(name, text, sizeof(text), &count);
	if (mounts)
		fclose(mounts);
	if (count)
		say("%s%s: the time that it takes itself is not seen, as it makes no requests (biosnoop shows it)", text,
		    count > SHOWN_MAX ? ", ..." : "");
}
