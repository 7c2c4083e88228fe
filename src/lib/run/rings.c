/* SPDX-License-Identifier: BSD-2-Clause */
#include "rings.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "lib/kernel/cpus.h"
#include "lib/kernel/kernel.h"

#define RECORD_HEADER 8		/* BPF_RINGBUF_HDR_SZ */
#define THREAD_STACK (64 * 1024)

unsigned int rings__choose(unsigned int cpus, uint32_t one_size, uint32_t size_asked, uint32_t record_max, uint32_t page, uint32_t *size)
{
	uint32_t size_min = page > RINGS_SIZE_MIN ? page : RINGS_SIZE_MIN;
	unsigned int count = 1;

	*size = size_asked ? size_asked : one_size;
	/* libbpf asks the kernel for a page then, and what is mapped has to be what the kernel made */
	if (*size < page)
		*size = page;
	while (size_min < record_max + RECORD_HEADER)
		size_min *= 2;
	while (count * 2 <= cpus && count < RINGS_MAX) {
		uint32_t half = *size / 2;

		/* what the program says is enough for a CPU, up to RINGS_SIZE; with --buffer the sum stays */
		if (!size_asked && *size <= RINGS_SIZE)
			half = *size;
		if (half < size_min && size_asked)
			break;
		*size = half;
		count *= 2;
	}
	return count;
}

static unsigned int count_cpus(void)
{
	struct cpu_set online;
	unsigned int count = 0;

	if (cpus__read(CPUS_ONLINE, &online))
		return 1;
	for (size_t i = 0; i < sizeof(online.words) / sizeof(*online.words); i++)
		if (online.words[i])
			count += (unsigned int)__builtin_popcountll(online.words[i]);
	return count;
}

/* Whether it is made, of an object that has it. */
static bool is_made(const struct bpf_map *map)
{
	return map && bpf_map__autocreate(map);
}

static void *put(void *context)
{
	struct ring_entry *entry = context;

	entry->err = bpf_map_update_elem(entry->array_fd, &entry->index, &entry->fd, BPF_ANY) ? -errno : 0;
	return NULL;
}

/* Puts a ring into the array: by a thread, or where none can be made now, at once. */
static void begin_to_put(struct rings *rings, struct ring_entry *entry, const pthread_attr_t *attributes)
{
	entry->array_fd = rings->array_fd;
	entry->index = (uint32_t)(entry - rings->entries);
	entry->has_thread = !pthread_create(&entry->thread, attributes, put, entry);
	if (!entry->has_thread)
		put(entry);
}

/* Makes them; `events` becomes the first one.  0 or -errno. */
static int make(struct rings *rings, struct bpf_map *events, struct bpf_map *array)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts);
	pthread_attr_t attributes;

	for (unsigned int i = 0; i < rings->count; i++) {
		int fd = bpf_map_create(BPF_MAP_TYPE_RINGBUF, "events", 0, 0, rings->size, NULL);

		if (fd < 0)
			return -errno;
		rings->entries[i].fd = fd;
	}
	opts.inner_map_fd = (__u32)rings->entries[0].fd;
	rings->array_fd = bpf_map_create(BPF_MAP_TYPE_ARRAY_OF_MAPS, "event_rings", sizeof(__u32), sizeof(__u32), rings->count, &opts);
	if (rings->array_fd < 0)
		return -errno;
	if (bpf_map__reuse_fd(events, rings->entries[0].fd) || bpf_map__reuse_fd(array, rings->array_fd))
		return -errno;
	if (pthread_attr_init(&attributes))
		return -ENOMEM;
	pthread_attr_setstacksize(&attributes, THREAD_STACK);
	for (unsigned int i = 0; i < rings->count; i++)
		begin_to_put(rings, &rings->entries[i], &attributes);
	pthread_attr_destroy(&attributes);
	return 0;
}

int rings__prepare(struct rings *rings, const struct bpf_object *object, uint32_t size_asked, uint32_t record_max)
{
	struct bpf_map *events = bpf_object__find_map_by_name(object, "events");
	struct bpf_map *array = bpf_object__find_map_by_name(object, "event_rings");
	bool has_several;

	*rings = (struct rings){ .array_fd = -1, .page = (uint32_t)sysconf(_SC_PAGESIZE) };
	for (unsigned int i = 0; i < RINGS_MAX; i++)
		rings->entries[i].fd = -1;
	if (!is_made(events)) {
		if (array)
			bpf_map__set_autocreate(array, false);
		return 0;
	}
	/* a ring of a page is never written; where locked memory is short, one has been enough so far */
	has_several = array && bpf_map__max_entries(events) >= RINGS_SIZE_MIN && bpf_map__max_entries(events) > rings->page &&
		      !kernel__bounds_maps();
	rings->count = rings__choose(has_several ? count_cpus() : 1, bpf_map__max_entries(events), size_asked, record_max, rings->page,
				     &rings->size);
	if (rings->count > 1)
		return make(rings, events, array);
	if (array)
		bpf_map__set_autocreate(array, false);
	return bpf_map__set_max_entries(events, rings->size);
}

/* Waits for the threads.  0 or -errno. */
static int join(struct rings *rings)
{
	int err = 0;

	for (unsigned int i = 0; i < rings->count; i++) {
		struct ring_entry *entry = &rings->entries[i];

		if (entry->has_thread)
			pthread_join(entry->thread, NULL);
		entry->has_thread = false;
		if (!err)
			err = entry->err;
	}
	return err;
}

int rings__finish(struct rings *rings, const struct bpf_object *object)
{
	if (rings->count == 1)
		rings->entries[0].fd = bpf_map__fd(bpf_object__find_map_by_name(object, "events"));
	return join(rings);
}

void rings__free(struct rings *rings)
{
	/* a single one is the object's */
	if (rings->count <= 1)
		return;
	join(rings);
	for (unsigned int i = 0; i < rings->count; i++)
		if (rings->entries[i].fd >= 0)
			close(rings->entries[i].fd);
	if (rings->array_fd >= 0)
		close(rings->array_fd);
	rings->count = 0;
}
