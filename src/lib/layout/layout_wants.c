/* SPDX-License-Identifier: BSD-2-Clause */
/* What the programs of an object ask for, from its relocations. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "layout_fill.h"

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

static bool is_agreed(const char *name)
{
	for (size_t i = 0; i < sizeof(agreed_types) / sizeof(*agreed_types); i++)
		if (!strcmp(agreed_types[i], name))
			return true;
	return false;
}

const char *fill__root_name(const struct fill *fill, const struct relo *relo)
{
	return btf__name_by_offset(fill->btf, btf__type_by_id(fill->btf, relo->root_id)->name_off);
}

/* Whether the function is going to be loaded and run. */
static bool is_used(const struct fill *fill, const struct relo *relo)
{
	const struct bpf_program *program;

	for (size_t i = 0; i < fill->layout->left_out_count; i++)
		if (!strcmp(fill->layout->left_out[i].function, relo->function))
			return false;
	if (!relo->in_program)
		return true;
	program = bpf_object__find_program_by_name(fill->object, relo->function);
	return !program || bpf_program__autoload(program);
}

static enum origin origin_of(const struct fill *fill, const struct relo *relo)
{
	const char *name = fill__root_name(fill, relo);

	if (relo->kind == BPF_CORE_TYPE_ID_LOCAL || !is_used(fill, relo))
		return ORIGIN_NONE;
	if (!strncmp(name, "tp_", 3) && strstr(name, "__") && btf_is_struct(btf__type_by_id(fill->btf, relo->root_id)))
		return ORIGIN_EVENT;
	return is_agreed(name) ? ORIGIN_OBJECT : ORIGIN_KERNEL;
}

/* Whether both ask for the same field, enumerator or type.  An object has each string once, so the pointers tell. */
bool fill__is_same(const struct relo *relo, const struct relo *other)
{
	return relo->root_id == other->root_id && relo->access == other->access &&
	       relo__is_field(relo) == relo__is_field(other) && relo__is_enumerator(relo) == relo__is_enumerator(other);
}

/* Whether an earlier record of the same origin asks for the same. */
static bool is_repeated(const struct fill *fill, size_t index)
{
	for (size_t i = 0; i < index; i++)
		if (fill->origins[i] == fill->origins[index] && fill__is_same(&fill->relos.list[i], &fill->relos.list[index]))
			return true;
	return false;
}

int fill__find_origins(struct fill *fill)
{
	fill->origins = calloc(fill->relos.count + 1, sizeof(*fill->origins));
	if (!fill->origins)
		return -ENOMEM;
	for (size_t i = 0; i < fill->relos.count; i++) {
		const struct relo *relo = &fill->relos.list[i];

		fill->origins[i] = origin_of(fill, relo);
		if (fill->origins[i] == ORIGIN_KERNEL &&
		    (relo->kind == BPF_CORE_TYPE_ID_TARGET || relo->kind == BPF_CORE_TYPE_MATCHES))
			return fault__set(fill->fault, -EOPNOTSUPP, "type %s: %s() asks for its id in the kernel's BTF, or for a "
					  "match of the whole type, which needs that BTF whole (leave out btf_custom_path)",
					  fill__root_name(fill, relo), relo->function);
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
int fill__wants(struct fill *fill, enum origin origin)
{
	size_t steps_room = 0, names_room = 0, count = 0;
	struct relo_step *steps;
	char *names;

	for (size_t i = 0; i < fill->relos.count; i++) {
		const struct relo *relo = &fill->relos.list[i];
		const char *enumerator = relo__is_enumerator(relo) ? relo__enumerator(relo, fill->btf) : NULL;

		/* every step has a number in the access, and a colon */
		steps_room += strlen(relo->access) / 2 + 1;
		names_room += strlen(fill__root_name(fill, relo)) + (enumerator ? strlen(enumerator) : 0) + 2;
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
		const char *name = fill__root_name(fill, relo), *enumerator;

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
