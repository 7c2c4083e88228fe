/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Devices on other devices, as dmsetup(8) and mdadm(8) make them, and what is asked of one.
 *
 *	disk_layers dm NAME "START LENGTH TARGET ARGUMENT..."...	makes the device NAME, /dev/mapper/NAME, of these targets
 *	disk_layers suspend|resume|remove NAME				what the kernel gets for it waits, and no longer; it goes
 *	disk_layers md LEVEL FILE...					makes /dev/md0, RAID 0 or 1 in chunks of 64 KB, without a superblock
 *	disk_layers stop						it goes
 *	disk_layers calls DISK...					each kind of request to /dev/DISK: prints "PID disk_layers DISK T SECTOR
 *									BYTES ERR" for each, as biosnoop has them
 */
#include <asm/byteorder.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/dm-ioctl.h>
#include <linux/fs.h>
#include <linux/major.h>
#include <linux/raid/md_p.h>
#include <linux/raid/md_u.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define SECTOR 512
#define CHUNK (64 << 10)

static char data[2 * CHUNK] __attribute__((aligned(4096)));

static void die(const char *what)
{
	perror(what);
	exit(125);
}

static int open_file(const char *path, int flags)
{
	int fd = open(path, flags | O_CLOEXEC);

	if (fd < 0)
		die(path);
	return fd;
}

struct dm_request {
	struct dm_ioctl head;
	char room[4096];
};

/* One call of device mapper; gives the device's minor number. */
static unsigned int dm_call(unsigned long call, const char *name, struct dm_request *request)
{
	int fd = open_file("/dev/mapper/control", O_RDWR);

	request->head.version[0] = DM_VERSION_MAJOR;
	request->head.data_size = sizeof(*request);
	request->head.data_start = sizeof(request->head);
	snprintf(request->head.name, sizeof(request->head.name), "%s", name);
	if (ioctl(fd, call, request))
		die(name);
	close(fd);
	return minor(request->head.dev);
}

static void dm_simple(unsigned long call, const char *name, uint32_t flags)
{
	struct dm_request request = { .head.flags = flags };

	dm_call(call, name, &request);
}

static void dm_make(const char *name, char **targets, int count)
{
	struct dm_request request = { .head.target_count = (uint32_t)count };
	char path[256], file[32];
	size_t used = 0;
	unsigned int dm;

	dm_simple(DM_DEV_CREATE, name, 0);
	for (int i = 0; i < count; i++) {
		struct dm_target_spec *spec = (struct dm_target_spec *)(request.room + used);
		unsigned long long start, length;
		int args = 0;

		if (sscanf(targets[i], "%llu %llu %15s %n", &start, &length, spec->target_type, &args) < 3)
			die(targets[i]);
		spec->sector_start = start;
		spec->length = length;
		strcpy((char *)(spec + 1), targets[i] + args);
		used += (sizeof(*spec) + strlen(targets[i] + args) + 1 + 7) & ~7UL;
		spec->next = (uint32_t)(used - (size_t)((char *)spec - request.room));
	}
	dm_call(DM_TABLE_LOAD, name, &request);
	dm_simple(DM_DEV_SUSPEND, name, 0);
	dm = dm_call(DM_DEV_STATUS, name, &(struct dm_request){ 0 });
	/* as udev has it */
	snprintf(path, sizeof(path), "/dev/mapper/%s", name);
	snprintf(file, sizeof(file), "../dm-%u", dm);
	unlink(path);
	if (symlink(file, path))
		die(path);
}

static void dm_remove(const char *name)
{
	char path[256];

	dm_simple(DM_DEV_REMOVE, name, 0);
	snprintf(path, sizeof(path), "/dev/mapper/%s", name);
	unlink(path);
}

