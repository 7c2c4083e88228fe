/* SPDX-License-Identifier: BSD-2-Clause */
#include "pointer_chain.h"

void pointer_chain__address(struct emit *emit, const struct format_hops *hops, int offset, int ctx, int slot, emit_label fault)
{
	emit__load(emit, BPF_REG_3, ctx, offset, 8);
	for (unsigned int i = 0; i < hops->count; i++) {
		if (hops->offsets[i])
			emit__alu(emit, BPF_ADD, BPF_REG_3, hops->offsets[i]);
		if (i + 1 == hops->count)
			return;
		emit__copy(emit, BPF_REG_1, BPF_REG_10);
		emit__alu(emit, BPF_ADD, BPF_REG_1, slot);
		emit__set(emit, BPF_REG_2, 8);
		emit__call(emit, BPF_FUNC_probe_read_kernel);
		emit__jump(emit, BPF_JNE, BPF_REG_0, 0, fault);
		emit__load(emit, BPF_REG_3, BPF_REG_10, slot, 8);
	}
}

void pointer_chain__take_bits(struct emit *emit, const struct format_hops *hops, int reg, bool is_signed)
{
	if (!hops->bits)
		return;
	emit__alu(emit, BPF_LSH, reg, 64 - hops->shift - hops->bits);
	emit__alu(emit, is_signed ? BPF_ARSH : BPF_RSH, reg, 64 - hops->bits);
}

void pointer_chain__read_text(struct emit *emit)
{
	emit_label is_kernel = emit__label(emit), done = emit__label(emit);

	/* the upper half of the addresses is the kernel's, on all machines that we build for */
	emit__jump(emit, BPF_JSLT, BPF_REG_3, 0, is_kernel);
	emit__call(emit, BPF_FUNC_probe_read_user_str);
	emit__go(emit, done);
	emit__place(emit, is_kernel);
	emit__call(emit, BPF_FUNC_probe_read_kernel_str);
	emit__place(emit, done);
}
