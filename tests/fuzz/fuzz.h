/* SPDX-License-Identifier: BSD-2-Clause */
/* What the fuzz targets share. */
#ifndef FUZZ_H
#define FUZZ_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* What must hold: the target ends where it does not, and libFuzzer keeps the input. */
#define REQUIRE(condition) \
	do { \
		if (!(condition)) { \
			fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
			abort(); \
		} \
	} while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A copy of exactly that size, so that the sanitizer sees a read beyond it. */
static inline void *fuzz_copy(const void *data, size_t size)
{
	void *copy = malloc(size ? size : 1);

	REQUIRE(copy);
	if (size)
		memcpy(copy, data, size);
	return copy;
}

/* The same with a 0 byte behind it. */
static inline char *fuzz_string(const uint8_t *data, size_t size)
{
	char *string = malloc(size + 1);

	REQUIRE(string);
	if (size)
		memcpy(string, data, size);
	string[size] = '\0';
	return string;
}

/* A file with these bytes, the same one each time; its path. */
static inline const char *fuzz_file(const void *data, size_t size)
{
	static char path[64];
	static int fd = -1;

	if (fd < 0) {
		fd = memfd_create("fuzz", 0);
		REQUIRE(fd >= 0);
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	}
	REQUIRE(!ftruncate(fd, 0) && pwrite(fd, data, size, 0) == (ssize_t)size);
	return path;
}

#endif
