/* SPDX-License-Identifier: BSD-2-Clause */
#include "trampoline.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "lib/kernel/kernel.h"
#include "lib/kernel/machine.h"
#include "lib/print/error.h"
#include "shared_names.h"
#include "tracing.h"

#define ENOTSUPP_KERNEL 524	/* ENOTSUPP of the kernel's own numbers (include/linux/errno.h) */

/* At its return, which the kernel refuses more often than at its entry.  It is attached where only that tells. */
static int load_trial(uint32_t id)
{
	static const struct bpf_insn nothing[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	LIBBPF_OPTS(bpf_prog_load_opts, options, .expected_attach_type = BPF_TRACE_FEXIT, .attach_btf_id = id);
	int fd = bpf_prog_load(BPF_PROG_TYPE_TRACING, NULL, "GPL", nothing, 2, &options);

	int link, err = 0;

	if (fd < 0)
		return -errno;
	if (machine__loads_in_vain()) {
		link = bpf_raw_tracepoint_open(NULL, fd);
		if (link < 0)
			err = -errno;
		else
			close(link);
	}
	close(fd);
	return err;
}

/*
 * Of a function that does not return the trampoline's memory is never given back.  The kernel refuses some since 6.16 (cfe816d469dc,
 * noreturn_deny in kernel/bpf/verifier.c).  These are those of 5.10 to 7.3 that can be traced (tools/objtool/noreturns.h), and kthread(),
 * which calls the thread's function.
 */
bool trampoline__returns(const char *function)
{
	static const char *const never[] = {
		"__fortify_panic", "__module_put_and_exit", "__module_put_and_kthread_exit", "__stack_chk_fail", "acpi_processor_ffh_play_dead",
		"arch_cpu_idle_dead", "complete_and_exit", "cpu_startup_entry", "do_exit", "do_group_exit", "do_task_dead", "fortify_panic",
		"hlt_play_dead", "kthread", "kthread_complete_and_exit", "kthread_exit", "machine_real_restart", "make_task_dead",
		"mwait_play_dead", "nmi_panic_self_stop", "panic", "panic_smp_self_stop", "rewind_stack_and_make_dead", "rewind_stack_do_exit",
		"stop_this_cpu", "usercopy_abort", "vpanic",
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

/*
 * Since 5.12 the kernel sees to it that a program on a trampoline is alone on its CPU (ca06f55b9002), and keeps what a
 * trampoline's caller returns to (e21aa341785c).  --as-kernel does not make it newer: without these the machine would crash.
 */
static bool is_5_12(void)
{
	return kernel__version() >= kernel_version(5, 12, 0) && kernel__own_version() >= kernel_version(5, 12, 0);
}

bool trampoline__needs_alone(struct bpf_map *alone_map, bool used)
{
	bool needs = used && !is_5_12();
	int cpus = needs ? libbpf_num_possible_cpus() : 1;

	bpf_map__set_autocreate(alone_map, needs);
	/* where their number is not known: calls on other CPUs are missed */
	bpf_map__set_max_entries(alone_map, cpus < 1 ? 1 : (uint32_t)cpus);
	return needs;
}

/*
 * The functions' ids, and whether the kernel has e21aa341785c: bpf_tramp_image_put() came with it, also to releases of 5.10,
 * such as 5.10.223.
 */
static int find_ids(const char *const *functions, size_t count, uint32_t *ids, bool *keeps_image)
{
	const char **names = calloc(count + 1, sizeof(*names));
	uint32_t *found = calloc(count + 1, sizeof(*found));
	int err = names && found ? 0 : -ENOMEM;

	if (!err) {
		memcpy(names, functions, count * sizeof(*names));
		names[count] = "bpf_tramp_image_put";
		err = tracing__find_ids(names, count + 1, true, found);
	}
	if (!err) {
		memcpy(ids, found, count * sizeof(*ids));
		*keeps_image = is_5_12() || found[count];
	}
	free(names);
	free(found);
	return err;
}

/* The kernel's BTF has functions of one name once where they take the same, and a program would be on the first one. */
static int check_shared_name(const char *function, struct fault *fault)
{
	int has = shared_names__has(function);

	if (has < 0)
		return fault__set(fault, has, "/proc/kallsyms cannot be read: %s", strerror(-has));
	return has ? fault__set(fault, -EADDRNOTAVAIL, "the kernel has more than one function %s", function) : 0;
}

/* On machine__loads_in_vain().  what: programs of which kind. */
static int refuse_all(const char *what, struct fault *fault)
{
	return fault__set(fault, -ENOTSUPP_KERNEL, "this kernel attaches no %s (arm64 does since Linux 6.4, with "
			  "CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS)", what);
}

int trampoline__check_id(uint32_t id, struct fault *fault)
{
	if (!machine__loads_in_vain() || load_trial(id) != -ENOTSUPP_KERNEL)
		return 0;
	return refuse_all("programs to hooks of the security modules", fault);
}

int trampoline__check(const char *const *functions, size_t count, uint32_t *ids, struct fault *fault)
{
	char name[ERROR_NAME_MAX];
	bool keeps_image = false;
	int err;

	/*
	 * another task's program may come between the lines of bpf/alone.bpf.h there, and rcu_read_unlock() is a function
	 * with much in it
	 */
	if (!is_5_12() && kernel__is_preemptible())
		return fault__set(fault, -EOPNOTSUPP,
				  "before Linux 5.12 a program on a function that it calls itself would run without end, where the kernel "
				  "preempts its own code");
	for (size_t i = 0; i < count; i++) {
		if (!trampoline__returns(functions[i]))
			return fault__set(fault, -EINVAL, "%s does not return", functions[i]);
	}
	err = find_ids(functions, count, ids, &keeps_image);
	if (err)
		return fault__set(fault, err, "the kernel's BTF cannot be read: %s", strerror(-err));
	/* where such programs are refused anyway, the trial says so */
	if (!keeps_image && !machine__loads_in_vain())
		return fault__set(fault, -EOPNOTSUPP,
				  "a call that sleeps while fexit programs are removed returns to memory that was given back (mended in Linux 5.12, "
				  "and in late releases of 5.10)");
	for (size_t i = 0; i < count && !err; i++) {
		if (ids[i] && ids[i] != TRACING_ID_AMBIGUOUS) {
			err = load_trial(ids[i]);
			if (err == -ENOTSUPP_KERNEL && machine__loads_in_vain())
				refuse_all("fentry and fexit programs", fault);
			else if (err)
				fault__set(fault, err, "the kernel takes no fexit program on %s: %s", functions[i],
					   error__name(-err, name));
			else
				err = check_shared_name(functions[i], fault);
		} else {
			err = ids[i] ? fault__set(fault, -ENOENT, "the kernel's BTF has more than one %s", functions[i]) :
				       fault__set(fault, -ENOENT, "the kernel's BTF has no %s with at most %u parameters, which is what a program "
						  "on a trampoline gets", functions[i], machine__trampoline_args(kernel__version()));
		}
	}
	return err;
}
