/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernel's memory through /proc/kcore, for who follows pointers: the segments are read once. */
#ifndef PROBELIGHT_KMEMORY_H
#define PROBELIGHT_KMEMORY_H

#include <stddef.h>
#include <stdint.h>

#define KMEMORY_SEGMENTS 64

struct kmemory {
	int fd;					/* /proc/kcore; -1: not open */
	struct { uint64_t address, size, offset; } segments[KMEMORY_SEGMENTS];
	size_t count;
};

/* 0, or -errno of ktext__open(), or -EIO where it is no ELF file.  kmemory__close() takes one that failed, too. */
int kmemory__open(struct kmemory *memory);
void kmemory__close(struct kmemory *memory);

/* Reads size bytes.  0, -ENOENT where kcore does not have that address, or -errno. */
int kmemory__read(const struct kmemory *memory, uint64_t address, void *bytes, size_t size);

/* A pointer, or another number of 64 bits; 0 also where it cannot be read. */
uint64_t kmemory__pointer(const struct kmemory *memory, uint64_t address);

/* A text, cut at size - 1 bytes, with a 0 byte; "" where it cannot be read. */
void kmemory__text(const struct kmemory *memory, uint64_t address, char *text, size_t size);

#endif
