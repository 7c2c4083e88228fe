/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mount_calls FOLDER: mounts and unmounts in every way that there is a system call for, in a mount namespace of its own, and
 * prints what a tracer must show: lines of "PID UID COMM MNT_NS CALL ERR FD NEW_FD TYPE SOURCE TARGET FLAGS DATA" as
 * `mountsnoop -U -e` has them.  32-bit calls come last, where the kernel has them.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "call32.h"

/* In both ABIs of x86, and everywhere else. */
enum {
	NR_OPEN_TREE = 428, NR_MOVE_MOUNT, NR_FSOPEN, NR_FSCONFIG, NR_FSMOUNT, NR_FSPICK,
	NR_MOUNT_SETATTR = 442,		/* since 5.12 */
	NR_OPEN_TREE_ATTR = 467,	/* since 6.15 */
	NR32_MOUNT = 21, NR32_UMOUNT = 22, NR32_UMOUNT2 = 52, NR32_PIVOT_ROOT = 217,
};

/* include/uapi/linux/mount.h */
enum { SET_FLAG, SET_STRING, SET_BINARY, SET_PATH, SET_PATH_EMPTY, SET_FD, CMD_CREATE, CMD_RECONFIGURE };
struct attr {
	uint64_t set, clr, propagation, userns_fd;
};

static char comm[16], mnt_ns[32];

static void die(const char *what)
{
	perror(what);
	exit(1);
}

/* A row; result: -1 with errno on failure.  The numbers are -1, the texts NULL, where the call has none.  Returns result. */
static long expect(long result, const char *call, int fd, bool makes_fd, const char *type, const char *source, const char *target,
		   const char *flags, const char *data)
{
	int err = result < 0 ? errno : 0;

	printf("%d %u %s %s %s %d ", getpid(), getuid(), comm, mnt_ns, call, err);
	if (fd < 0)
		printf("- ");
	else
		printf("%d ", fd);
	if (makes_fd && result >= 0)
		printf("%ld ", result);
	else
		printf("- ");
	printf("%s %s %s %s %s\n", type ? type : "-", source ? source : "-", target ? target : "-", flags ? flags : "-",
	       data ? data : "-");
	return result;
}

static const char *shown(const char *text)
{
	return !text ? NULL : text == (const char *)16 ? "<fault>" : *text ? text : "''";
}

static void do_mount(const char *source, const char *target, const char *type, unsigned long flags, const char *data,
		     const char *flags_shown)
{
	expect(syscall(SYS_mount, source, target, type, flags, data), "mount", -1, false, shown(type), shown(source), shown(target),
	       flags_shown, shown(data));
}

static void do_umount(const char *target, int flags, const char *flags_shown)
{
	expect(syscall(SYS_umount2, target, flags), "umount2", -1, false, NULL, NULL, target ? shown(target) : "<fault>", flags_shown,
	       NULL);
}

static long configure(int fd, unsigned int command, const char *key, const char *value, const char *command_shown,
		      const char *data_shown)
{
	return expect(syscall(NR_FSCONFIG, fd, command, key, value, 0), "fsconfig", fd, false, NULL, NULL, NULL, command_shown,
		      data_shown);
}

static void old_calls(void)
{
	char long_source[1000], long_data[2000] = "size=64k", *const bad = (char *)16;

	do_mount("src", "a", "tmpfs", MS_NOSUID | MS_NODEV, "size=64k,mode=700", "MS_NOSUID|MS_NODEV");
	do_mount(NULL, "a", NULL, MS_REMOUNT | MS_RDONLY, NULL, "MS_RDONLY|MS_REMOUNT");
	do_mount("a", "b", NULL, MS_BIND | MS_REC, NULL, "MS_BIND|MS_REC");
	do_mount("none", "a", "nosuchfs", 0, NULL, "0");
	do_mount("none", "none", "tmpfs", 0, NULL, "0");
	do_mount("", "a", "", 0, "", "0");
	do_mount("none", bad, "tmpfs", 0, NULL, "0");
	do_mount(bad, "a", "tmpfs", 0, NULL, "0");
	do_mount("none", "a", bad, 1 << 30, NULL, "0x40000000");
	do_umount("b", MNT_DETACH, "MNT_DETACH");
	do_umount("b", UMOUNT_NOFOLLOW, "UMOUNT_NOFOLLOW");
	do_umount("none", 0, "0");
	do_umount("", 0, "0");
	do_umount(NULL, 0, "0");
	do_umount(bad, 0, "0");
	/* a mark of old programs, which means nothing; texts that need the large record */
	memset(long_source, 's', sizeof(long_source) - 1);
	long_source[sizeof(long_source) - 1] = 0;
	do_mount(long_source, "a", "tmpfs", 0xc0ed0000 | MS_NOEXEC, NULL, "MS_NOEXEC");
	do_umount("a", 0, "0");
	while (strlen(long_data) < sizeof(long_data) - 10)
		strcat(long_data, ",size=64k");
	do_mount("src", "b", "tmpfs", MS_NOATIME, long_data, "MS_NOATIME");
	do_umount("b", MNT_FORCE, "MNT_FORCE");
	do_umount("a", 0, "0");
	expect(syscall(SYS_pivot_root, ".", "none"), "pivot_root", -1, false, NULL, ".", "none", NULL, NULL);
}

