/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * short_files FOLDER: creates and removes files in every way, under names that begin with f_, and prints what a tracer must show, a
 * line for each file: "COMM HOW CREATOR BYTES PATH HELD".  HELD is "held" if the file was open for a while after its removal, PATH is -
 * where it has none, and BYTES -1 where that is not known.  The creator of files is short_files or its child, creator; who removes
 * them is remover, unless short_files does it itself.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define HELD_US 50000

static const char *folder;

static void die(const char *what)
{
	perror(what);
	exit(125);
}

static void expect(const char *comm, const char *how, const char *creator, long bytes, const char *name, const char *held)
{
	printf("%s %s %s %ld %s%s%s %s\n", comm, how, creator, bytes, name ? folder : "-", name ? "/" : "", name ? name : "", held);
}

static int create(const char *name, int bytes)
{
	int fd = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	if (fd < 0 || write(fd, "0123456789", (size_t)bytes) != bytes)
		die(name);
	return fd;
}

static void check(int result, const char *what)
{
	if (result)
		die(what);
}

/* In a child of that name. */
static void as(const char *comm, void (*run)(void))
{
	int status;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (!child) {
		prctl(PR_SET_NAME, comm);
		run();
		_exit(0);
	}
	if (child < 0 || waitpid(child, &status, 0) != child || status)
		die(comm);
}

static void create_other(void)
{
	close(create("f_other", 1));
}

static void remove_other(void)
{
	check(unlink("f_other"), "f_other");
}

static void simple(void)
{
	close(create("f_simple", 3));
	check(unlink("f_simple"), "f_simple");
	expect("short_files", "unlink", "short_files", 3, "f_simple", "-");

	check(mknod("f_mknod", S_IFREG | 0600, 0), "mknod");
	check(unlink("f_mknod"), "f_mknod");
	expect("short_files", "unlink", "short_files", 0, "f_mknod", "-");

	as("creator", create_other);
	as("remover", remove_other);
	expect("remover", "unlink", "creator", 1, "f_other", "-");
}

static void renames(void)
{
	/* over another one: that one is gone, and has had the name */
	close(create("f_target", 5));
	close(create("f_source", 2));
	check(rename("f_source", "f_target"), "rename");
	expect("short_files", "rename", "short_files", 5, "f_target", "-");
	/* the name of a file when it is removed */
	check(rename("f_target", "f_renamed"), "rename");
	check(unlink("f_renamed"), "f_renamed");
	expect("short_files", "unlink", "short_files", 2, "f_renamed", "-");
	/* exchanged ones stay both */
	close(create("f_one", 1));
	close(create("f_two", 2));
	check((int)syscall(SYS_renameat2, AT_FDCWD, "f_one", AT_FDCWD, "f_two", RENAME_EXCHANGE), "RENAME_EXCHANGE");
	check(unlink("f_one"), "f_one");
	check(unlink("f_two"), "f_two");
	expect("short_files", "unlink", "short_files", 2, "f_one", "-");
	expect("short_files", "unlink", "short_files", 1, "f_two", "-");
}

static void links(void)
{
	close(create("f_first", 4));
	check(link("f_first", "f_second"), "link");
	check(unlink("f_first"), "f_first");
	/* a rename onto a name of the same file does nothing */
	check(link("f_second", "f_third"), "link");
	check(rename("f_second", "f_third"), "rename");
	check(unlink("f_second"), "f_second");
	check(unlink("f_third"), "f_third");
	expect("short_files", "unlink", "short_files", 4, "f_third", "-");
}

static void open_files(void)
{
	char path[64];
	int fd = create("f_open", 6);

	check(unlink("f_open"), "f_open");
	usleep(HELD_US);
	close(fd);
	expect("short_files", "unlink", "short_files", 6, "f_open", "held");

	fd = open(".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	/* an overlay that does not have it, up to 6.5 */
	if (fd < 0 && errno == EOPNOTSUPP)
		return;
	if (fd < 0 || write(fd, "01234567", 8) != 8)
		die("O_TMPFILE");
	close(fd);
	expect("short_files", "close", "short_files", -1, NULL, "-");

	/* one that gets a name */
	fd = open(".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	check(linkat(AT_FDCWD, path, AT_FDCWD, "f_linked", AT_SYMLINK_FOLLOW), "linkat");
	close(fd);
	check(unlink("f_linked"), "f_linked");
	expect("short_files", "unlink", "short_files", 0, "f_linked", "-");
}

/* A number that is used again is another file. */
static void again(void)
{
	for (int i = 0; i < 20; i++) {
		close(create("f_again", i % 10));
		check(unlink("f_again"), "f_again");
		expect("short_files", "unlink", "short_files", i % 10, "f_again", "-");
	}
}

/* What is no end of a file that was created here. */
static void no_ends(void)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX, .sun_path = "f_socket" };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	check(mkdir("f_dir", 0700), "mkdir");
	check(rmdir("f_dir"), "rmdir");
	check(symlink("to", "f_symlink"), "symlink");
	check(unlink("f_symlink"), "f_symlink");
	check(mkfifo("f_fifo", 0600), "mkfifo");
	check(unlink("f_fifo"), "f_fifo");
	check(bind(fd, (struct sockaddr *)&address, sizeof(address)), "bind");
	close(fd);
	check(unlink("f_socket"), "f_socket");
	/* a creation and a removal that fail */
	if (open("f_none/file", O_CREAT | O_WRONLY | O_CLOEXEC, 0600) >= 0 || !unlink("f_none"))
		die("f_none");
	/* old: it was there before, and is only opened with O_CREAT */
	close(open("f_old", O_CREAT | O_RDWR | O_CLOEXEC, 0600));
	check(unlink("f_old"), "f_old");
	/* it stays */
	close(create("f_stays", 1));
}

int main(int argc, char **argv)
{
	char name[256];

	if (argc != 2 || chdir(argv[1]))
		die("chdir");
	folder = argv[1];
	simple();
	renames();
	links();
	open_files();
	again();
	no_ends();
	memset(name, 'n', 255);
	memcpy(name, "f_", 2);
	name[255] = 0;
	close(create(name, 1));
	check(unlink(name), name);
	expect("short_files", "unlink", "short_files", 1, name, "-");
	return 0;
}
