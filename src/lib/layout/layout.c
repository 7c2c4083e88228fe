/* SPDX-License-Identifier: BSD-2-Clause */
#include "layout.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bpf/btf.h>

#include "lib/kernel/cache.h"
#include "ctx.h"
#include "events.h"
#include "minbtf.h"
#include "rawbtf.h"
#include "relos.h"
#include "tpbtf.h"

#define LEFT_OUT_MAX 16

/* The one flavour that stands for the type on every kernel. */
#define PART "___part"

/* Counts into the cache's key: to be raised when what minbtf__add() makes of the same wants changes. */
#define CACHE_VERSION 1

struct layout {
	int fd;
	char path[32];
	struct layout_places places;
	const char *left_out[LEFT_OUT_MAX];
	size_t left_out_count;
};

/*
 * Types that programs and the kernel have agreed on, the same on every kernel: system call structs, and the contexts
 * and helper structs of BPF.  The program's own declaration is right for them, and needs no kernel BTF.  pt_regs is
 * not of the UAPI by name, but its order is that of the registers in a core dump (user_regs_struct on x86-64).
 */
static const char *const agreed_types[] = {
	"pt_regs", "user_pt_regs", "bpf_pidns_info", "bpf_raw_tracepoint_args", "bpf_perf_event_data",
	"open_how", "iovec", "sockaddr", "sockaddr_in", "sockaddr_in6", "sockaddr_un", "in_addr", "in6_addr",
	"__kernel_timespec", "timespec", "stat", "epoll_event", "msghdr", "user_msghdr", "perf_event_attr",
};

enum origin {
	ORIGIN_NONE,		/* not to be looked for */
	ORIGIN_EVENT,		/* a format file */
	ORIGIN_OBJECT,		/* an agreed type, as the object has it */
	ORIGIN_KERNEL,
};

/* The struct of an event. */
struct event {
	__u32 root_id;
	struct format *format;		/* NULL: the kernel does not have it */
	char missing[512];		/* what to say about that */
};

struct fill {
	struct layout *layout;
	const struct bpf_object *object;
	const struct btf *btf;		/* the object's */
	struct relos relos;
	enum origin *origins;		/* of each */
	struct event *events;
	size_t events_count;
	struct minbtf_want *wants;
	struct relo_step *steps;	/* of all wants, one behind the other */
	char *names;			/* likewise */
	struct btf *target;
	struct tpbtf tpbtf;		/* writes the events' structs to target */
	char *why;
	size_t why_size;
};

__attribute__((format(printf, 3, 4)))
static int explain(struct fill *fill, int err, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(fill->why, fill->why_size, format, args);
	va_end(args);
	return err;
}

/* ---- what is asked for */

static bool is_agreed(const char *name)
{
	for (size_t i = 0; i < sizeof(agreed_types) / sizeof(*agreed_types); i++)
		if (!strcmp(agreed_types[i], name))
			return true;
	return false;
}

static const char *root_name(const struct fill *fill, const struct relo *relo)
{
	return btf__name_by_offset(fill->btf, btf__type_by_id(fill->btf, relo->root_id)->name_off);
}

/* Whether the function is going to be loaded and run. */
static bool is_used(const struct fill *fill, const struct relo *relo)
{
	const struct bpf_program *program;

	for (size_t i = 0; i < fill->layout->left_out_count; i++)
		if (!strcmp(fill->layout->left_out[i], relo->function))
			return false;
	if (!relo->in_program)
		return true;
	program = bpf_object__find_program_by_name(fill->object, relo->function);
	return !program || bpf_program__autoload(program);
}

static enum origin origin_of(const struct fill *fill, const struct relo *relo)
{
	const char *name = root_name(fill, relo);

	if (relo->kind == BPF_CORE_TYPE_ID_LOCAL || !is_used(fill, relo))
		return ORIGIN_NONE;
	if (!strncmp(name, "tp_", 3) && strstr(name, "__") && btf_is_struct(btf__type_by_id(fill->btf, relo->root_id)))
		return ORIGIN_EVENT;
	return is_agreed(name) ? ORIGIN_OBJECT : ORIGIN_KERNEL;
}

/* Whether both ask for the same field, enumerator or type.  An object has each string once, so the pointers tell. */
static bool is_same(const struct relo *relo, const struct relo *other)
{
	return relo->root_id == other->root_id && relo->access == other->access &&
	       relo__is_field(relo) == relo__is_field(other) && relo__is_enumerator(relo) == relo__is_enumerator(other);
}

