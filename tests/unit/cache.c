/* SPDX-License-Identifier: BSD-2-Clause */
/* lib/cache: what is kept comes back, and nothing is believed that someone else could have written. */
#include "lib/kernel/cache.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "corpus.h"
#include "lib/kernel/owner.h"

static char base[] = "/tmp/probelight-cache.XXXXXX";
static char folder[64], file[256];
static struct cache_key key = { .build_id = "build id", .hash = 0x1234 };
static const char file_name[] = "6275696c64206964000000000000000000000000000000000000000000000000-0000000000001234";

static int read_back(const char *expected)
{
	void *bytes = NULL;
	size_t size = 0;
	int err = cache__read(folder, &key, &bytes, &size);

	if (!err && expected)
		CHECK(size == strlen(expected) && !memcmp(bytes, expected, size));
	free(bytes);
	return err;
}

/* Flips a bit of the byte at offset; or, with a size, cuts or lengthens the file to it. */
static void damage(off_t offset, off_t size)
{
	int fd = open(file, O_RDWR);
	char byte;

	if (!CHECK(fd >= 0))
		return;
	if (size) {
		CHECK_INT(ftruncate(fd, size), 0);
	} else {
		CHECK_INT(pread(fd, &byte, 1, offset), 1);
		byte ^= 1;
		CHECK_INT(pwrite(fd, &byte, 1, offset), 1);
	}
	close(fd);
}

static void test_keeping(void)
{
	struct stat stat_of;
	struct cache_key other = key;
	void *bytes;
	size_t size;

	CHECK_INT(read_back(NULL), -ENOENT);
	CHECK_INT(cache__write(folder, &key, "hello", 5), 0);
	CHECK_INT(stat(folder, &stat_of), 0);
	CHECK_INT(stat_of.st_mode & 07777, 0700);
	CHECK_INT(stat(file, &stat_of), 0);
	CHECK_INT(stat_of.st_mode & 07777, 0600);
	CHECK_INT(read_back("hello"), 0);
	CHECK_INT(cache__write(folder, &key, "world!", 6), 0);
	CHECK_INT(read_back("world!"), 0);
	CHECK_INT(cache__write(folder, &key, "", 0), 0);
	CHECK_INT(read_back(""), 0);
	other.hash++;
	CHECK_INT(cache__read(folder, &other, &bytes, &size), -ENOENT);
	/* no other files are left over */
	CHECK_INT(unlink(file), 0);
	CHECK_INT(rmdir(folder), 0);
	/* the folder above must be there; nothing is made but the one folder */
	CHECK_INT(cache__write("/nonexistent/folder", &key, "x", 1), -ENOENT);
}

