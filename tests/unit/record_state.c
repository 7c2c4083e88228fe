/* SPDX-License-Identifier: BSD-2-Clause */
/* The state of a CPU in a record of ftrace: its parts, and the kernel's letters for them. */
#include <stdint.h>

#include "check.h"
#include "lib/ftrace/record_state.h"
#include "lib/kernel/kernel.h"

/* flags, count: as in struct trace_entry; what trace_print_lat_fmt() writes of them */
static void is_written(unsigned int version, unsigned int flags, unsigned int count, const char *letters)
{
	struct record_state state = record_state__decode((uint16_t)(flags | count << 8), version);
	char written[RECORD_STATE_LETTERS + 1] = "";

	record_state__write(&state, written);
	CHECK_STR(written, letters);
}

static void new_kernels(void)
{
	const unsigned int version = kernel_version(7, 3, 0);

	is_written(version, 0, 0, ".....");
	is_written(version, 0x01, 0x02, "d..2.");
	is_written(version, 0x81, 0, "D....");
	is_written(version, 0x80, 0, "b....");
	is_written(version, 0x04, 0, ".n...");
	is_written(version, 0x20, 0, ".p...");
	is_written(version, 0x24, 0, ".N...");
	is_written(version, 0x02, 0, ".l...");
	is_written(version, 0x22, 0, ".L...");
	is_written(version, 0x06, 0, ".b...");
	is_written(version, 0x26, 0, ".B...");
	is_written(version, 0x10, 0x01, "..s1.");
	is_written(version, 0x09, 0, "d.h..");
	is_written(version, 0x19, 0, "d.H..");
	is_written(version, 0x41, 0, "d.z..");
	is_written(version, 0x49, 0, "d.Z..");
	is_written(version, 0x51, 0, "d.z..");
	is_written(version, 0, 0x1f, "...f1");
	is_written(version, 0, 0xf0, "....f");
}

/* 5.10 counts no migrate_disable(), and has its own bit for the lazy kind on rt. */
static void old_kernels(void)
{
	const unsigned int version = kernel_version(5, 10, 0);

	is_written(version, 0x01, 0x02, "d..2-");
	is_written(version, 0, 0x12, "...f-");
	is_written(version, 0x80, 0, ".l..-");
	is_written(version, 0x24, 0, ".N..-");
}

static void is_read_from_a_record(void)
{
	static const unsigned char record[] = { 0x3a, 0x01, 0x11, 0x23, 4, 0, 0, 0 };
	struct record_state state = record_state__decode(record_state__of(record), kernel_version(6, 1, 0));

	CHECK(state.irqs_off && !state.bh_off && state.knows_bh_off && state.knows_migrate_depth);
	CHECK_INT(state.interrupt, RECORD_IN_SOFTIRQ);
	CHECK_INT(state.preempt_depth, 3);
	CHECK_INT(state.migrate_depth, 2);
}

int main(void)
{
	new_kernels();
	old_kernels();
	is_read_from_a_record();
	return check_done();
}
