/* SPDX-License-Identifier: BSD-2-Clause */
#include "cache.h"

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file.h"
#include "lib/print/version.h"
#include "owner.h"

#define SIZE_MAX_FILE (4 << 20)
#define NOTES_MAX 65536
#define NAME_SIZE 128

static const char magic[8] = { 'p', 'l', 'c', 'a', 'c', 'h', 'e', '3' };

const char *cache__boot_id = "/proc/sys/kernel/random/boot_id";
const char *cache__version = PROBELIGHT_VERSION;

#define BOOT_ID_LENGTH 36		/* "b1946ac9-2492-4d23-a5c6-…" */
#define BOOT_ID_SIZE 40
#define VERSION_SIZE 24

struct file_header {
	char magic[8];
	struct cache_key key;
	char boot_id[BOOT_ID_SIZE];	/* ends in zeros */
	char version[VERSION_SIZE];	/* so does this */
	__u64 size;		/* of what follows */
	__u64 hash;		/* of what follows */
};

__u64 cache__hash(__u64 hash, const void *bytes, size_t size)
{
	const unsigned char *byte = bytes;

	for (size_t i = 0; i < size; i++)
		hash = (hash ^ byte[i]) * 0x100000001b3ULL;
	return hash;
}

static int write_all(int fd, const void *bytes, size_t size)
{
	while (size) {
		ssize_t got = write(fd, bytes, size);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		bytes = (const char *)bytes + got;
		size -= (size_t)got;
	}
	return 0;
}

/* The notes' parts are padded to multiples of 4 (elf(5), Nhdr). */
static size_t padded(size_t size)
{
	return (size + 3) & ~(size_t)3;
}

int cache__build_id(struct cache_key *key, const char *notes)
{
	char bytes[NOTES_MAX] __attribute__((aligned(4)));
	ssize_t size;
	int fd;

	fd = open(notes, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	size = file__read_on(fd, bytes, sizeof(bytes));
	close(fd);
	if (size < 0)
		return (int)size;
	for (size_t at = 0; (size_t)size - at >= sizeof(Elf64_Nhdr); ) {
		const Elf64_Nhdr *note = (const Elf64_Nhdr *)(bytes + at);
		size_t name = at + sizeof(*note), desc = name + padded(note->n_namesz);

		if (note->n_namesz > NOTES_MAX || note->n_descsz > NOTES_MAX ||
		    desc + padded(note->n_descsz) > (size_t)size)
			break;
		if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == sizeof("GNU") &&
		    !memcmp(bytes + name, "GNU", sizeof("GNU")) && note->n_descsz &&
		    note->n_descsz <= sizeof(key->build_id)) {
			memset(key->build_id, 0, sizeof(key->build_id));
			memcpy(key->build_id, bytes + desc, note->n_descsz);
			return 0;
		}
		at = desc + padded(note->n_descsz);
	}
	return -ENOENT;
}

/* Of this boot: 0 or -errno. */
static int read_boot_id(char id[BOOT_ID_SIZE])
{
	char text[64];
	int got = file__read_small(cache__boot_id, text, sizeof(text));

	memset(id, 0, BOOT_ID_SIZE);
	if (got < BOOT_ID_LENGTH)
		return got < 0 ? got : -EINVAL;
	memcpy(id, text, BOOT_ID_LENGTH);
	return 0;
}

static void put_version(char version[VERSION_SIZE])
{
	memset(version, 0, VERSION_SIZE);
	memcpy(version, cache__version, strnlen(cache__version, VERSION_SIZE));
}

/* Whether a file is of this boot and this version. */
static bool is_ours(const struct file_header *header)
{
	char boot_id[BOOT_ID_SIZE], version[VERSION_SIZE];

	put_version(version);
	return !read_boot_id(boot_id) && !memcmp(header->boot_id, boot_id, sizeof(boot_id)) &&
	       !memcmp(header->version, version, sizeof(version));
}

