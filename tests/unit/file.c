/* SPDX-License-Identifier: BSD-2-Clause */
/* lib/kernel/file: whole files, their limit, small files, and files that are none. */
#include "lib/kernel/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "check.h"

static char path[] = "/tmp/probelight-file.XXXXXX";

static void write_bytes(size_t size)
{
	int fd = open(path, O_WRONLY | O_TRUNC);

	for (size_t i = 0; i < size; i++) {
		char byte = (char)('a' + i % 26);

		if (!CHECK_INT(write(fd, &byte, 1), 1))
			break;
	}
	close(fd);
}

static void whole(size_t size)
{
	char *text = NULL;
	size_t got = 0;

	write_bytes(size);
	if (!CHECK_INT(file__read(path, size, &text, &got), 0))
		return;
	CHECK_INT(got, size);
	CHECK_INT(text[size], 0);
	CHECK_INT(strlen(text), size);
	CHECK(!size || text[size - 1] == (char)('a' + (size - 1) % 26));
	free(text);
	if (size)
		CHECK_INT(file__read(path, size - 1, &text, &got), -EFBIG);
}

static void small(void)
{
	char text[8];

	write_bytes(3);
	CHECK_INT(file__read_small(path, text, sizeof(text)), 3);
	CHECK_STR(text, "abc");
	write_bytes(100);
	CHECK_INT(file__read_small(path, text, sizeof(text)), 7);
	CHECK_STR(text, "abcdefg");
	CHECK_INT(file__read_small("/no/such/file", text, sizeof(text)), -ENOENT);
	CHECK_STR(text, "");
	CHECK_INT(file__read_small("/", text, sizeof(text)), -EISDIR);
	CHECK_STR(text, "");
}

static void at(void)
{
	int fd = open(path, O_RDONLY);
	char bytes[4];

	CHECK_INT(file__read_at(fd, bytes, 4, 26), 4);
	CHECK(!memcmp(bytes, "abcd", 4));
	CHECK_INT(file__read_at(fd, bytes, 4, 98), 2);
	CHECK_INT(file__read_at(fd, bytes, 4, 1000), 0);
	close(fd);
	CHECK_INT(file__read_at(fd, bytes, 4, 0), -EBADF);
}

int main(void)
{
	size_t size;
	char *text;

	close(mkstemp(path));
	/* around the first room, and with it doubled */
	for (size_t i = 0; i < 4; i++)
		whole((size_t[]){ 0, 1, 8192, 20000 }[i]);
	small();
	at();
	unlink(path);
	CHECK_INT(file__read(path, 10, &text, &size), -ENOENT);
	CHECK_INT(file__read("/", 10, &text, &size), -EISDIR);
	/* of a size that is not told */
	if (CHECK_INT(file__read("/proc/self/stat", 1 << 20, &text, &size), 0)) {
		CHECK_INT(atoi(text), getpid());
		free(text);
	}
	return check_done();
}
