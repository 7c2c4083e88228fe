/* SPDX-License-Identifier: BSD-2-Clause */
#include "layout.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "layout_fill.h"
#include "lib/btf/member_offset.h"
#include "lib/btf/rawbtf.h"
#include "lib/format/ctx.h"
#include "lib/format/events.h"
#include "lib/kernel/cache.h"
#include "uncalled.h"

/* Counts into the cache's key: to be raised when what minbtf__add() makes of the same wants changes. */
#define CACHE_VERSION 1

/* ---- kernel types */

static __u64 hash_wants(const struct fill *fill, int count)
{
	__u64 hash = CACHE_HASH_START;
	__u32 version = CACHE_VERSION;

	hash = cache__hash(hash, &version, sizeof(version));
	for (int i = 0; i < count; i++) {
		const struct minbtf_want *want = &fill->wants[i];

		hash = cache__hash(hash, want->root, strlen(want->root) + 1);
		hash = cache__hash(hash, &want->kind, sizeof(want->kind));
		if (want->enumerator)
			hash = cache__hash(hash, want->enumerator, strlen(want->enumerator) + 1);
		hash = cache__hash(hash, &want->steps_count, sizeof(want->steps_count));
		for (int j = 0; j < want->steps_count; j++) {
			const char *name = want->steps[j].name ? want->steps[j].name : "[]";

			hash = cache__hash(hash, name, strlen(name) + 1);
		}
	}
	return hash;
}

static int read_kernel_types(struct fill *fill, int count)
{
	const char *path = fill->layout->places.btf;
	struct rawbtf *raw;
	int err;

	err = rawbtf__open(&raw, path);
	if (err) {
		bool absent = err == -ENOENT;

		return fault__set(fill->fault, err, "kernel type %s: the kernel's BTF cannot be read: %s: %s%s",
				  fill->wants[0].root, path, strerror(-err),
				  absent ? " (it was built without CONFIG_DEBUG_INFO_BTF)" : "");
	}
	fill->target = btf__new_empty();
	err = fill->target ? minbtf__add(fill->target, raw, fill->wants, (size_t)count) : -errno;
	rawbtf__free(raw);
	if (err)
		return fault__set(fill->fault, err, "kernel type %s: the kernel's BTF in %s cannot be used: %s",
				  fill->wants[0].root, path, strerror(-err));
	return 0;
}

/* Makes fill->target with the kernel types, from the cache if it has them. */
static int add_kernel_types(struct fill *fill)
{
	const struct layout_places *places = &fill->layout->places;
	struct cache_key key = {};
	const void *raw;
	bool have_key;
	void *bytes;
	size_t size;
	__u32 raw_size;
	int err, count;

	count = fill__wants(fill, ORIGIN_KERNEL);
	if (count <= 0)
		return count;
	have_key = *places->cache && !cache__build_id(&key, places->notes);
	key.hash = hash_wants(fill, count);
	if (have_key && !cache__read(places->cache, &key, &bytes, &size)) {
		fill->target = btf__new(bytes, (__u32)size);
		free(bytes);
		if (fill->target)
			return 0;
	}
	err = read_kernel_types(fill, count);
	if (err || !have_key)
		return err;
	/* A cache that cannot be written costs time at the next start, nothing else. */
	raw = btf__raw_data(fill->target, &raw_size);
	if (raw)
		cache__write(places->cache, &key, raw, raw_size);
	return 0;
}

static int add_agreed_types(struct fill *fill)
{
	struct rawbtf *raw;
	const void *bytes;
	__u32 size;
	int err, count;

	count = fill__wants(fill, ORIGIN_OBJECT);
	if (count <= 0)
		return count;
	bytes = btf__raw_data(fill->btf, &size);
	if (!bytes)
		return -ENOMEM;
	err = rawbtf__from_memory(&raw, bytes, size);
	if (!err)
		err = minbtf__add(fill->target, raw, fill->wants, (size_t)count);
	rawbtf__free(raw);
	return err;
}

/* ---- events */

struct fill_event *fill__find_event(const struct fill *fill, __u32 root_id)
{
	for (size_t i = 0; i < fill->events_count; i++)
		if (fill->events[i].root_id == root_id)
			return &fill->events[i];
	return NULL;
}