/* Nobody but this user could have written it. */
static bool is_safe(const struct stat *stat)
{
	return stat->st_uid == geteuid() && !(stat->st_mode & (S_IWGRP | S_IWOTH));
}

static int open_folder(const char *folder)
{
	struct stat stat;
	int fd;

	fd = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return errno == ELOOP || errno == ENOTDIR ? -EPERM : -errno;
	if (!fstat(fd, &stat) && is_safe(&stat))
		return fd;
	close(fd);
	return -EPERM;
}

#define KEY_LENGTH (2 * sizeof(((struct cache_key *)0)->build_id) + 1 + 16)

/* The build id and the hash in hexadecimal; owner: of a file that is being written, NULL: one that is complete. */
static void file_name(char name[NAME_SIZE], const struct cache_key *key, const char *owner)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < sizeof(key->build_id); i++) {
		*name++ = digits[key->build_id[i] >> 4];
		*name++ = digits[key->build_id[i] & 15];
	}
	sprintf(name, "-%016llx%s%s", (unsigned long long)key->hash, owner ? "." : "", owner ? owner : "");
}

static int read_header(int fd, const struct cache_key *key, struct file_header *header)
{
	struct stat stat;
	ssize_t got;

	if (fstat(fd, &stat))
		return -errno;
	if (!S_ISREG(stat.st_mode) || !is_safe(&stat))
		return -EPERM;
	got = file__read_on(fd, header, sizeof(*header));
	if (got < 0)
		return (int)got;
	if (got != sizeof(*header) || memcmp(header->magic, magic, sizeof(magic)) ||
	    memcmp(&header->key, key, sizeof(*key)) || header->size > SIZE_MAX_FILE)
		return -EINVAL;
	return is_ours(header) ? 0 : -EINVAL;
}

static int read_file(int fd, const struct cache_key *key, void **bytes, size_t *size)
{
	struct file_header header;
	int err = read_header(fd, key, &header);
	void *content;
	ssize_t got;

	if (err)
		return err;
	content = malloc(header.size + 1);
	if (!content)
		return -ENOMEM;
	/* one byte more, to see a file that is too long */
	got = file__read_on(fd, content, header.size + 1);
	if (got != (ssize_t)header.size || cache__hash(CACHE_HASH_START, content, header.size) != header.hash) {
		free(content);
		return got < 0 ? (int)got : -EINVAL;
	}
	*bytes = content;
	*size = header.size;
	return 0;
}

