/* SPDX-License-Identifier: BSD-2-Clause */
/* lib/gen/questions: libbpf's questions with a known answer are not put, and nothing else is taken for one. */
#include <unistd.h>

#include "lib/gen/questions.h"

#include "check.h"

#define INSN(c, d, s, o, i) ((struct bpf_insn){ .code = (c), .dst_reg = (d), .src_reg = (s), .off = (o), .imm = (i) })
#define EXIT INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0)
#define ZERO INSN(BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, 0, 0)
#define REAL (-1000)	/* what was asked of the kernel */

int __real_bpf_map_create(enum bpf_map_type type, const char *name, __u32 key_size, __u32 value_size, __u32 max_entries,
	const struct bpf_map_create_opts *opts)
{
	return REAL;
}

int __real_bpf_prog_bind_map(int program, int map, const struct bpf_prog_bind_opts *opts)
{
	return REAL;
}

static int make(const char *name)
{
	return __wrap_bpf_map_create(BPF_MAP_TYPE_ARRAY, name, 4, 32, 1, NULL);
}

static bool is_answered(int fd)
{
	return fd >= 0 && !close(fd);
}

static const struct bpf_insn nothing[] = { ZERO, EXIT };

static bool answers_nothing(void)
{
	return is_answered(questions__program(BPF_PROG_TYPE_SOCKET_FILTER, NULL, nothing, 2));
}

/* As features.c of libbpf 1.4 has them. */
static void test_programs(void)
{
	struct bpf_insn global[] = {
		INSN(BPF_LD | BPF_IMM | BPF_DW, 1, BPF_PSEUDO_MAP_VALUE, 0, 5), INSN(0, 0, 0, 0, 16),
		INSN(BPF_ST | BPF_MEM | BPF_DW, 1, 0, 0, 42), ZERO, EXIT,
	};
	struct bpf_insn reads[] = {
		INSN(BPF_ALU64 | BPF_MOV | BPF_X, 1, 10, 0, 0), INSN(BPF_ALU64 | BPF_ADD | BPF_K, 1, 0, 0, -8),
		INSN(BPF_ALU64 | BPF_MOV | BPF_K, 2, 0, 0, 8), INSN(BPF_ALU64 | BPF_MOV | BPF_K, 3, 0, 0, 0),
		INSN(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_probe_read_kernel), EXIT,
	};

	CHECK(is_answered(questions__program(BPF_PROG_TYPE_SOCKET_FILTER, NULL, global, 5)));
	CHECK(questions__program(BPF_PROG_TYPE_SOCKET_FILTER, "mine", global, 5) == -1);
	CHECK(questions__program(BPF_PROG_TYPE_KPROBE, NULL, global, 5) == -1);
	CHECK(is_answered(questions__program(BPF_PROG_TYPE_TRACEPOINT, NULL, reads, 6)));
	CHECK(questions__program(BPF_PROG_TYPE_TRACEPOINT, "mine", reads, 6) == -1);
	CHECK(questions__program(BPF_PROG_TYPE_RAW_TRACEPOINT, NULL, reads, 6) == -1);
	/* another helper; a function of the program's own with that number */
	reads[4].imm = BPF_FUNC_probe_read_user;
	CHECK(questions__program(BPF_PROG_TYPE_TRACEPOINT, NULL, reads, 6) == -1);
	reads[4].imm = BPF_FUNC_probe_read_kernel;
	reads[4].src_reg = BPF_PSEUDO_CALL;
	CHECK(questions__program(BPF_PROG_TYPE_TRACEPOINT, NULL, reads, 6) == -1);
	CHECK(is_answered(questions__program(BPF_PROG_TYPE_KPROBE, "det_arg_ctx", nothing, 2)));
	CHECK(questions__program(BPF_PROG_TYPE_KPROBE, "det_arg", nothing, 2) == -1);
	CHECK(questions__program(BPF_PROG_TYPE_KPROBE, NULL, nothing, 2) == -1);
}

/* Whether programs can be loaded at all is asked by the program that a map is bound to in another question. */
static void test_maps(void)
{
	int map;

	CHECK(is_answered(make("libbpf_global")));
	CHECK(is_answered(make("libbpf_mmap")));
	CHECK(make("events") == REAL);
	CHECK(make(NULL) == REAL);
	CHECK(!answers_nothing());
	map = make("libbpf_det_bind");
	CHECK(map >= 0);
	CHECK(answers_nothing());
	CHECK(__wrap_bpf_prog_bind_map(7, map + 1, NULL) == REAL);
	CHECK(__wrap_bpf_prog_bind_map(7, map, NULL) == 0);
	/* the number may be another map's from now on */
	CHECK(__wrap_bpf_prog_bind_map(7, map, NULL) == REAL);
	CHECK(!answers_nothing());
	CHECK(__wrap_bpf_prog_bind_map(7, -1, NULL) == REAL);
	close(map);
}

int main(void)
{
	test_programs();
	test_maps();
	return check_done();
}