static int add_event(struct fill *fill, const struct relo *relo)
{
	const char *tag = fill__root_name(fill, relo);
	char name[CTX_MEMBER_NAME_SIZE];
	struct fill_event *event;
	int err;

	if (fill__find_event(fill, relo->root_id))
		return 0;
	event = realloc(fill->events, (fill->events_count + 1) * sizeof(*event));
	if (!event)
		return -ENOMEM;
	fill->events = event;
	event += fill->events_count++;
	*event = (struct fill_event){ .root_id = relo->root_id };
	if (snprintf(name, sizeof(name), "%.*s", (int)relo__essential_length(tag), tag) >= (int)sizeof(name))
		return fault__set(fill->fault, -ENAMETOOLONG, "struct %.64s…: the name is too long for an event", tag);
	err = events__format_of_struct(name, &event->format, &event->missing);
	if (err == -ENOENT)
		return 0;
	if (err)
		return fault__set(fill->fault, err, "%s", event->missing.text);
	fill->tpbtf.target = fill->target;
	return tpbtf__add(&fill->tpbtf, event->format, fill->btf, relo->root_id);
}

static int add_events(struct fill *fill)
{
	int err = 0;

	for (size_t i = 0; i < fill->relos.count && !err; i++)
		if (fill->origins[i] == ORIGIN_EVENT)
			err = add_event(fill, &fill->relos.list[i]);
	return err;
}

/* Whether an earlier record that asks for the same was found. */
static bool was_found(const struct fill *fill, const bool *found, size_t index)
{
	const struct relo *relo = &fill->relos.list[index];

	for (size_t i = 0; i < index; i++)
		if (found[i] && fill__is_same(&fill->relos.list[i], relo))
			return true;
	return false;
}

static int check_relos(struct fill *fill)
{
	bool *found = calloc(fill->relos.count + 1, sizeof(*found));
	int err = 0;

	if (!found)
		return -ENOMEM;
	for (size_t i = 0; i < fill->relos.count && !err; i++) {
		const struct relo *relo = &fill->relos.list[i];

		if (fill->origins[i] == ORIGIN_NONE || relo__is_question(relo))
			continue;
		found[i] = was_found(fill, found, i) || relo__is_found(relo, fill->btf, fill->target);
		if (found[i])
			err = fill__check_size(fill, relo);
		else if (!fill__may_be_missing(fill, relo))
			err = fill__explain_missing(fill, relo);
	}
	free(found);
	return err;
}

/* ---- all of it */

static int write_target(struct fill *fill)
{
	const char *bytes;
	__u32 size, used = 0;

	bytes = btf__raw_data(fill->target, &size);
	if (!bytes)
		return -ENOMEM;
	if (ftruncate(fill->layout->fd, 0))
		return -errno;
	while (used < size) {
		ssize_t written = pwrite(fill->layout->fd, bytes + used, size - used, used);

		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0)
			return -errno;
		used += (__u32)written;
	}
	return 0;
}

static int fill_target(struct fill *fill)
{
	int err;

	err = fill__find_origins(fill);
	if (!err)
		err = add_kernel_types(fill);
	if (!err && !fill->target) {
		fill->target = btf__new_empty();
		err = fill->target ? 0 : -errno;
	}
	if (!err)
		err = add_agreed_types(fill);
	if (!err)
		err = add_events(fill);
	if (!err)
		err = fill__check_records(fill);
	if (!err)
		err = check_relos(fill);
	if (!err)
		err = write_target(fill);
	return err;
}

/* The events' formats are the layout's from now on. */
static void keep_formats(struct fill *fill)
{
	struct layout *layout = fill->layout;
	struct format **formats = realloc(layout->formats, (layout->formats_count + fill->events_count) * sizeof(struct format *));

	if (formats)
		layout->formats = formats;
	for (size_t i = 0; i < fill->events_count; i++) {
		if (formats && fill->events[i].format)
			formats[layout->formats_count++] = fill->events[i].format;
		else
			format__free(fill->events[i].format);
	}
}

