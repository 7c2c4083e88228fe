/* SPDX-License-Identifier: BSD-2-Clause */
#include "pointer_chain.h"

/* What is called with r1 to r3 to read what is behind a hop. */
static void call_read(struct emit *emit, const struct format_hops *hops, unsigned int hop, bool is_text)
{
	int user = is_text ? BPF_FUNC_probe_read_user_str : BPF_FUNC_probe_read_user;
	int kernel = is_text ? BPF_FUNC_probe_read_kernel_str : BPF_FUNC_probe_read_kernel;
	emit_label is_kernel, done;

	if (hops->user & 1 << hop) {
		emit__call(emit, user);
		return;
	}
	if (!is_text && !hops->any_space) {
		emit__call(emit, kernel);
		return;
	}
	is_kernel = emit__label(emit);
	done = emit__label(emit);
	/* the upper half of the addresses is the kernel's, on all machines that we build for */
	emit__jump(emit, BPF_JSLT, BPF_REG_3, 0, is_kernel);
	emit__call(emit, user);
	emit__go(emit, done);
	emit__place(emit, is_kernel);
	emit__call(emit, kernel);
	emit__place(emit, done);
}

/* Reads a word at r3 to r3, by way of the slot. */
static void read_word(struct emit *emit, const struct format_hops *hops, unsigned int hop, int slot, emit_label fault)
{
	emit__copy(emit, BPF_REG_1, BPF_REG_10);
	emit__alu(emit, BPF_ADD, BPF_REG_1, slot);
	emit__set(emit, BPF_REG_2, 8);
	call_read(emit, hops, hop, false);
	emit__jump(emit, BPF_JNE, BPF_REG_0, 0, fault);
	emit__load(emit, BPF_REG_3, BPF_REG_10, slot, 8);
}

/* Writes r3 = the address of this CPU's variable. */
static void put_this_cpu(struct emit *emit, const struct format_hops *hops, int slot, emit_label fault)
{
	static const struct format_hops of_kernel;

	emit__call(emit, BPF_FUNC_get_smp_processor_id);
	/* 32 bits, times 8 */
	emit__alu(emit, BPF_LSH, BPF_REG_0, 32);
	emit__alu(emit, BPF_RSH, BPF_REG_0, 29);
	emit__set(emit, BPF_REG_3, hops->offsets_address);
	emit__alu_reg(emit, BPF_ADD, BPF_REG_3, BPF_REG_0);
	read_word(emit, &of_kernel, 0, slot, fault);
	emit__set(emit, BPF_REG_1, hops->address);
	emit__alu_reg(emit, BPF_ADD, BPF_REG_3, BPF_REG_1);
}

void pointer_chain__address(struct emit *emit, const struct format_hops *hops, int offset, int ctx, int slot, emit_label fault)
{
	if (hops->base == FORMAT_CONSTANT)
		emit__set(emit, BPF_REG_3, hops->address);
	else if (hops->base == FORMAT_THIS_CPU)
		put_this_cpu(emit, hops, slot, fault);
	else
		emit__load(emit, BPF_REG_3, ctx, offset, 8);
	for (unsigned int i = 0; i < hops->count; i++) {
		if (hops->offsets[i])
			emit__alu(emit, BPF_ADD, BPF_REG_3, hops->offsets[i]);
		if (i + 1 < hops->count)
			read_word(emit, hops, i, slot, fault);
	}
}

void pointer_chain__read(struct emit *emit, const struct format_hops *hops, int to, int offset, unsigned int size)
{
	if (hops->is_address) {
		emit__store(emit, to, offset, BPF_REG_3, size);
		emit__set(emit, BPF_REG_0, 0);
		return;
	}
	emit__copy(emit, BPF_REG_1, to);
	emit__alu(emit, BPF_ADD, BPF_REG_1, offset);
	emit__set(emit, BPF_REG_2, size);
	call_read(emit, hops, hops->count - 1, false);
}

void pointer_chain__take_bits(struct emit *emit, const struct format_hops *hops, int reg, bool is_signed)
{
	if (!hops->bits)
		return;
	emit__alu(emit, BPF_LSH, reg, 64 - hops->shift - hops->bits);
	emit__alu(emit, is_signed ? BPF_ARSH : BPF_RSH, reg, 64 - hops->bits);
}

void pointer_chain__read_text(struct emit *emit, const struct format_hops *hops)
{
	call_read(emit, hops, hops->count - 1, true);
}