/* A directory on a disk outlives the boot, and addresses do not. */
static void test_other_boot(void)
{
	const char *this_boot = cache__boot_id;
	char other[128];
	int fd;

	snprintf(other, sizeof(other), "%s/boot_id", base);
	fd = open(other, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	CHECK(write(fd, "01234567-89ab-cdef-0123-456789abcdef\n", 37) == 37);
	close(fd);
	cache__boot_id = other;
	CHECK_INT(cache__write(folder, &key, "hello", 5), 0);
	CHECK_INT(read_back("hello"), 0);
	cache__boot_id = this_boot;
	CHECK_INT(read_back(NULL), -EINVAL);
	CHECK_INT(cache__write(folder, &key, "world", 5), 0);
	CHECK_INT(read_back("world"), 0);
	/* which boot it is cannot be told */
	CHECK_INT(unlink(other), 0);
	cache__boot_id = other;
	CHECK_INT(read_back(NULL), -EINVAL);
	CHECK_INT(cache__write(folder, &key, "hello", 5), -ENOENT);
	cache__boot_id = this_boot;
	CHECK_INT(read_back("world"), 0);
	CHECK_INT(unlink(file), 0);
	CHECK_INT(rmdir(folder), 0);
}

/* The first bytes alone, and whether anything can be kept. */
static void test_begin(void)
{
	char begin[4] = "";

	CHECK(cache__may_write(folder));
	CHECK(!cache__may_write("/nonexistent/folder"));
	CHECK_INT(cache__read_begin(folder, &key, begin, 3), -ENOENT);
	CHECK_INT(cache__write(folder, &key, "hello", 5), 0);
	CHECK(cache__may_write(folder));
	CHECK_INT(cache__read_begin(folder, &key, begin, 3), 0);
	CHECK_STR(begin, "hel");
	CHECK_INT(cache__read_begin(folder, &key, begin, 6), -EINVAL);
	CHECK_INT(unlink(file), 0);
	CHECK_INT(rmdir(folder), 0);
}

/* What another version of the tools has kept is not believed, and overwritten. */
static void test_other_version(void)
{
	const char *this_version = cache__version;

	cache__version = "0.0";
	CHECK_INT(cache__write(folder, &key, "hello", 5), 0);
	CHECK_INT(read_back("hello"), 0);
	cache__version = this_version;
	CHECK_INT(read_back(NULL), -EINVAL);
	CHECK_INT(cache__write(folder, &key, "world", 5), 0);
	CHECK_INT(read_back("world"), 0);
	CHECK_INT(unlink(file), 0);
	CHECK_INT(rmdir(folder), 0);
}

static void test_damage(void)
{
	struct stat stat_of;

	CHECK_INT(cache__write(folder, &key, "hello", 5), 0);
	CHECK_INT(stat(file, &stat_of), 0);
	for (off_t i = 0; i < stat_of.st_size; i++) {
		damage(i, 0);
		CHECK_INT(read_back(NULL), -EINVAL);
		damage(i, 0);
	}
	CHECK_INT(read_back("hello"), 0);
	damage(0, stat_of.st_size + 1);
	CHECK_INT(read_back(NULL), -EINVAL);
	for (off_t size = stat_of.st_size - 1; size > 0; size--) {
		damage(0, size);
		CHECK_INT(read_back(NULL), -EINVAL);
	}
	/* a damaged file is written anew */
	CHECK_INT(cache__write(folder, &key, "hello", 5), 0);
	CHECK_INT(read_back("hello"), 0);
}

static void test_others(void)
{
	char elsewhere[128];

	CHECK_INT(chmod(folder, 0770), 0);
	CHECK_INT(read_back(NULL), -EPERM);
	CHECK_INT(cache__write(folder, &key, "x", 1), -EPERM);
	CHECK_INT(chmod(folder, 0702), 0);
	CHECK_INT(read_back(NULL), -EPERM);
	CHECK_INT(chmod(folder, 0755), 0);
	CHECK_INT(read_back("hello"), 0);
	CHECK_INT(chmod(file, 0620), 0);
	CHECK_INT(read_back(NULL), -EPERM);
	CHECK_INT(chmod(file, 0644), 0);
	CHECK_INT(read_back("hello"), 0);
	if (!geteuid()) {
		CHECK_INT(chown(file, 1, 1), 0);
		CHECK_INT(read_back(NULL), -EPERM);
		CHECK_INT(chown(file, 0, 0), 0);
		CHECK_INT(chown(folder, 1, 1), 0);
		CHECK_INT(read_back(NULL), -EPERM);
		CHECK_INT(cache__write(folder, &key, "x", 1), -EPERM);
		CHECK_INT(chown(folder, 0, 0), 0);
		CHECK_INT(read_back("hello"), 0);
	}
	/* links lead elsewhere */
	snprintf(elsewhere, sizeof(elsewhere), "%s/elsewhere", base);
	CHECK_INT(rename(file, elsewhere), 0);
	CHECK_INT(symlink(elsewhere, file), 0);
	CHECK_INT(read_back(NULL), -EPERM);
	CHECK_INT(unlink(file), 0);
	CHECK_INT(mkfifo(file, 0600), 0);
	CHECK_INT(read_back(NULL), -EPERM);
	CHECK_INT(unlink(file), 0);
	CHECK_INT(rename(elsewhere, file), 0);
	CHECK_INT(read_back("hello"), 0);
	CHECK_INT(rename(folder, elsewhere), 0);
	CHECK_INT(symlink(elsewhere, folder), 0);
	CHECK_INT(read_back(NULL), -EPERM);
	CHECK_INT(cache__write(folder, &key, "x", 1), -EPERM);
	CHECK_INT(unlink(folder), 0);
	/* a file where the folder should be */
	CHECK_INT(mknod(folder, S_IFREG | 0600, 0), 0);
	CHECK_INT(cache__write(folder, &key, "x", 1), -EPERM);
	CHECK_INT(unlink(folder), 0);
}

static void test_build_id(void)
{
	static const char notes[] = "\6\0\0\0\4\0\0\0\1\1\0\0Linux\0\0\0\0\0\0\0"
		"\4\0\0\0\24\0\0\0\3\0\0\0GNU\0" "0123456789abcdefghij";
	struct cache_key found = { .build_id = "something that was there before" };
	char path[128];
	FILE *out;

	snprintf(path, sizeof(path), "%s/notes", base);
	CHECK_INT(cache__build_id(&found, path), -ENOENT);
	for (size_t size = 0; size < sizeof(notes); size++) {
		out = fopen(path, "wb");
		CHECK_INT(fwrite(notes, 1, size, out), size);
		fclose(out);
		CHECK_INT(cache__build_id(&found, path), size == sizeof(notes) - 1 ? 0 : -ENOENT);
	}
	CHECK(!memcmp(found.build_id, "0123456789abcdefghij\0\0\0\0\0\0\0\0\0\0\0\0", sizeof(found.build_id)));
}

/* A file that a dead process was writing is removed; those of living ones, and complete ones, stay. */
static void test_sweep(void)
{
	struct owner owner = owner__self();
	char text[OWNER_TEXT_MAX], living[300], dead[300], other[300];
	pid_t child = fork();

	if (!child)
		_exit(0);
	waitpid(child, NULL, 0);
	CHECK_INT(cache__write(folder, &key, "hello", 5), 0);
	owner__text(&owner, text);
	snprintf(living, sizeof(living), "%s.%s", file, text);
	owner.pid = child;
	owner__text(&owner, text);
	snprintf(dead, sizeof(dead), "%s.%s", file, text);
	snprintf(other, sizeof(other), "%s/tracefs.%s", folder, text);
	close(open(living, O_CREAT | O_WRONLY, 0600));
	close(open(dead, O_CREAT | O_WRONLY, 0600));
	close(open(other, O_CREAT | O_WRONLY, 0600));
	cache__sweep(folder);
	CHECK(!access(living, F_OK) && access(dead, F_OK) && !access(other, F_OK));
	CHECK_INT(read_back("hello"), 0);
	cache__sweep("/no/such/folder");
}

/* The oldest file makes room, and nothing that is not kept answers. */
static void test_bound(void)
{
	static const struct timespec long_ago[2] = { { .tv_sec = 1 }, { .tv_sec = 1 } };
	struct cache_key other = key;
	char lease[128];
	void *bytes;
	size_t size;

	snprintf(lease, sizeof(lease), "%s/tracefs.lease", folder);
	close(open(lease, O_CREAT | O_WRONLY, 0600));
	CHECK_INT(cache__write(folder, &key, "hello", 5), 0);
	CHECK_INT(utimensat(AT_FDCWD, file, long_ago, 0), 0);
	for (int i = 1; i < CACHE_FILES_MAX; i++) {
		other.hash++;
		CHECK_INT(cache__write(folder, &other, "x", 1), 0);
	}
	CHECK_INT(cache__write(folder, &other, "y", 1), 0);
	CHECK_INT(read_back("hello"), 0);
	other.hash++;
	CHECK_INT(cache__write(folder, &other, "x", 1), 0);
	CHECK_INT(read_back(NULL), -ENOENT);
	CHECK_INT(cache__read(folder, &other, &bytes, &size), 0);
	free(bytes);
	CHECK_INT(access(lease, F_OK), 0);
}

int main(void)
{
	if (!mkdtemp(base)) {
		perror(base);
		return 1;
	}
	snprintf(folder, sizeof(folder), "%s/cache", base);
	snprintf(file, sizeof(file), "%s/%s", folder, file_name);
	test_keeping();
	test_other_boot();
	test_other_version();
	test_begin();
	test_damage();
	test_others();
	test_build_id();
	test_sweep();
	test_bound();
	corpus_remove(base);
	return check_done();
}
