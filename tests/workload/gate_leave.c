/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * gate_leave FOLDER: leaves a BPF program, a map and a link behind, pinned in FOLDER (of a bpf file system), so that the
 * search for what tools leave behind can be seen to find them.  Removing the files removes them.
 */
#include <linux/bpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int bpf(int command, union bpf_attr *attr)
{
	int result = (int)syscall(SYS_bpf, command, attr, sizeof(*attr));

	if (result < 0) {
		perror("bpf");
		exit(1);
	}
	return result;
}

static void pin(int fd, const char *folder, const char *name)
{
	char path[256];
	union bpf_attr attr = { .pathname = (__u64)(unsigned long)path, .bpf_fd = (__u32)fd };

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	bpf(BPF_OBJ_PIN, &attr);
}

int main(int argc, char **argv)
{
	const struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0, .imm = 0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	union bpf_attr prog = {
		.prog_type = BPF_PROG_TYPE_RAW_TRACEPOINT,
		.insn_cnt = sizeof(insns) / sizeof(*insns),
		.insns = (__u64)(unsigned long)insns,
		.license = (__u64)(unsigned long)"GPL",
		.prog_name = "left_prog",
	};
	union bpf_attr map = {
		.map_type = BPF_MAP_TYPE_ARRAY, .key_size = 4, .value_size = 4, .max_entries = 1, .map_name = "left_map",
	};
	union bpf_attr link = { .raw_tracepoint = { .name = (__u64)(unsigned long)"sched_process_fork" } };

	if (argc != 2)
		return 2;
	link.raw_tracepoint.prog_fd = (__u32)bpf(BPF_PROG_LOAD, &prog);
	pin((int)link.raw_tracepoint.prog_fd, argv[1], "left_prog");
	pin(bpf(BPF_MAP_CREATE, &map), argv[1], "left_map");
	pin(bpf(BPF_RAW_TRACEPOINT_OPEN, &link), argv[1], "left_link");
	return 0;
}
