/* SPDX-License-Identifier: BSD-2-Clause */
#include "questions.h"

#include <fcntl.h>
#include <stdbool.h>
#include <string.h>

/* The map that is to be bound to the next program; -1: none is. */
static int bound_map = -1;

static int stand_in(void)
{
	return open("/dev/null", O_RDONLY | O_CLOEXEC);
}

int questions__map(const char *name)
{
	int fd;

	if (!name)
		return -1;
	if (!strcmp(name, "libbpf_global") || !strcmp(name, "libbpf_mmap"))
		return stand_in();
	if (strcmp(name, "libbpf_det_bind"))
		return -1;
	fd = stand_in();
	bound_map = fd;
	return fd;
}

static bool is_call(const struct bpf_insn *insn, int helper)
{
	return insn->code == (BPF_JMP | BPF_CALL) && !insn->src_reg && insn->imm == helper;
}

int questions__program(enum bpf_prog_type type, const char *name, const struct bpf_insn *insns, size_t count)
{
	bool asks;

	switch (type) {
	case BPF_PROG_TYPE_SOCKET_FILTER:
		/* a number written into the map, or nothing for the one that a map is bound to */
		asks = !name && ((count == 5 && insns[0].src_reg == BPF_PSEUDO_MAP_VALUE) || (count == 2 && bound_map >= 0));
		break;
	case BPF_PROG_TYPE_TRACEPOINT:
		asks = !name && count == 6 && is_call(&insns[4], BPF_FUNC_probe_read_kernel);
		break;
	case BPF_PROG_TYPE_KPROBE:
		asks = name && !strcmp(name, "det_arg_ctx");
		break;
	default:
		asks = false;
	}
	return asks ? stand_in() : -1;
}

int __wrap_bpf_map_create(enum bpf_map_type type, const char *name, __u32 key_size, __u32 value_size, __u32 max_entries,
	const struct bpf_map_create_opts *opts)
{
	int fd = questions__map(name);

	return fd >= 0 ? fd : __real_bpf_map_create(type, name, key_size, value_size, max_entries, opts);
}

int __wrap_bpf_prog_bind_map(int program, int map, const struct bpf_prog_bind_opts *opts)
{
	if (map < 0 || map != bound_map)
		return __real_bpf_prog_bind_map(program, map, opts);
	bound_map = -1;
	return 0;
}
