/* SPDX-License-Identifier: BSD-2-Clause */
/* probed: lines of real kernels' files. */
#include "check.h"
#include "lib/probe/probed.h"

static void test_kprobes(void)
{
	struct probed probed;

	CHECK(probed__parse_kprobe("ffffffff8145be44  r  do_unlinkat+0x4    [FTRACE]\n", &probed));
	CHECK_INT(probed.by, PROBED_BY_KPROBE);
	CHECK_INT((long long)probed.address, (long long)0xffffffff8145be44);
	CHECK(probed.is_return);
	CHECK_STR(probed.function, "do_unlinkat");
	CHECK_INT(probed.offset, 4);
	CHECK_STR(probed.module, NULL);
	CHECK_STR(probed.flags, "FTRACE");
	probed__clear(&probed);

	CHECK(probed__parse_kprobe("ffffffffc0400120  k  dummy_xmit+0x0  dummy [DISABLED][FTRACE]\n", &probed));
	CHECK(!probed.is_return);
	CHECK_STR(probed.module, "dummy");
	CHECK_STR(probed.flags, "DISABLED FTRACE");
	probed__clear(&probed);

	/* no flags; a function that is gone, whose symbol was not found; addresses that are hidden */
	CHECK(probed__parse_kprobe("ffffffff8137a835  k  do_sys_openat2+0x5    \n", &probed));
	CHECK_STR(probed.flags, "");
	CHECK_INT(probed.offset, 5);
	probed__clear(&probed);
	CHECK(probed__parse_kprobe("0000000000000000  k  init_once+0x0  ext4 [GONE]\n", &probed));
	CHECK_INT((long long)probed.address, 0);
	CHECK_STR(probed.flags, "GONE");
	probed__clear(&probed);

	CHECK(!probed__parse_kprobe("", &probed));
	CHECK(!probed__parse_kprobe("no kprobe\n", &probed));
}

static void test_ftrace(void)
{
	struct probed probed;

	CHECK(probed__parse_ftrace("do_unlinkat (1) R    \ttramp: 0xffffffffc0006000 (kprobe_ftrace_handler+0x0/0xf0) "
				   "->ftrace_ops_assist_func+0x0/0x110", &probed));
	CHECK_INT(probed.by, PROBED_BY_FTRACE);
	CHECK_STR(probed.function, "do_unlinkat");
	CHECK_STR(probed.module, NULL);
	CHECK_INT(probed.ops, 1);
	CHECK_STR(probed.flags, "R");
	CHECK_STR(probed.trampoline, "tramp: 0xffffffffc0006000 (kprobe_ftrace_handler) ->ftrace_ops_assist_func");
	probed__clear(&probed);

	CHECK(probed__parse_ftrace("filename_rmdir (2)            ->arch_ftrace_ops_list_func+0x0/0x220", &probed));
	CHECK_INT(probed.ops, 2);
	CHECK_STR(probed.flags, "");
	CHECK_STR(probed.trampoline, "->arch_ftrace_ops_list_func");
	probed__clear(&probed);

	CHECK(probed__parse_ftrace("dummy_xmit [dummy] (1) R   D   M \ttramp: ftrace_regs_caller+0x0/0x61 "
				   "(call_direct_funcs+0x0/0x20)", &probed));
	CHECK_STR(probed.function, "dummy_xmit");
	CHECK_STR(probed.module, "dummy");
	CHECK_STR(probed.flags, "R D M");
	CHECK_STR(probed.trampoline, "tramp: ftrace_regs_caller (call_direct_funcs)");
	probed__clear(&probed);

	CHECK(!probed__parse_ftrace("\tdirect-->bpf_trampoline_31505_1+0x0/0x1000", &probed));
	CHECK(!probed__parse_ftrace("#### all functions enabled ####", &probed));
	CHECK(!probed__parse_ftrace("", &probed));
}

static void test_events(void)
{
	struct probed probed;

	CHECK(probed__parse_event("r256:probelight/r215_1_do_unlinkat do_unlinkat", &probed));
	CHECK_INT(probed.by, PROBED_BY_EVENT);
	CHECK(probed.is_return);
	CHECK_STR(probed.event, "probelight/r215_1_do_unlinkat");
	CHECK_STR(probed.function, "do_unlinkat");
	probed__clear(&probed);
	CHECK(probed__parse_event("p:kprobes/libbpf_12_dummy_xmit_0x0_0 dummy:dummy_xmit+16 arg1=%di", &probed));
	CHECK(!probed.is_return);
	CHECK_STR(probed.function, "dummy_xmit");
	CHECK_STR(probed.module, "dummy");
	CHECK_INT(probed.offset, 16);
	probed__clear(&probed);
	CHECK(!probed__parse_event("", &probed));
	CHECK(!probed__parse_event("p:kprobes/by_address", &probed));
}

int main(void)
{
	test_kprobes();
	test_ftrace();
	test_events();
	return check_done();
}