/* Whether an earlier record of the same origin asks for the same. */
static bool is_repeated(const struct fill *fill, size_t index)
{
	for (size_t i = 0; i < index; i++)
		if (fill->origins[i] == fill->origins[index] && is_same(&fill->relos.list[i], &fill->relos.list[index]))
			return true;
	return false;
}

static int find_origins(struct fill *fill)
{
	fill->origins = calloc(fill->relos.count + 1, sizeof(*fill->origins));
	if (!fill->origins)
		return -ENOMEM;
	for (size_t i = 0; i < fill->relos.count; i++) {
		const struct relo *relo = &fill->relos.list[i];

		fill->origins[i] = origin_of(fill, relo);
		if (fill->origins[i] == ORIGIN_KERNEL &&
		    (relo->kind == BPF_CORE_TYPE_ID_TARGET || relo->kind == BPF_CORE_TYPE_MATCHES))
			return explain(
				fill, -EOPNOTSUPP,
				"type %s: %s() asks for its id in the kernel's BTF, or for a "
				"match of the whole type, which needs that BTF whole (leave out btf_custom_path)",
				root_name(fill, relo), relo->function);
	}
	return 0;
}

/* Copies the first length bytes of a name behind the other ones. */
static char *add_name(char **pos, const char *name, size_t length)
{
	char *copy = *pos;

	memcpy(copy, name, length);
	copy[length] = 0;
	*pos += length + 1;
	return copy;
}