int layout__fill(struct layout *layout, const struct bpf_object *object, const void *elf, size_t size, struct fault *fault)
{
	struct fill fill = {
		.layout = layout, .object = object, .btf = bpf_object__btf(object), .elf = elf, .elf_size = size,
		.fault = fault,
	};
	int err;

	*fault->text = 0;
	if (layout->left_out_count > LEFT_OUT_MAX)
		return fault__set(fault, -E2BIG, "%zu functions are left out, of at most %d (LEFT_OUT_MAX)", layout->left_out_count, LEFT_OUT_MAX);
	if (layout->instead_count > INSTEAD_MAX)
		return fault__set(fault, -E2BIG, "%zu helpers are replaced, of at most %d (INSTEAD_MAX)", layout->instead_count, INSTEAD_MAX);
	err = fill.btf ? relos__read(&fill.relos, fill.btf, elf, size) : -EINVAL;
	if (err)
		return fault__set(fault, err, "the BPF object's relocations cannot be read: %s", strerror(-err));
	err = uncalled__apply(object, elf, size, layout->left_out, layout->left_out_count);
	if (!err)
		err = helper_calls__replace(object, elf, size, layout->instead, layout->instead_count);
	if (!err)
		err = fill_target(&fill);
	if (err && !*fault->text)
		fault__set(fault, err, "the layouts cannot be made: %s", strerror(-err));
	if (fill.events_count)
		keep_formats(&fill);
	free(fill.events);
	free(fill.wants);
	free(fill.steps);
	free(fill.names);
	free(fill.origins);
	btf__free(fill.target);
	relos__free(&fill.relos);
	return err;
}

bool layout__has_member(const struct layout *layout, const char *type, const char *member)
{
	struct btf *btf = btf__parse_raw(layout->path);
	bool has = btf && member_offset__find(btf, type, member) >= 0;

	btf__free(btf);
	return has;
}

int layout__new(struct layout **result)
{
	struct layout *layout = calloc(1, sizeof(*layout));

	*result = NULL;
	if (!layout)
		return -ENOMEM;
	layout->fd = memfd_create("probelight-layout", MFD_CLOEXEC);
	if (layout->fd < 0) {
		int err = -errno;

		free(layout);
		return err;
	}
	snprintf(layout->path, sizeof(layout->path), "/proc/self/fd/%d", layout->fd);
	layout__use(layout, &(struct layout_places){});
	*result = layout;
	return 0;
}

void layout__use(struct layout *layout, const struct layout_places *places)
{
	layout->places.btf = places->btf ? places->btf : "/sys/kernel/btf/vmlinux";
	layout->places.notes = places->notes ? places->notes : "/sys/kernel/notes";
	layout->places.cache = places->cache ? places->cache : CACHE_FOLDER;
}

const char *layout__btf_path(const struct layout *layout)
{
	return layout->path;
}

static void leave_out(struct layout *layout, const char *function, bool gives_0)
{
	if (layout->left_out_count < LEFT_OUT_MAX)
		layout->left_out[layout->left_out_count] = (struct uncalled){ function, gives_0 };
	layout->left_out_count++;
}

void layout__leave_out(struct layout *layout, const char *function)
{
	leave_out(layout, function, false);
}

void layout__call_instead(struct layout *layout, int32_t helper, const char *function)
{
	if (layout->instead_count < INSTEAD_MAX)
		layout->instead[layout->instead_count] = (struct helper_call){ helper, function };
	layout->instead_count++;
}

void layout__stub_out(struct layout *layout, const char *function)
{
	leave_out(layout, function, true);
}

const struct format *layout__format(const struct layout *layout, const char *event)
{
	for (size_t i = 0; i < layout->formats_count; i++) {
		const struct format *format = layout->formats[i];
		size_t length = strlen(format->system);

		if (!strncmp(event, format->system, length) && event[length] == '/' && !strcmp(event + length + 1, format->name))
			return format;
	}
	return NULL;
}

void layout__free(struct layout *layout)
{
	if (!layout)
		return;
	for (size_t i = 0; i < layout->formats_count; i++)
		format__free(layout->formats[i]);
	free(layout->formats);
	free(layout->reads);
	close(layout->fd);
	free(layout);
}
