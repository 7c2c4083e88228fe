/* SPDX-License-Identifier: BSD-2-Clause */
#include "lockdown.h"

#include <linux/bpf.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "file.h"

#define LOCKDOWN "/sys/kernel/security/lockdown"

static const char why[] = "this kernel is locked down (confidentiality) and does not permit tracing (boot it with "
			  "lockdown=integrity)";

/* "none [integrity] confidentiality": the mode in brackets is the current one (lockdown_read(), security/lockdown/lockdown.c). */
const char *lockdown__why(void)
{
	char modes[128];

	return file__read_small(LOCKDOWN, modes, sizeof(modes)) > 0 && strstr(modes, "[confidentiality]") ? why : NULL;
}

/* Whether a program loads that calls a helper on its stack; 0: one that calls none. */
static bool loads(int helper)
{
	const struct bpf_insn program[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = BPF_REG_1, .src_reg = BPF_REG_10 },
		{ .code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = BPF_REG_1, .imm = -8 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_2, .imm = 8 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_3, .imm = 0 },
		/* a jump to the next instruction where there is no helper to call */
		helper ? (struct bpf_insn){ .code = BPF_JMP | BPF_CALL, .imm = helper } :
			 (struct bpf_insn){ .code = BPF_JMP | BPF_JA },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = 0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	int fd = bpf_prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, "probelight_ask", "GPL", program,
			       sizeof(program) / sizeof(*program), NULL);

	if (fd < 0)
		return false;
	close(fd);
	return true;
}

const char *lockdown__why_failed(void)
{
	if (!file__may(LOCKDOWN, R_OK))
		return lockdown__why();
	/* LOCKDOWN_BPF_READ_KERNEL in include/linux/security.h; the first once more: any may fail where memory is short */
	return loads(0) && !loads(BPF_FUNC_probe_read_kernel) && loads(0) ? why : NULL;
}