/* Turns the records of one origin into fill->wants; their number, or -errno. */
static int list_wants(struct fill *fill, enum origin origin)
{
	size_t steps_room = 0, names_room = 0, count = 0;
	struct relo_step *steps;
	char *names;

	for (size_t i = 0; i < fill->relos.count; i++) {
		const struct relo *relo = &fill->relos.list[i];
		const char *enumerator = relo__is_enumerator(relo) ? relo__enumerator(relo, fill->btf) : NULL;

		/* every step has a number in the access, and a colon */
		steps_room += strlen(relo->access) / 2 + 1;
		names_room += strlen(root_name(fill, relo)) + (enumerator ? strlen(enumerator) : 0) + 2;
	}
	free(fill->wants);
	free(fill->steps);
	free(fill->names);
	fill->wants = calloc(fill->relos.count + 1, sizeof(*fill->wants));
	fill->steps = steps = malloc((steps_room + RELO_STEPS_MAX) * sizeof(*steps));
	fill->names = names = malloc(names_room + 1);
	if (!fill->wants || !fill->steps || !fill->names)
		return -ENOMEM;
	for (size_t i = 0; i < fill->relos.count; i++) {
		const struct relo *relo = &fill->relos.list[i];
		struct minbtf_want *want = &fill->wants[count];
		const char *name = root_name(fill, relo), *enumerator;

		if (fill->origins[i] != origin || is_repeated(fill, i))
			continue;
		want->root = add_name(&names, name, relo__essential_length(name));
		want->kind = btf_kind(btf__type_by_id(fill->btf, relo->root_id));
		if (relo__is_enumerator(relo)) {
			enumerator = relo__enumerator(relo, fill->btf);
			if (!enumerator)
				return -EINVAL;
			want->enumerator = add_name(&names, enumerator, relo__essential_length(enumerator));
		}
		if (relo__is_field(relo)) {
			want->steps = steps;
			want->steps_count = relo__steps(relo, fill->btf, steps);
			if (want->steps_count < 0)
				return -EINVAL;
			steps += want->steps_count;
		}
		count++;
	}
	return (int)count;
}

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

		return explain(fill, err, "kernel type %s: the kernel's BTF cannot be read: %s: %s%s",
			       fill->wants[0].root, path, strerror(-err),
			       absent ? " (it was built without CONFIG_DEBUG_INFO_BTF)" : "");
	}
	fill->target = btf__new_empty();
	err = fill->target ? minbtf__add(fill->target, raw, fill->wants, (size_t)count) : -errno;
	rawbtf__free(raw);
	if (err)
		return explain(fill, err, "kernel type %s: the kernel's BTF in %s cannot be used: %s",
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

	count = list_wants(fill, ORIGIN_KERNEL);
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

	count = list_wants(fill, ORIGIN_OBJECT);
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

static struct event *find_event(const struct fill *fill, __u32 root_id)
{
	for (size_t i = 0; i < fill->events_count; i++)
		if (fill->events[i].root_id == root_id)
			return &fill->events[i];
	return NULL;
}

static int add_event(struct fill *fill, const struct relo *relo)
{
	const char *tag = root_name(fill, relo);
	char name[CTX_MEMBER_NAME_SIZE];
	struct event *event;
	int err;

	if (find_event(fill, relo->root_id))
		return 0;
	event = realloc(fill->events, (fill->events_count + 1) * sizeof(*event));
	if (!event)
		return -ENOMEM;
	fill->events = event;
	event += fill->events_count++;
	*event = (struct event){ .root_id = relo->root_id };
	if (snprintf(name, sizeof(name), "%.*s", (int)relo__essential_length(tag), tag) >= (int)sizeof(name))
		return explain(fill, -ENAMETOOLONG, "struct %.64s…: the name is too long for an event", tag);
	err = events__format_of_struct(name, &event->format, event->missing, sizeof(event->missing));
	if (err == -ENOENT)
		return 0;
	if (err)
		return explain(fill, err, "%s", event->missing);
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

/* ---- what the kernel does not have */

/* Whether the same function asks if this type, or something in it, exists. */
static bool is_asked_about(const struct fill *fill, const struct relo *relo)
{
	const char *name = root_name(fill, relo);
	size_t length = relo__essential_length(name);

	/* a flavour is a form that the type has on some kernels only */
	if (name[length] && strcmp(name + length, PART))
		return true;
	for (size_t i = 0; i < fill->relos.count; i++) {
		const struct relo *other = &fill->relos.list[i];
		const char *other_name = root_name(fill, other);

		if (relo__is_question(other) && !strcmp(other->function, relo->function) &&
		    relo__essential_length(other_name) == length && !strncmp(other_name, name, length))
			return true;
	}
	return false;
}

/* The names of the steps, "a.b.c". */
static void steps_text(const struct relo_step *steps, int count, char *text, size_t size)
{
	size_t used = 0;

	*text = 0;
	for (int i = 1; i < count && used < size; i++)
		if (steps[i].name)
			used += (size_t)snprintf(text + used, size - used, "%s%s", used ? "." : "", steps[i].name);
}

static int explain_field(struct fill *fill, const struct event *event, const char *wanted)
{
	const struct format *format = event->format;
	const struct format_field *field = ctx__field(format, wanted);
	char name[CTX_MEMBER_NAME_SIZE];
	size_t used;

	if (field && ctx__offset(format, field) == -EACCES)
		return explain(fill, -EACCES,
			       "event %s/%s: field %s lies in the first 8 bytes, which BPF programs may not "
			       "read (a helper gives what it says, such as bpf_get_current_pid_tgid())",
			       format->system, format->name, wanted);
	if (field && ctx__offset(format, field) >= 0)
		return explain(fill, -EINVAL,
			       "event %s/%s: field %s is \"%s\" on this kernel, which the program's type for "
			       "it does not fit (ctxgen shows one that does)",
			       format->system, format->name, wanted, field->decl);
	explain(fill, 0, "event %s/%s: the kernel's record has no field %s (it has", format->system, format->name,
		wanted);
	for (unsigned i = format->common_count; i < format->fields_count; i++) {
		if (ctx__offset(format, &format->fields[i]) < 0)
			continue;
		used = strlen(fill->why);
		snprintf(fill->why + used, fill->why_size - used, "%s%s", i == format->common_count ? " " : ", ",
			 ctx__member_name(&format->fields[i], name));
	}
	used = strlen(fill->why);
	snprintf(fill->why + used, fill->why_size - used, ")");
	return -ENOENT;
}

/* Whether the kernel has a type of the root's name and kind at all. */
static bool has_root(const struct fill *fill, const struct relo *relo)
{
	const char *name = root_name(fill, relo);
	char essential[CTX_MEMBER_NAME_SIZE];

	snprintf(essential, sizeof(essential), "%.*s", (int)relo__essential_length(name), name);
	return btf__find_by_name_kind(fill->target, essential, btf_kind(btf__type_by_id(fill->btf, relo->root_id))) > 0;
}

static const char *kind_name(const struct btf_type *type)
{
	switch (btf_kind(type)) {
	case BTF_KIND_STRUCT: return "struct";
	case BTF_KIND_UNION: return "union";
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64: return "enum";
	default: return "type";
	}
}

static int explain_relo(struct fill *fill, const struct relo *relo)
{
	const struct event *event = find_event(fill, relo->root_id);
	const struct btf_type *type = btf__type_by_id(fill->btf, relo->root_id);
	const char *kind = kind_name(type), *name = root_name(fill, relo);
	int length = (int)relo__essential_length(name);
	struct relo_step steps[RELO_STEPS_MAX];
	char field[256] = "";
	int count = relo__is_field(relo) ? relo__steps(relo, fill->btf, steps) : 0;

	steps_text(steps, count, field, sizeof(field));
	if (event && !event->format)
		return explain(fill, -ENOENT, "%s", event->missing);
	if (event)
		return explain_field(fill, event, field);
	if (!has_root(fill, relo))
		return explain(fill, -ENOENT, "%s %.*s: the kernel does not have it, and %s() reads it", kind,
			       length, name, relo->function);
	if (relo__is_enumerator(relo))
		return explain(fill, -ENOENT, "enum %.*s: the kernel's has no %s, which %s() reads",
			       length, name, relo__enumerator(relo, fill->btf), relo->function);
	return explain(fill, -ENOENT, "%s %.*s: the kernel's has no member %s of the kind that %s() reads", kind,
		       length, name, field, relo->function);
}

/*
 * An access of another size than the kernel's field.  libbpf adjusts a load of an unsigned number, since that fills
 * the register with zeros whatever its size; for any other it only tells the verifier that the instruction is bad.
 */
static int check_size(struct fill *fill, const struct relo *relo)
{
	const struct event *event = find_event(fill, relo->root_id);
	const struct format_field *field;
	struct relo_step steps[RELO_STEPS_MAX];
	const struct btf_type *type;
	__s64 size;
	__u32 id;

	if (!relo->is_access || relo->kind != BPF_CORE_FIELD_BYTE_OFFSET || !event || !event->format ||
	    relo__steps(relo, fill->btf, steps) != 2 || ctx__is_syscall(event->format))
		return 0;
	field = ctx__field(event->format, steps[1].name);
	id = steps[1].type_id;
	type = relo__resolve(fill->btf, &id);
	size = btf__resolve_size(fill->btf, steps[1].type_id);
	if (!field || !ctx__is_scalar(field) || size == field->size)
		return 0;
	if (btf_is_int(type) && !(btf_int_encoding(type) & BTF_INT_SIGNED) && !field->is_signed)
		return 0;
	return explain(fill, -EINVAL,
		       "event %s/%s: field %s has %u bytes on this kernel, and the program reads %lld as a "
		       "signed number (ctxgen --check tells what else differs)",
		       event->format->system, event->format->name, field->name, field->size, (long long)size);
}

/* Whether an earlier record that asks for the same was found. */
static bool was_found(const struct fill *fill, const bool *found, size_t index)
{
	const struct relo *relo = &fill->relos.list[index];

	for (size_t i = 0; i < index; i++)
		if (found[i] && is_same(&fill->relos.list[i], relo))
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
			err = check_size(fill, relo);
		else if (!is_asked_about(fill, relo))
			err = explain_relo(fill, relo);
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

	err = find_origins(fill);
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
		err = check_relos(fill);
	if (!err)
		err = write_target(fill);
	return err;
}

int layout__fill(struct layout *layout, const struct bpf_object *object, const void *elf, size_t size, char *why,
		 size_t why_size)
{
	struct fill fill = {
		.layout = layout, .object = object, .btf = bpf_object__btf(object), .why = why, .why_size = why_size,
	};
	int err;

	*why = 0;
	err = fill.btf ? relos__read(&fill.relos, fill.btf, elf, size) : -EINVAL;
	if (err)
		return explain(&fill, err, "the BPF object's relocations cannot be read: %s", strerror(-err));
	err = fill_target(&fill);
	if (err && !*why)
		explain(&fill, err, "the layouts cannot be made: %s", strerror(-err));
	for (size_t i = 0; i < fill.events_count; i++)
		format__free(fill.events[i].format);
	free(fill.events);
	free(fill.wants);
	free(fill.steps);
	free(fill.names);
	free(fill.origins);
	btf__free(fill.target);
	relos__free(&fill.relos);
	return err;
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

void layout__leave_out(struct layout *layout, const char *function)
{
	if (layout->left_out_count < LEFT_OUT_MAX)
		layout->left_out[layout->left_out_count++] = function;
}

void layout__free(struct layout *layout)
{
	if (!layout)
		return;
	close(layout->fd);
	free(layout);
}
