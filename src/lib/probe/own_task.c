/* SPDX-License-Identifier: BSD-2-Clause */
#include "own_task.h"

#include <linux/bpf.h>
#include <unistd.h>

#include <bpf/bpf.h>

uint64_t own_task__address(void)
{
	static const struct bpf_insn tell[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = BPF_REG_6, .src_reg = BPF_REG_1 },
		{ .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_get_current_task },
		{ .code = BPF_STX | BPF_DW | BPF_MEM, .dst_reg = BPF_REG_6, .src_reg = BPF_REG_0 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	LIBBPF_OPTS(bpf_prog_load_opts, options, .prog_flags = BPF_F_SLEEPABLE);
	uint64_t address = 0;
	/* the context is copied back */
	LIBBPF_OPTS(bpf_test_run_opts, run, .ctx_in = &address, .ctx_size_in = sizeof(address));
	int fd = bpf_prog_load(BPF_PROG_TYPE_SYSCALL, "own_task", "GPL", tell, sizeof(tell) / sizeof(*tell), &options);

	if (fd < 0)
		return 0;
	if (bpf_prog_test_run_opts(fd, &run))
		address = 0;
	close(fd);
	return address;
}