static const char *shown_null(long result)
{
	return result < 0 && errno == EFAULT ? "<fault>" : "''";
}

/* No path: some kernels take it for an empty one, for others it cannot be read. */
static void by_null(int dir)
{
	int tree = (int)expect(syscall(NR_OPEN_TREE, dir, "b", 1), "open_tree", dir, true, NULL, "b", NULL, "OPEN_TREE_CLONE", NULL);
	long result = syscall(NR_OPEN_TREE, dir, NULL, AT_EMPTY_PATH);

	expect(result, "open_tree", dir, true, NULL, shown_null(result), NULL, "AT_EMPTY_PATH", NULL);
	result = syscall(NR_FSPICK, dir, NULL, 8);
	expect(result, "fspick", dir, true, NULL, NULL, shown_null(result), "FSPICK_EMPTY_PATH", NULL);
	result = syscall(NR_MOVE_MOUNT, tree, NULL, AT_FDCWD, "a", 4);
	expect(result, "move_mount", tree, false, NULL, shown_null(result), "a", "MOVE_MOUNT_F_EMPTY_PATH", NULL);
	do_umount("a", 0, "0");
	close(tree);
}

static void new_calls(void)
{
	int dir = open(".", O_PATH | O_DIRECTORY), fs, mnt, tree, picked;
	struct attr attr = { .set = 1, .clr = 4, .propagation = MS_PRIVATE };
	struct utsname system;
	int major, minor;

	fs = (int)expect(syscall(NR_FSOPEN, "tmpfs", 1), "fsopen", -1, true, "tmpfs", NULL, NULL, "FSOPEN_CLOEXEC", NULL);
	expect(syscall(NR_FSOPEN, "nosuchfs", 0), "fsopen", -1, true, "nosuchfs", NULL, NULL, "0", NULL);
	expect(syscall(NR_FSOPEN, NULL, 0), "fsopen", -1, true, "<fault>", NULL, NULL, "0", NULL);
	configure(fs, SET_STRING, "source", "newsrc", "FSCONFIG_SET_STRING", "source=newsrc");
	configure(fs, SET_STRING, "size", "64k", "FSCONFIG_SET_STRING", "size=64k");
	configure(fs, SET_FLAG, "ro", NULL, "FSCONFIG_SET_FLAG", "ro");
	configure(fs, SET_STRING, "nosuch", "x", "FSCONFIG_SET_STRING", "nosuch=x");
	configure(fs, SET_STRING, "size", (char *)16, "FSCONFIG_SET_STRING", "size=<fault>");
	configure(fs, 77, NULL, NULL, "0x4d", NULL);
	configure(fs, CMD_CREATE, NULL, NULL, "FSCONFIG_CMD_CREATE", NULL);
	mnt = (int)expect(syscall(NR_FSMOUNT, fs, 1, 2), "fsmount", fs, true, NULL, NULL, NULL, "FSMOUNT_CLOEXEC|MOUNT_ATTR_NOSUID", NULL);
	expect(syscall(NR_FSMOUNT, 1000, 0, 0), "fsmount", 1000, true, NULL, NULL, NULL, "0", NULL);
	if (expect(syscall(NR_MOVE_MOUNT, mnt, "", AT_FDCWD, "b", 4), "move_mount", mnt, false, NULL, "''", "b",
		   "MOVE_MOUNT_F_EMPTY_PATH", NULL))
		die("move_mount");
	picked = (int)expect(syscall(NR_FSPICK, AT_FDCWD, "b", 4), "fspick", -1, true, NULL, NULL, "b", "FSPICK_NO_AUTOMOUNT", NULL);
	configure(picked, CMD_RECONFIGURE, NULL, NULL, "FSCONFIG_CMD_RECONFIGURE", NULL);
	tree = (int)expect(syscall(NR_OPEN_TREE, dir, "b", 1 | O_CLOEXEC), "open_tree", dir, true, NULL, "b", NULL,
			   "OPEN_TREE_CLONE|OPEN_TREE_CLOEXEC", NULL);
	/* new flags; the calls fail all the same */
	expect(syscall(NR_OPEN_TREE, AT_FDCWD, "none", 2), "open_tree", -1, true, NULL, "none", NULL, "OPEN_TREE_NAMESPACE", NULL);
	expect(syscall(NR_FSMOUNT, 1000, 2, 0), "fsmount", 1000, true, NULL, NULL, NULL, "FSMOUNT_NAMESPACE", NULL);
	expect(syscall(NR_OPEN_TREE, AT_FDCWD, "none", 0), "open_tree", -1, true, NULL, "none", NULL, "0", NULL);
	expect(syscall(NR_MOVE_MOUNT, tree, "", dir, "a", 4), "move_mount", tree, false, NULL, "''", "a", "MOVE_MOUNT_F_EMPTY_PATH",
	       NULL);
	do_umount("a", 0, "0");
	by_null(dir);
	/* where a hook sees the calls that the kernel does not have, too, depends on the hook */
	if (uname(&system) || sscanf(system.release, "%d.%d", &major, &minor) != 2)
		die("uname");
	if (major > 5 || (major == 5 && minor >= 12)) {
		expect(syscall(NR_MOUNT_SETATTR, AT_FDCWD, "b", 0x8000, &attr, sizeof(attr)), "mount_setattr", -1, false, NULL, NULL,
		       "b", "AT_RECURSIVE", "+MOUNT_ATTR_RDONLY -MOUNT_ATTR_NODEV MS_PRIVATE");
		expect(syscall(NR_MOUNT_SETATTR, AT_FDCWD, "b", 0, NULL, sizeof(attr)), "mount_setattr", -1, false, NULL, NULL, "b",
		       "0", "<fault>");
		expect(syscall(NR_MOUNT_SETATTR, dir, NULL, AT_EMPTY_PATH, NULL, sizeof(attr)), "mount_setattr", dir, false, NULL, NULL,
		       "<fault>", "AT_EMPTY_PATH", "<fault>");
	}
	if (major > 6 || (major == 6 && minor >= 15))
		expect(syscall(NR_OPEN_TREE_ATTR, AT_FDCWD, "b", 1, &attr, sizeof(attr)), "open_tree_attr", -1, true, NULL, "b", NULL,
		       "OPEN_TREE_CLONE", "+MOUNT_ATTR_RDONLY -MOUNT_ATTR_NODEV MS_PRIVATE");
	do_umount("b", 0, "0");
}

