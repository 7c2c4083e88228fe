/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mod_calls FOLDER: loads and removes modules, has the kernel ask for some, and prints what a tracer must show: lines of
 * "PID UID COMM EVENT CALL FLAGS ERR MODULE FILE PARAMS" as `modsnoop -U -e` has them.  FOLDER has dummy.ko, loop.ko,
 * llc.ko, and stp.ko, which uses it.  32-bit calls come last, where the kernel has them.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "call32.h"

/* arch/x86/entry/syscalls/syscall_32.tbl */
#define NR32_INIT_MODULE 128
#define NR32_DELETE_MODULE 129
#define NR32_FINIT_MODULE 350

static char comm[16];

static void die(const char *what)
{
	perror(what);
	exit(1);
}

/* result: 0, or -1 with errno; flags: -1, and the texts NULL, where the call has none. */
static void expect(long result, const char *event, const char *call, long flags, const char *module, const char *file,
		   const char *params)
{
	int err = result ? errno : 0;

	printf("%d %u %s %s %s ", getpid(), getuid(), comm, event, call);
	if (flags < 0)
		printf("- ");
	else
		printf("0x%lx ", flags);
	printf("%d %s %s %s\n", err, module, file ? file : "-", params ? params : "-");
}

static void request(const char *module)
{
	printf("%d %u %s request - - - %s - -\n", getpid(), getuid(), comm, module);
}

static void load_file(const char *file, const char *params, const char *module)
{
	int fd = open(file, O_RDONLY);
	long result = syscall(SYS_finit_module, fd, params, 0);

	expect(result, "load", "finit_module", 0, module, file, *params ? params : "''");
	close(fd);
}

static void remove_module(const char *module)
{
	expect(syscall(SYS_delete_module, module, O_NONBLOCK), "remove", "delete_module", O_NONBLOCK, module, NULL, NULL);
}

static char *read_file(const char *file, size_t *size)
{
	int fd = open(file, O_RDONLY);
	struct stat stat;
	char *data;

	if (fd < 0 || fstat(fd, &stat))
		die(file);
	data = malloc((size_t)stat.st_size);
	*size = (size_t)stat.st_size;
	if (!data || read(fd, data, *size) != stat.st_size)
		die(file);
	close(fd);
	return data;
}

static void compat_calls(const char *image, size_t size)
{
	long result;
	int fd;

	result = call32(NR32_INIT_MODULE, low32(image, size), (long)size, low32("numdummies=0", 13), 0, 0);
	errno = (int)-result;
	expect(result, "load", "init_module", -1, "dummy", NULL, "numdummies=0");
	result = call32(NR32_DELETE_MODULE, low32("dummy", 6), O_NONBLOCK, 0, 0, 0);
	errno = (int)-result;
	expect(result, "remove", "delete_module", O_NONBLOCK, "dummy", NULL, NULL);
	fd = open("dummy.ko", O_RDONLY);
	result = call32(NR32_FINIT_MODULE, fd, low32("numdummies=0", 13), 0, 0, 0);
	errno = (int)-result;
	expect(result, "load", "finit_module", 0, "dummy", "dummy.ko", "numdummies=0");
	remove_module("dummy");
}

int main(int argc, char **argv)
{
	char *image, long_params[300] = "";
	size_t size;
	int fd;

	if (argc != 2 || chdir(argv[1]) || prctl(PR_GET_NAME, comm))
		die("usage: mod_calls FOLDER");
	setvbuf(stdout, malloc(1 << 16), _IOFBF, 1 << 16);
	load_file("dummy.ko", "numdummies=0", "dummy");
	/* the kernel gives up before it says the name */
	load_file("dummy.ko", "", "-");
	remove_module("dummy");
	remove_module("dummy");
	remove_module("no_such_module");
	image = read_file("dummy.ko", &size);
	expect(syscall(SYS_init_module, image, size, "numdummies=0"), "load", "init_module", -1, "dummy", NULL, "numdummies=0");
	remove_module("dummy");
	/* parameters of all lengths */
	for (int i = 0; i < 15; i++)
		strcat(long_params, "numdummies=0 ");
	strcat(long_params, "numdummies=0");
	load_file("dummy.ko", long_params, "dummy");
	remove_module("dummy");
	load_file("dummy.ko", "numdummies=no", "-");
	/* not a module; not a file; nothing that could be read */
	fd = open("text", O_RDWR | O_CREAT | O_TRUNC, 0600);
	if (fd < 0 || write(fd, "text", 4) != 4)
		die("text");
	close(fd);
	load_file("text", "", "-");
	expect(syscall(SYS_finit_module, -1, "", 0), "load", "finit_module", 0, "-", NULL, "''");
	expect(syscall(SYS_init_module, image, 100, (char *)16), "load", "init_module", -1, "-", NULL, "<fault>");
	expect(syscall(SYS_delete_module, (char *)16, 0), "remove", "delete_module", 0, "<fault>", NULL, NULL);
	expect(syscall(SYS_delete_module, "", 0), "remove", "delete_module", 0, "''", NULL, NULL);
	/* in use by another one; an init function that fails, when the name is known */
	load_file("llc.ko", "", "llc");
	load_file("stp.ko", "", "stp");
	remove_module("llc");
	remove_module("stp");
	remove_module("llc");
	load_file("loop.ko", "max_part=1000", "loop");
	/* the kernel asks for a file system and a protocol that nobody has */
	if (!mount("none", "/tmp", "nosuchfs", 0, NULL))
		die("mount");
	request("fs-nosuchfs");
	if (socket(AF_X25, SOCK_SEQPACKET, 0) >= 0)
		die("socket");
	request("net-pf-9");
	fflush(stdout);
	if (call32__works())
		compat_calls(image, size);
	return 0;
}