/* The file of a key, open, or -errno. */
static int open_file(const char *folder, const struct cache_key *key)
{
	int folder_fd = open_folder(folder), fd;
	char name[NAME_SIZE];

	if (folder_fd < 0)
		return folder_fd;
	file_name(name, key, NULL);
	fd = openat(folder_fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		fd = errno == ELOOP ? -EPERM : -errno;
	close(folder_fd);
	return fd;
}

int cache__read(const char *folder, const struct cache_key *key, void **bytes, size_t *size)
{
	int fd = open_file(folder, key), err = fd < 0 ? fd : read_file(fd, key, bytes, size);

	if (fd >= 0)
		close(fd);
	return err;
}

int cache__read_begin(const char *folder, const struct cache_key *key, void *to, size_t size)
{
	int fd = open_file(folder, key), err = fd;
	struct file_header header;

	if (fd < 0)
		return err;
	err = read_header(fd, key, &header);
	if (!err && (header.size < size || file__read_on(fd, to, size) != (ssize_t)size))
		err = -EINVAL;
	close(fd);
	return err;
}

bool cache__may_write(const char *folder)
{
	char above[256];
	int err = file__may(folder, W_OK);

	if (err != -ENOENT)
		return !err;
	snprintf(above, sizeof(above), "%.*s", (int)(strrchr(folder, '/') - folder), folder);
	return !file__may(above, W_OK);
}

/* Calls each() with every file of the folder. */
static void each_file(int folder_fd, void (*each)(void *ctx, const char *name), void *ctx)
{
	/* not a copy of the descriptor, which would share its place in the list */
	int list_fd = openat(folder_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = list_fd < 0 ? NULL : fdopendir(list_fd);
	const struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		each(ctx, entry->d_name);
	if (dir)
		closedir(dir);
	else if (list_fd >= 0)
		close(list_fd);
}

struct oldest {
	int folder_fd;
	size_t count;
	struct timespec time;
	char name[NAME_SIZE];
};

static bool is_kept(const char *name)
{
	return strspn(name, "0123456789abcdef-") == KEY_LENGTH && !name[KEY_LENGTH];
}

static void find_oldest(void *ctx, const char *name)
{
	struct oldest *oldest = ctx;
	struct stat stat;

	if (!is_kept(name) || fstatat(oldest->folder_fd, name, &stat, AT_SYMLINK_NOFOLLOW))
		return;
	if (oldest->count++ && (stat.st_mtim.tv_sec > oldest->time.tv_sec ||
				(stat.st_mtim.tv_sec == oldest->time.tv_sec && stat.st_mtim.tv_nsec >= oldest->time.tv_nsec)))
		return;
	oldest->time = stat.st_mtim;
	strcpy(oldest->name, name);
}

/* A new question takes the place of the oldest one where there are many: the folder is in memory. */
static void make_room(int folder_fd, const char *name)
{
	struct oldest oldest = { .folder_fd = folder_fd };

	if (!faccessat(folder_fd, name, F_OK, AT_SYMLINK_NOFOLLOW))
		return;
	each_file(folder_fd, find_oldest, &oldest);
	if (oldest.count >= CACHE_FILES_MAX)
		unlinkat(folder_fd, oldest.name, 0);
}

int cache__write(const char *folder, const struct cache_key *key, const void *bytes, size_t size)
{
	struct file_header header = { .key = *key, .size = size, .hash = cache__hash(CACHE_HASH_START, bytes, size) };
	char name[NAME_SIZE], new_name[NAME_SIZE], text[OWNER_TEXT_MAX];
	struct owner owner = owner__self();
	int folder_fd, fd, err;

	if (size > SIZE_MAX_FILE)
		return -EFBIG;
	err = read_boot_id(header.boot_id);
	if (err)
		return err;
	if (mkdir(folder, 0700) && errno != EEXIST)
		return -errno;
	folder_fd = open_folder(folder);
	if (folder_fd < 0)
		return folder_fd;
	memcpy(header.magic, magic, sizeof(magic));
	put_version(header.version);
	owner__text(&owner, text);
	file_name(name, key, NULL);
	file_name(new_name, key, text);
	make_room(folder_fd, name);
	/* one that is left over from this process, which failed */
	unlinkat(folder_fd, new_name, 0);
	fd = openat(folder_fd, new_name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0) {
		err = -errno;
		goto out;
	}
	err = write_all(fd, &header, sizeof(header));
	if (!err)
		err = write_all(fd, bytes, size);
	if (close(fd) && !err)
		err = -errno;
	if (!err && renameat(folder_fd, new_name, folder_fd, name))
		err = -errno;
	if (err)
		unlinkat(folder_fd, new_name, 0);
out:
	close(folder_fd);
	return err;
}

/* Whether it is the name of a file that a dead process was writing. */
static bool is_left(const char *name)
{
	struct owner owner;
	const char *end;

	if (strspn(name, "0123456789abcdef-") != KEY_LENGTH || name[KEY_LENGTH] != '.')
		return false;
	end = owner__parse(name + KEY_LENGTH + 1, &owner);
	return end && !*end && owner__is_known_dead(&owner);
}

static void remove_left(void *ctx, const char *name)
{
	if (is_left(name))
		unlinkat(*(const int *)ctx, name, 0);
}

void cache__sweep(const char *folder)
{
	int folder_fd = open_folder(folder);

	if (folder_fd < 0)
		return;
	each_file(folder_fd, remove_left, &folder_fd);
	close(folder_fd);
}
