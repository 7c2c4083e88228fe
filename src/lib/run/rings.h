/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The ring buffers of an object that includes ring.bpf.h.  One CPU: one, as the program says.  More CPUs: one for each CPU or group of
 * CPUs, so that no CPU waits for another one's lock and there is more room where more CPUs write.
 *
 *	rings__prepare(&rings, object, size_asked, record_max);
 *	… bpf_object__load() …
 *	rings__finish(&rings);
 *
 * A map in an array of maps takes effect at once, but the system call then waits for a grace period (maybe_wait_bpf_programs() in
 * kernel/bpf/syscall.c): tens of milliseconds.  Threads do that while the programs are loaded.
 */
#ifndef PROBELIGHT_RINGS_H
#define PROBELIGHT_RINGS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <bpf/libbpf.h>

#define RINGS_MAX 16			/* a power of two */
#define RINGS_SIZE (1 << 20)		/* of one of several, at most, unless --buffer says more */
#define RINGS_SIZE_MIN (64 * 1024)	/* below that --buffer makes fewer of them */

struct ring_entry {
	int array_fd, fd;
	uint32_t index;
	pthread_t thread;
	bool has_thread;
	int err;
};

struct rings {
	unsigned int count;		/* a power of two; 0: the object has no ring, or it is not made */
	uint32_t size;			/* of each */
	uint32_t page;			/* bytes of one of the kernel's */
	struct ring_entry entries[RINGS_MAX];
	int array_fd;
};

/*
 * How many rings for that many CPUs, and *size of each, a power of two.  one_size: what the program says for one ring; size_asked: the
 * sum that --buffer says, a power of two, or 0; record_max: bytes of the largest record.  page: bytes of the kernel's pages, which no
 * ring is smaller than.
 */
unsigned int rings__choose(unsigned int cpus, uint32_t one_size, uint32_t size_asked, uint32_t record_max, uint32_t page,
			    uint32_t *size);

/*
 * Before the object is loaded: sets the size of its ring, or makes several.  0 or -errno; rings__free() takes what failed, too.  rings is
 * zeroed.
 */
int rings__prepare(struct rings *rings, const struct bpf_object *object, uint32_t size_asked, uint32_t record_max);

/* After it is loaded, before programs are attached: waits until all rings are in place.  0 or -errno. */
int rings__finish(struct rings *rings, const struct bpf_object *object);

/* Takes a zeroed one, too. */
void rings__free(struct rings *rings);

#endif
