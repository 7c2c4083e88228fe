/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * calls32 N: a 32-bit caller.  N times each: open, execve, kill, stat64, mount, delete_module, fsync and unlink, by their numbers in the
 * 32-bit table.  All but kill fail: the path "/calls32" is not there, and the descriptor 999 is not open.  Exit status 77: the kernel has no
 * such calls.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

#include "call32.h"

static void expect(const char *call, long result, long wanted)
{
	if (result == wanted)
		return;
	fprintf(stderr, "calls32: %s returned %ld\n", call, result);
	exit(1);
}

int main(int argc, char **argv)
{
	int count = argc == 2 ? atoi(argv[1]) : 0, list[2] = { 0, 0 };
	long path, args, status;

	if (count < 1)
		return 2;
	call32__need();
	path = low32("/calls32", sizeof("/calls32"));
	list[0] = (int)path;
	args = low32(list, sizeof(list));
	status = low32(&(char[256]){ 0 }, 256);
	for (int i = 0; i < count; i++) {
		expect("open", call32(5, path, O_RDONLY, 0, 0, 0), -ENOENT);
		expect("execve", call32(11, path, args, 0, 0, 0), -ENOENT);
		expect("kill", call32(37, getpid(), 0, 0, 0, 0), 0);
		expect("stat64", call32(195, path, status, 0, 0, 0), -ENOENT);
		expect("mount", call32(21, path, path, path, 0, 0), -ENOENT);
		expect("delete_module", call32(129, path, O_NONBLOCK, 0, 0, 0), -ENOENT);
		expect("fsync", call32(118, 999, 0, 0, 0, 0), -EBADF);
		expect("unlink", call32(10, path, 0, 0, 0, 0), -ENOENT);
	}
	return 0;
}
