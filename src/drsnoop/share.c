/* SPDX-License-Identifier: BSD-2-Clause */
#include "share.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define VMSTAT_SIZE 16384	/* 5 kB on 7.3 */

enum count { KSWAPD_RUNS, KSWAPD_SCANNED, KSWAPD_FREED, DIRECT_SCANNED, DIRECT_FREED, COUNTS };

/* Names in /proc/vmstat.  pageoutrun is how often balance_pgdat() began. */
static const char *const names[COUNTS] = { "pageoutrun", "pgscan_kswapd", "pgsteal_kswapd", "pgscan_direct", "pgsteal_direct" };

static int vmstat_fd = -1, refresh_fd = -1;
static uint64_t begin[COUNTS];

/* Reads the file from where fd is.  Its text is made when the first byte is read.  0 or -errno. */
static int read_counts(int fd, uint64_t counts[COUNTS])
{
	static char text[VMSTAT_SIZE];
	size_t used = 0;
	ssize_t size;
	int found = 0;

	/* on 7.3 most of them are counted by CPU, and added up later (node_stat_item) */
	if (refresh_fd >= 0 && write(refresh_fd, "1", 1) < 0 && errno != EINVAL)
		return -errno;
	while (used < sizeof(text) - 1) {
		size = read(fd, text + used, sizeof(text) - 1 - used);
		if (size < 0)
			return -errno;
		if (!size)
			break;
		used += (size_t)size;
	}
	text[used] = '\0';
	for (char *save = NULL, *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		for (int i = 0; i < COUNTS; i++) {
			size_t length = strlen(names[i]);
			unsigned long long value;

			if (strncmp(line, names[i], length) || sscanf(line + length, " %llu", &value) != 1)
				continue;
			counts[i] = value;
			found++;
		}
	return found == COUNTS ? 0 : -ENODATA;
}

int share__begin(void)
{
	int fd = open("/proc/vmstat", O_RDONLY | O_CLOEXEC), err;

	vmstat_fd = open("/proc/vmstat", O_RDONLY | O_CLOEXEC);
	refresh_fd = open("/proc/sys/vm/stat_refresh", O_WRONLY | O_CLOEXEC);
	if (fd < 0 || vmstat_fd < 0)
		err = -errno;
	else
		err = read_counts(fd, begin);
	if (fd >= 0)
		close(fd);
	return err;
}

int share__tell(char text[SHARE_TEXT_SIZE])
{
	uint64_t now[COUNTS], freed;
	int err = read_counts(vmstat_fd, now);

	if (err)
		return err;
	for (int i = 0; i < COUNTS; i++)
		now[i] -= begin[i];
	freed = now[KSWAPD_FREED] + now[DIRECT_FREED];
	snprintf(text, SHARE_TEXT_SIZE, "kswapd freed %llu of %llu pages that it scanned, in %llu runs; tasks that waited freed %llu of %llu (%.1f %% of all)",
		 (unsigned long long)now[KSWAPD_FREED], (unsigned long long)now[KSWAPD_SCANNED], (unsigned long long)now[KSWAPD_RUNS],
		 (unsigned long long)now[DIRECT_FREED], (unsigned long long)now[DIRECT_SCANNED],
		 freed ? (double)now[DIRECT_FREED] * 100 / (double)freed : 0.0);
	return 0;
}
