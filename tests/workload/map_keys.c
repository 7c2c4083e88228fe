/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * map_keys PID: how many keys the BPF hashes have that a process holds: a line "NAME KEYS" for each.  Through bpf(2) itself, with nothing
 * of the library that is tested.
 */
#include <dirent.h>
#include <errno.h>
#include <linux/bpf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int bpf(int command, union bpf_attr *attr)
{
	return (int)syscall(SYS_bpf, command, attr, sizeof(*attr));
}

/* The id of the map that a descriptor of the process is; 0: it is none. */
static __u32 map_id_of(const char *pid, const char *descriptor)
{
	char path[300], line[256];
	__u32 id = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%s/fdinfo/%s", pid, descriptor);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "map_id: %u", &id) == 1)
			break;
	if (file)
		fclose(file);
	return id;
}

static unsigned long count_keys(int fd, const struct bpf_map_info *info)
{
	char *key = malloc(info->key_size), *next = malloc(info->key_size);
	union bpf_attr attr = { .map_fd = (__u32)fd, .next_key = (__u64)(unsigned long)next };
	unsigned long count = 0;

	/* a key that is deleted meanwhile begins the walk anew: nothing changes while tests call this */
	while (!bpf(BPF_MAP_GET_NEXT_KEY, &attr) && count < info->max_entries) {
		memcpy(key, next, info->key_size);
		attr.key = (__u64)(unsigned long)key;
		count++;
	}
	free(key);
	free(next);
	return count;
}

static bool is_hash(__u32 type)
{
	return type == BPF_MAP_TYPE_HASH || type == BPF_MAP_TYPE_PERCPU_HASH;
}

int main(int argc, char **argv)
{
	struct dirent *entry;
	char path[64];
	DIR *dir;

	if (argc != 2)
		return 2;
	snprintf(path, sizeof(path), "/proc/%s/fdinfo", argv[1]);
	dir = opendir(path);
	if (!dir) {
		perror(path);
		return 1;
	}
	while ((entry = readdir(dir))) {
		__u32 id = map_id_of(argv[1], entry->d_name);
		union bpf_attr get = { .map_id = id };
		int fd = id ? bpf(BPF_MAP_GET_FD_BY_ID, &get) : -1;
		struct bpf_map_info info = { 0 };
		union bpf_attr ask = { .info = { .bpf_fd = (__u32)fd, .info_len = sizeof(info), .info = (__u64)(unsigned long)&info } };

		if (fd < 0)
			continue;
		if (!bpf(BPF_OBJ_GET_INFO_BY_FD, &ask) && is_hash(info.type))
			printf("%s %lu\n", info.name, count_keys(fd, &info));
		close(fd);
	}
	closedir(dir);
	return 0;
}
