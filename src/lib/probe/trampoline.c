/* SPDX-License-Identifier: BSD-2-Clause */
#include "trampoline.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "lib/kernel/kernel.h"
#include "lib/layout/rawbtf.h"

/* The types of the functions by name; 0: there is none yet, -1: more than one. */
struct types {
	const struct rawbtf *raw;
	const char *const *functions;
	size_t count;
	int ids[TRAMPOLINE_MAX];
};

static int note_type(void *context, __u32 id, const struct btf_type *type)
{
	struct types *types = context;
	const char *name = rawbtf__string(types->raw, type->name_off);

	for (size_t i = 0; i < types->count; i++)
		if (!strcmp(types->functions[i], name))
			types->ids[i] = types->ids[i] ? -1 : (int)id;
	return 0;
}

/* At its return, which the kernel refuses more often than at its entry. */
static int load_trial(int id)
{
	static const struct bpf_insn nothing[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	LIBBPF_OPTS(bpf_prog_load_opts, options, .expected_attach_type = BPF_TRACE_FEXIT, .attach_btf_id = (__u32)id);
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
static bool returns(const char *function)
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

int trampoline__check(const char *const *functions, size_t count, char *why, size_t size)
{
	struct types types = { .functions = functions, .count = count };
	struct rawbtf *raw;
	int err;

	if (count > TRAMPOLINE_MAX)
		return -E2BIG;
	if (kernel__version() < kernel_version(5, 12, 0)) {
		snprintf(why, size, "before Linux 5.12 a call that sleeps while fexit programs are removed returns to memory that was given "
			 "back");
		return -EOPNOTSUPP;
	}
	for (size_t i = 0; i < count; i++) {
		if (!returns(functions[i])) {
			snprintf(why, size, "%s does not return", functions[i]);
			return -EINVAL;
		}
	}
	err = rawbtf__open(&raw, "/sys/kernel/btf/vmlinux");
	if (err) {
		snprintf(why, size, "the kernel's BTF cannot be read: %s", strerror(-err));
		return err;
	}
	types.raw = raw;
	err = rawbtf__scan(raw, functions, count, 1ull << BTF_KIND_FUNC, note_type, &types);
	for (size_t i = 0; i < count && !err; i++) {
		if (types.ids[i] > 0) {
			err = load_trial(types.ids[i]);
			if (err)
				snprintf(why, size, "the kernel takes no fexit program on %s: %s", functions[i], strerror(-err));
		} else {
			err = -ENOENT;
			snprintf(why, size, types.ids[i] ? "the kernel's BTF has more than one %s" : "the kernel's BTF has no %s",
				 functions[i]);
		}
	}
	rawbtf__free(raw);
	return err;
}