static long done(long result)
{
	errno = (int)-result;
	return result;
}

static long low_string(const char *string)
{
	return low32(string, strlen(string) + 1);
}

static void compat_calls(void)
{
	long tmpfs = low_string("tmpfs"), a = low_string("a"), empty = low_string("");
	int fs, mnt;

	expect(done(call32(NR32_MOUNT, low_string("src32"), a, tmpfs, MS_NOSUID, low_string("size=64k"))), "mount", -1, false,
	       "tmpfs", "src32", "a", "MS_NOSUID", "size=64k");
	expect(done(call32(NR32_UMOUNT2, a, MNT_DETACH, 0, 0, 0)), "umount2", -1, false, NULL, NULL, "a", "MNT_DETACH", NULL);
	expect(done(call32(NR32_UMOUNT, a, 0, 0, 0, 0)), "umount", -1, false, NULL, NULL, "a", NULL, NULL);
	expect(done(call32(NR32_PIVOT_ROOT, low_string("none"), a, 0, 0, 0)), "pivot_root", -1, false, NULL, "none", "a", NULL, NULL);
	fs = (int)expect(done(call32(NR_FSOPEN, tmpfs, 0, 0, 0, 0)), "fsopen", -1, true, "tmpfs", NULL, NULL, "0", NULL);
	expect(done(call32(NR_FSCONFIG, fs, SET_STRING, low_string("size"), low_string("64k"), 0)), "fsconfig", fs, false, NULL,
	       NULL, NULL, "FSCONFIG_SET_STRING", "size=64k");
	expect(done(call32(NR_FSCONFIG, fs, CMD_CREATE, 0, 0, 0)), "fsconfig", fs, false, NULL, NULL, NULL, "FSCONFIG_CMD_CREATE", NULL);
	mnt = (int)expect(done(call32(NR_FSMOUNT, fs, 0, 0, 0, 0)), "fsmount", fs, true, NULL, NULL, NULL, "0", NULL);
	expect(done(call32(NR_MOVE_MOUNT, mnt, empty, AT_FDCWD, a, 4)), "move_mount", mnt, false, NULL, "''", "a",
	       "MOVE_MOUNT_F_EMPTY_PATH", NULL);
	do_umount("a", 0, "0");
}

int main(int argc, char **argv)
{
	char link[64] = "";
	ssize_t length;

	if (argc != 2 || chdir(argv[1]) || prctl(PR_GET_NAME, comm) || unshare(CLONE_NEWNS))
		die("usage: mount_calls FOLDER");
	setvbuf(stdout, malloc(1 << 20), _IOFBF, 1 << 20);
	length = readlink("/proc/self/ns/mnt", link, sizeof(link) - 1);
	if (length < 0 || sscanf(link, "mnt:[%31[0-9]", mnt_ns) != 1)
		die("/proc/self/ns/mnt");
	expect(syscall(SYS_mount, NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL), "mount", -1, false, NULL, NULL, "/", "MS_REC|MS_PRIVATE",
	       NULL);
	if ((mkdir("a", 0700) && errno != EEXIST) || (mkdir("b", 0700) && errno != EEXIST))
		die("mkdir");
	old_calls();
	new_calls();
	fflush(stdout);
	if (call32__works())
		compat_calls();
	return 0;
}
