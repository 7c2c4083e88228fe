/* SPDX-License-Identifier: BSD-2-Clause */
/* lib/kernel/lock: who may have the file of a lock, and that waiting for it ends. */
#include "lib/kernel/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"

static char base[] = "/tmp/probelight-lock.XXXXXX";
static char folder[64], file[80], others[64];

static int mode_of(const char *path)
{
	struct stat stat_of;

	return stat(path, &stat_of) ? -errno : (int)(stat_of.st_mode & 0777);
}

int main(void)
{
	int first, second;

	if (!mkdtemp(base)) {
		perror(base);
		return 1;
	}
	snprintf(folder, sizeof(folder), "%s/folder", base);
	snprintf(file, sizeof(file), "%s/lock", folder);
	snprintf(others, sizeof(others), "%s.others", base);
	umask(0);
	first = lock__open(folder, "lock");
	second = lock__open(folder, "lock");
	CHECK(first >= 0 && second >= 0);
	CHECK_INT(mode_of(folder), 0700);
	CHECK_INT(mode_of(file), 0600);

	/* shared, and then not; each wait ends */
	CHECK_INT(lock__take(first, LOCK_SHARED, 0), 0);
	CHECK_INT(lock__take(second, LOCK_SHARED, 0), 0);
	CHECK_INT(lock__take(second, LOCK_EXCLUSIVE, 50), -ETIMEDOUT);
	lock__release(first);
	CHECK_INT(lock__take(second, LOCK_EXCLUSIVE, 0), 0);
	CHECK_INT(lock__take(first, LOCK_SHARED, 50), -ETIMEDOUT);
	close(second);
	CHECK_INT(lock__take(first, LOCK_SHARED, 0), 0);
	CHECK_INT(lock__take(-1, LOCK_SHARED, 0), -EBADF);
	close(first);

	/* what others could open they cannot any more; what they may write is not trusted */
	CHECK_INT(chmod(folder, 0755), 0);
	CHECK_INT(chmod(file, 0644), 0);
	first = lock__open(folder, "lock");
	CHECK(first >= 0);
	close(first);
	CHECK_INT(mode_of(folder), 0700);
	CHECK_INT(mode_of(file), 0600);
	CHECK_INT(chmod(file, 0666), 0);
	CHECK_INT(lock__open(folder, "lock"), -EPERM);
	CHECK_INT(unlink(file), 0);
	CHECK_INT(symlink("/etc/passwd", file), 0);
	CHECK_INT(lock__open(folder, "lock"), -ELOOP);
	CHECK_INT(unlink(file), 0);
	CHECK_INT(chmod(folder, 0777), 0);
	CHECK_INT(lock__open(folder, NULL), -EPERM);
	CHECK_INT(chmod(folder, 0700), 0);
	first = lock__open(folder, NULL);
	CHECK(first >= 0);
	close(first);
	CHECK_INT(rmdir(folder), 0);

	/* where others may put another directory in its place; who may not (sticky) does no harm */
	CHECK_INT(chmod(base, 0777), 0);
	CHECK_INT(lock__open(folder, NULL), -EPERM);
	CHECK_INT(mode_of(folder), -ENOENT);
	CHECK_INT(chmod(base, 01777), 0);
	first = lock__open(folder, NULL);
	CHECK(first >= 0);
	close(first);
	CHECK_INT(rmdir(folder), 0);
	CHECK_INT(chmod(base, 0700), 0);
	/* in a directory of another user, or behind a link of one */
	if (!geteuid()) {
		CHECK_INT(chown(base, 65534, (gid_t)-1), 0);
		CHECK_INT(lock__open(folder, NULL), -EPERM);
		CHECK_INT(mode_of(folder), -ENOENT);
		CHECK_INT(chown(base, 0, (gid_t)-1), 0);
		CHECK_INT(symlink(base, others), 0);
		CHECK_INT(lchown(others, 65534, (gid_t)-1), 0);
		snprintf(file, sizeof(file), "%s/folder", others);
		CHECK_INT(lock__open(file, NULL), -EPERM);
		CHECK_INT(mode_of(folder), -ENOENT);
		CHECK_INT(unlink(others), 0);
	}
	CHECK_INT(lock__open("/no/such/folder", NULL), -ENOENT);
	CHECK_INT(rmdir(base), 0);
	return check_done();
}
