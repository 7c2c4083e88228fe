/* SPDX-License-Identifier: BSD-2-Clause */
#include "prog_load.h"

#include <bpf/bpf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "prune.h"
#include "questions.h"

/* Programs with fewer are tries of what a kernel can do, and cost little. */
#define PRUNED_COUNT 64

/* A program has one map of constants, and rarely a second one. */
struct constant_maps {
	int fds[2];
	void *bytes[2];		/* NULL: another map */
	uint32_t sizes[2];
	size_t count;
};

/*
 * The bytes of a map of constants: those that libbpf makes of sections of that name, fills, and freezes before it loads a program
 * (bpf_object__populate_internal_map() of its libbpf.c).
 */
static void *read_constants(int fd, uint32_t *size)
{
	struct bpf_map_info info = {};
	uint32_t length = sizeof(info), first = 0;
	void *bytes;

	if (bpf_map_get_info_by_fd(fd, &info, &length) || info.type != BPF_MAP_TYPE_ARRAY || info.max_entries != 1 ||
	    !(info.map_flags & BPF_F_RDONLY_PROG) || !strstr(info.name, ".rodata"))
		return NULL;
	*size = info.value_size;
	bytes = malloc(info.value_size);
	if (bytes && bpf_map_lookup_elem(fd, &first, bytes)) {
		free(bytes);
		bytes = NULL;
	}
	return bytes;
}

static const void *constants(void *context, int fd, uint32_t *size)
{
	struct constant_maps *maps = context;
	size_t i;

	for (i = 0; i < maps->count && maps->fds[i] != fd; i++)
		;
	if (i == maps->count) {
		if (i == sizeof(maps->fds) / sizeof(*maps->fds))
			return NULL;
		maps->fds[i] = fd;
		maps->bytes[i] = read_constants(fd, &maps->sizes[i]);
		maps->count++;
	}
	*size = maps->sizes[i];
	return maps->bytes[i];
}

/*
 * What the kernel is told of the functions: those that are left.  Of one that is not, the place is that of the next one, or the end; each
 * of the others has an instruction of its own.
 */
static void *move_functions(const struct bpf_prog_load_opts *opts, const struct prune_result *pruned, size_t old_count, uint32_t *left)
{
	uint32_t size = opts->func_info_rec_size;
	char *moved = malloc(opts->func_info_cnt * size + 1);

	*left = 0;
	for (uint32_t i = 0; moved && i < opts->func_info_cnt; i++) {
		const char *old = (const char *)opts->func_info + i * size;
		struct bpf_func_info info, next;
		uint32_t end = old_count;

		memcpy(&info, old, sizeof(info));
		if (i + 1 < opts->func_info_cnt) {
			memcpy(&next, old + size, sizeof(next));
			end = next.insn_off;
		}
		if (info.insn_off >= old_count || pruned->places[info.insn_off] == (end < old_count ? pruned->places[end] : pruned->count))
			continue;
		memcpy(moved + *left * size, old, size);
		info.insn_off = pruned->places[info.insn_off];
		memcpy(moved + *left * size, &info, sizeof(info));
		++*left;
	}
	return moved;
}

static int load_pruned(enum bpf_prog_type type, const char *name, const char *license, const struct prune_result *pruned, size_t old_count,
	const struct bpf_prog_load_opts *old)
{
	struct bpf_prog_load_opts opts = { .sz = sizeof(opts) };
	void *functions;
	int fd = -1;

	memcpy(&opts, old, old->sz < sizeof(opts) ? old->sz : sizeof(opts));
	opts.sz = sizeof(opts);
	opts.line_info = NULL;
	opts.line_info_cnt = opts.line_info_rec_size = 0;
	/* the log is of the program as it was */
	opts.log_buf = NULL;
	opts.log_size = opts.log_level = 0;
	functions = move_functions(old, pruned, old_count, &opts.func_info_cnt);
	if (functions) {
		opts.func_info = functions;
		fd = __real_bpf_prog_load(type, name, license, pruned->insns, pruned->count, &opts);
	}
	free(functions);
	return fd;
}

int __wrap_bpf_prog_load(enum bpf_prog_type type, const char *name, const char *license, const struct bpf_insn *insns, size_t count,
	struct bpf_prog_load_opts *opts)
{
	struct constant_maps maps = {};
	struct prune_result pruned;
	int fd = questions__program(type, name, insns, count);

	if (fd >= 0)
		return fd;
	if (opts && count >= PRUNED_COUNT && !opts->log_level && !prune__program(insns, count, constants, &maps, &pruned)) {
		fd = load_pruned(type, name, license, &pruned, count, opts);
		free(pruned.insns);
		free(pruned.places);
	}
	for (size_t i = 0; i < maps.count; i++)
		free(maps.bytes[i]);
	return fd >= 0 ? fd : __real_bpf_prog_load(type, name, license, insns, count, opts);
}
