/* SPDX-License-Identifier: BSD-2-Clause */
#include "trampoline.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "lib/kernel/kernel.h"
#include "tracing.h"

/* At its return, which the kernel refuses more often than at its entry. */
static int load_trial(uint32_t id)
{
	static const struct bpf_insn nothing[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	LIBBPF_OPTS(bpf_prog_load_opts, options, .expected_attach_type = BPF_TRACE_FEXIT, .attach_btf_id = id);
	int fd = bpf_prog_load(BPF_PROG_TYPE_TRACING, NULL, "GPL", nothing, 2, &options);

	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

/*
 * Of a function that does not return the trampoline's memory is never given back.  The kernel refuses these since 6.16 (cfe816d469dc,
 * noreturn_deny in kernel/bpf/verifier.c).
 */
bool trampoline__returns(const char *function)
{
	static const char *const never[] = {
		"do_exit", "do_group_exit", "do_task_dead", "kthread_complete_and_exit", "kthread_exit", "make_task_dead", "panic",
		"rewind_stack_and_make_dead",
	};
	/* whatever stands before, by architecture and ABI */
	const char *call = strstr(function, "_sys_exit");

	if (call && (!call[9] || !strcmp(call + 9, "_group")))
		return false;

	for (size_t i = 0; i < sizeof(never) / sizeof(*never); i++)
		if (!strcmp(function, never[i]))
			return false;
	return true;
}

int trampoline__check(const char *const *functions, size_t count, uint32_t *ids, char *why, size_t size)
{
	int err;

	if (kernel__version() < kernel_version(5, 12, 0)) {
		snprintf(why, size, "before Linux 5.12 a call that sleeps while fexit programs are removed returns to memory that was given "
			 "back");
		return -EOPNOTSUPP;
	}
	for (size_t i = 0; i < count; i++) {
		if (!trampoline__returns(functions[i])) {
			snprintf(why, size, "%s does not return", functions[i]);
			return -EINVAL;
		}
	}
	err = tracing__find_ids(functions, count, false, ids);
	if (err)
		snprintf(why, size, "the kernel's BTF cannot be read: %s", strerror(-err));
	for (size_t i = 0; i < count && !err; i++) {
		if (ids[i] && ids[i] != TRACING_ID_AMBIGUOUS) {
			err = load_trial(ids[i]);
			if (err)
				snprintf(why, size, "the kernel takes no fexit program on %s: %s", functions[i], strerror(-err));
		} else {
			err = -ENOENT;
			snprintf(why, size, ids[i] ? "the kernel's BTF has more than one %s" : "the kernel's BTF has no %s", functions[i]);
		}
	}
	return err;
}
