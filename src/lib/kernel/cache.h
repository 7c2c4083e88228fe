/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What was once worked out from the running kernel's BTF, kept for the next start: small files in a folder that only
 * the user whom the tools run as (root) may write.  The folder can be deleted at any time.  A folder or a file that
 * belongs to someone else, or that others may write, is not touched and its content not believed.
 */
#ifndef PROBELIGHT_CACHE_H
#define PROBELIGHT_CACHE_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * On a tmpfs nearly everywhere, so that no kernel that was removed leaves something behind.  In a container /run may be
 * on a disk: what was kept before the boot, which may be of a kernel at other addresses, is not read, and is
 * overwritten.
 */
#define CACHE_FOLDER "/run/probelight"

/* The file that identifies the boot, and the tools' version: another one may answer the same question otherwise.  Tests replace them. */
extern const char *cache__boot_id, *cache__version;

/* What a file is about; one with another key is not read. */
struct cache_key {
	unsigned char build_id[32];	/* of the running kernel; a shorter one (20 bytes are usual) ends in zeros */
	__u64 hash;			/* of what was asked for */
};

/*
 * Fills in build_id from the notes file of a kernel (/sys/kernel/notes): its GNU build id.
 * 0 or -errno; -ENOENT: it has none.
 */
int cache__build_id(struct cache_key *key, const char *notes);

/* FNV-1a of a string with its 0 byte, or of bytes, onto a hash that starts as CACHE_HASH_START. */
#define CACHE_HASH_START 0xcbf29ce484222325ULL
__u64 cache__hash(__u64 hash, const void *bytes, size_t size);

/*
 * Reads what was kept under a key into memory that the caller frees.  0 or -errno: -ENOENT where there is nothing,
 * -EPERM where the folder or the file is not safe, -EINVAL where the file is damaged, or was kept before the boot or by
 * another version of the tools.
 */
int cache__read(const char *folder, const struct cache_key *key, void **bytes, size_t *size);

/* The first bytes of that, size of them, whether or not the rest is damaged: 0 or -errno, as above. */
int cache__read_begin(const char *folder, const struct cache_key *key, void *to, size_t size);

/* Whether this user may keep something there: the folder can be written, or be made. */
bool cache__may_write(const char *folder);

/*
 * Keeps bytes under a key; the folder is made if it is not there (the one above it must be).  The file appears whole
 * or not at all.  The oldest file makes room where there are CACHE_FILES_MAX.  0 or -errno.
 */
#define CACHE_FILES_MAX 256
int cache__write(const char *folder, const struct cache_key *key, const void *bytes, size_t size);

/* Removes what processes left that were killed while they wrote a file. */
void cache__sweep(const char *folder);

#endif