static void md_make(int level, char **disks, int count)
{
	mdu_array_info_t array = { .major_version = 0, .minor_version = 90, .level = level, .raid_disks = count, .nr_disks = count,
				   .not_persistent = 1, .state = 1 << MD_SB_CLEAN, .chunk_size = level ? 0 : CHUNK };
	int fd = open_file("/sys/module/md_mod/parameters/new_array", O_WRONLY);
	mdu_param_t param = { 0 };
	uint64_t bytes;
	int md, disk;

	if (write(fd, "md0", 3) != 3)
		die("new_array");
	close(fd);
	disk = open_file(disks[0], O_RDONLY);
	if (ioctl(disk, BLKGETSIZE64, &bytes))
		die(disks[0]);
	close(disk);
	if (level)
		array.size = (int)(bytes >> 10);
	md = open_file("/dev/md0", O_RDWR);
	if (ioctl(md, SET_ARRAY_INFO, &array))
		die("SET_ARRAY_INFO");
	for (int i = 0; i < count; i++) {
		mdu_disk_info_t info = { .number = i, .raid_disk = i, .state = 1 << MD_DISK_ACTIVE | 1 << MD_DISK_SYNC };
		struct stat file;

		if (stat(disks[i], &file))
			die(disks[i]);
		info.major = (int)major(file.st_rdev);
		info.minor = (int)minor(file.st_rdev);
		if (ioctl(md, ADD_NEW_DISK, &info))
			die(disks[i]);
	}
	if (ioctl(md, RUN_ARRAY, &param))
		die("RUN_ARRAY");
}

static void tell(const char *disk, char op, long sector, int bytes)
{
	if (sector < 0)
		printf("%d disk_layers %s %c - %d 0\n", getpid(), disk, op, bytes);
	else
		printf("%d disk_layers %s %c %ld %d 0\n", getpid(), disk, op, sector, bytes);
}

static void make_calls(const char *name)
{
	uint64_t discarded[2] = { 1 << 20, CHUNK }, zeroed[2] = { 2 << 20, CHUNK };
	char path[64];
	int disk;

	snprintf(path, sizeof(path), "/dev/%s", name);
	disk = open_file(path, O_RDWR | O_DIRECT);
	if (pwrite(disk, data, 4096, 64 * SECTOR) != 4096)
		die("write");
	tell(name, 'W', 64, 4096);
	if (pread(disk, data, 8192, 128 * SECTOR + CHUNK) != 8192)
		die("read");
	tell(name, 'R', 128 + CHUNK / SECTOR, 8192);
	/* a stripe of two disks, and of RAID 0, half a chunk and a chunk */
	if (pwrite(disk, data, CHUNK + CHUNK / 2, CHUNK / 2) != CHUNK + CHUNK / 2)
		die("write of two chunks' parts");
	tell(name, 'W', CHUNK / 2 / SECTOR, CHUNK + CHUNK / 2);
	if (ioctl(disk, BLKDISCARD, discarded))
		die("discard");
	tell(name, 'D', 2048, CHUNK);
	if (ioctl(disk, BLKZEROOUT, zeroed))
		die("zeroes");
	/* the kernel writes them, as null block devices have no command for it */
	tell(name, 'W', 4096, CHUNK);
	if (fsync(disk))
		die("fsync");
	tell(name, 'F', -1, 0);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (!strcmp(what, "dm") && argc > 3)
		dm_make(argv[2], argv + 3, argc - 3);
	else if (!strcmp(what, "suspend") && argc == 3)
		dm_simple(DM_DEV_SUSPEND, argv[2], DM_SUSPEND_FLAG);
	else if (!strcmp(what, "resume") && argc == 3)
		dm_simple(DM_DEV_SUSPEND, argv[2], 0);
	else if (!strcmp(what, "remove") && argc == 3)
		dm_remove(argv[2]);
	else if (!strcmp(what, "md") && argc > 3)
		md_make(atoi(argv[2]), argv + 3, argc - 3);
	else if (!strcmp(what, "stop") && argc == 2)
		return ioctl(open_file("/dev/md0", O_RDONLY), STOP_ARRAY, NULL) ? 1 : 0;
	else if (!strcmp(what, "calls") && argc == 3)
		make_calls(argv[2]);
	else
		return 2;
	return 0;
}
