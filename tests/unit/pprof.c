/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Profiles for pprof: made of stacks with names of all sorts, and packed.  With a file as argument the profile is written there, for
 * tests/host/pprof, which has protoc read it.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>

#include "check.h"
#include "lib/print/pprof.h"

#define MANY 3000	/* stacks, each with functions of its own */

static const struct pprof_type types[PPROF_VALUES] = { { "samples", "count" }, { "cpu", "nanoseconds" } };
static const struct pprof_run run = { .begin_ns = 1700000000123456789, .duration_ns = 5000000000, .period = 10101010 };

static struct pprof *make(void)
{
	static const struct pprof_frame reading[] = { { "vfs_read", "[kernel]" }, { "main", "/usr/bin/cat" } };
	static const struct pprof_frame script[] = { { "</title><script>alert(1)</script>", "/tmp/\n\xff" }, { "main", "/usr/bin/other" },
						     { "", NULL } };
	struct pprof *pprof = pprof__new(types);
	char longest[4000], names[2][32];

	memset(longest, '~', sizeof(longest));
	longest[sizeof(longest) - 1] = 0;
	CHECK_INT(pprof__add(pprof, reading, 2, &(struct pprof_sample){ .values = { 3, 300 }, .comm = "cat", .pid = 4194304 }), 0);
	CHECK_INT(pprof__add(pprof, reading, 2, &(struct pprof_sample){ .values = { 1, 1ull << 62 }, .comm = "a\"b\x1b", .pid = 7,
									   .tag_word = "state", .tag = "S" }), 0);
	CHECK_INT(pprof__add(pprof, script, 3, &(struct pprof_sample){ .values = { 128, 16384 } }), 0);
	CHECK_INT(pprof__add(pprof, &(struct pprof_frame){ longest, NULL }, 1, &(struct pprof_sample){ .values = { 0, 0 } }), 0);
	CHECK_INT(pprof__add(pprof, NULL, 0, &(struct pprof_sample){ .values = { 2, 2 } }), 0);
	for (int i = 0; i < MANY; i++) {
		snprintf(names[0], sizeof(names[0]), "inner_%d", i);
		snprintf(names[1], sizeof(names[1]), "outer_%d", i % 7);
		CHECK_INT(pprof__add(pprof, (struct pprof_frame[]){ { names[0], "f" }, { names[1], "f" } }, 2,
				     &(struct pprof_sample){ .values = { 1, 10 } }), 0);
	}
	return pprof;
}

int main(int argc, char **argv)
{
	struct pprof *pprof = make(), *empty = pprof__new(types);
	static unsigned char plain[1 << 20];
	z_stream stream = { 0 };
	char *bytes;
	size_t size;
	int fd;

	CHECK_INT(pprof__take(pprof, &run, &bytes, &size), 0);
	pprof__free(pprof);
	if (argc > 1) {
		fd = open(argv[1], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
		CHECK(write(fd, bytes, size) == (ssize_t)size);
		close(fd);
	}
	/* as gzip's, whole, and beginning with the first message: a sample of locations 1 and 2 */
	stream.next_in = (unsigned char *)bytes;
	stream.avail_in = (unsigned int)size;
	stream.next_out = plain;
	stream.avail_out = sizeof(plain);
	CHECK_INT(inflateInit2(&stream, 15 + 16), Z_OK);
	CHECK_INT(inflate(&stream, Z_FINISH), Z_STREAM_END);
	CHECK_INT(stream.avail_in, 0);
	inflateEnd(&stream);
	CHECK(plain[0] == (2 << 3 | 2) && !memcmp(plain + 2, "\x08\x01\x08\x02\x10\x03\x10\xac\x02", 9));
	free(bytes);

	CHECK_INT(pprof__take(empty, &run, &bytes, &size), 0);
	free(bytes);
	pprof__free(empty);
	pprof__free(NULL);
	return check_done();
}
