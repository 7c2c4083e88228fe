/* SPDX-License-Identifier: BSD-2-Clause */
/* The object that tests/unit/layout.c reads the relocations of.  Never loaded. */
typedef unsigned char __u8;
typedef unsigned short __u16;
typedef short __s16;
typedef unsigned int __u32;
typedef int __s32;
typedef unsigned long long __u64;
typedef long long __s64;
typedef __u16 __be16;
typedef __u32 __be32;
typedef __u32 __wsum;

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#define KERNEL __attribute__((preserve_access_index))

long sink;

/* ---- events */

struct tp_sched__sched_switch {
	char prev_comm[16];
	__s32 prev_pid;
	__s64 prev_state;
	__s32 next_pid;
	__u32 not_read;
} KERNEL;

SEC("tp/sched/sched_switch")
int sched_switch(struct tp_sched__sched_switch *ctx)
{
	char comm[16];

	bpf_probe_read_kernel(comm, sizeof(comm), ctx->prev_comm);
	sink = comm[0] + ctx->prev_state + ctx->next_pid + ctx->prev_comm[2];
	return 0;
}

struct tp_syscalls__sys_enter_openat {
	__s32 __syscall_nr;
	__s32 dfd;
	const char *filename;
	__s32 flags;
	__u16 mode;
} KERNEL;

SEC("tp/syscalls/sys_enter_openat")
int enter_openat(struct tp_syscalls__sys_enter_openat *ctx)
{
	sink = ctx->__syscall_nr + ctx->dfd + (long)ctx->filename + ctx->flags + ctx->mode;
	return 0;
}

struct tp_syscalls__sys_exit_openat {
	__s32 __syscall_nr;
	__s64 ret;
} KERNEL;

SEC("tp/syscalls/sys_exit_openat")
int exit_openat(struct tp_syscalls__sys_exit_openat *ctx)
{
	sink = ctx->ret;
	return 0;
}

struct tp_sample_trace__foo_rel_loc {
	__u32 __rel_loc_foo;
	__s32 bar;
	__u32 __rel_loc_bitmask;
	__u32 __rel_loc_cpumask;
} KERNEL;

SEC("tp/sample-trace/foo_rel_loc")
int foo_rel_loc(struct tp_sample_trace__foo_rel_loc *ctx)
{
	sink = ctx->__rel_loc_foo + ctx->bar + ctx->__rel_loc_bitmask + ctx->__rel_loc_cpumask;
	return 0;
}

/* two fields have the same name on 5.10 */
struct tp_regmap__regcache_sync {
	__u32 __data_loc_type;
	__s32 type;
} KERNEL;

SEC("tp/regmap/regcache_sync")
int regcache_sync(struct tp_regmap__regcache_sync *ctx)
{
	sink = ctx->__data_loc_type + ctx->type;
	return 0;
}

struct tp_sched__sched_wakeup {
	__s32 pid;
	__s32 success;		/* gone since 5.17 */
	__s32 colour;		/* never was */
	__s32 common_pid;
	__u8 prio[4];		/* is no array */
	__s64 target_cpu;	/* is an int */
} KERNEL;

SEC("tp/sched/sched_wakeup")
int wakeup_missing(struct tp_sched__sched_wakeup *ctx)
{
	sink = ctx->pid + ctx->colour;
	return 0;
}

SEC("tp/sched/sched_wakeup")
int wakeup_tested(struct tp_sched__sched_wakeup *ctx)
{
	if (bpf_core_field_exists(ctx->success))
		sink = ctx->success;
	else
		sink = ctx->pid;
	return 0;
}

SEC("tp/sched/sched_wakeup")
int wakeup_common(struct tp_sched__sched_wakeup *ctx)
{
	sink = ctx->common_pid;
	return 0;
}

SEC("tp/sched/sched_wakeup")
int wakeup_kind(struct tp_sched__sched_wakeup *ctx)
{
	sink = ctx->prio[1];
	return 0;
}

SEC("tp/sched/sched_wakeup")
int wakeup_size(struct tp_sched__sched_wakeup *ctx)
{
	sink = ctx->target_cpu;
	return 0;
}

struct tp_sched__sched_wakeup___older {
	__s32 colour;
} KERNEL;

SEC("tp/sched/sched_wakeup")
int wakeup_flavour(struct tp_sched__sched_wakeup *ctx)
{
	sink = ((struct tp_sched__sched_wakeup___older *)ctx)->colour;
	return 0;
}

struct tp_sched__sched_swich {
	__s32 pid;
} KERNEL;

SEC("tp/sched/sched_swich")
int no_event(struct tp_sched__sched_swich *ctx)
{
	sink = ctx->pid;
	return 0;
}

struct tp_ftrace__function {
	__u64 ip;
	__u64 args[];
} KERNEL;

SEC("tp/ftrace/function")
int flexible(struct tp_ftrace__function *ctx)
{
	sink = ctx->args[5];
	return 0;
}

/* ---- programs on other events than the one whose struct they read */

SEC("tp/sched/sched_switch")
int reads_other(struct tp_sched__sched_wakeup *ctx)
{
	sink = ctx->pid;
	return 0;
}

SEC("tracepoint/syscalls/sys_exit_openat")
int reads_entry(struct tp_syscalls__sys_enter_openat *ctx)
{
	sink = ctx->flags;
	return 0;
}

SEC("raw_tp/sched_wakeup")
int reads_raw(struct tp_sched__sched_wakeup *ctx)
{
	sink = ctx->pid;
	return 0;
}

/* reads its own record, and asks about another one */
SEC("tp/sched/sched_switch")
int asks_other(struct tp_sched__sched_switch *ctx)
{
	if (bpf_core_field_exists(((struct tp_sched__sched_wakeup *)0)->success))
		sink = ctx->next_pid;
	return 0;
}

static __attribute__((noinline)) int pid_of_wakeup(struct tp_sched__sched_wakeup *ctx)
{
	return sink = ctx->pid;
}

static __attribute__((noinline)) int pid_twice(struct tp_sched__sched_wakeup *ctx)
{
	return pid_of_wakeup(ctx) + (int)sink;
}

SEC("tp/sched/sched_wakeup")
int calls_reader(struct tp_sched__sched_wakeup *ctx)
{
	return pid_twice(ctx);
}

SEC("tp/sched/sched_wakeup_new")
int calls_reader_of_other(void *ctx)
{
	return pid_twice(ctx);
}

static int each_of_wakeup(__u32 index, void *ctx)
{
	return ((struct tp_sched__sched_wakeup *)ctx)->pid == (int)index;
}

SEC("tp/sched/sched_migrate_task")
int loops_with_reader_of_other(void *ctx)
{
	return (int)bpf_loop(3, each_of_wakeup, ctx, 0);
}

/* the loader names the event */
SEC("tp")
int bare(struct tp_sched__sched_wakeup *ctx)
{
	sink = ctx->pid;
	return 0;
}

SEC("tp")
int bare_without_record(void *ctx)
{
	sink = 1;
	return 0;
}

/* ---- kernel types; tests/unit/layout.c makes the kernel's side of them */

enum colour {
	RED = 1,
	GREEN = 2,
	BLUE___new = 3,
};

struct inner {
	int before;
	long value;
};

struct thing {
	int id;
	struct inner inner;
	struct inner array[2];
	struct thing *next;
	union {
		int as_int;
		struct {
			short low, high;
		};
	};
	unsigned int flag : 1;
	unsigned int bits : 3;
	enum colour colour;
	int missing;
} KERNEL;

struct absent {
	int x;
} KERNEL;

typedef struct {
	int counter;
} KERNEL count_t;

struct thing___old {
	int missing;
} KERNEL;

SEC("kprobe")
int kernel_fields(void *ctx)
{
	struct thing *thing = (void *)bpf_get_current_task();

	sink = BPF_CORE_READ(thing, id);
	sink = BPF_CORE_READ(thing, inner.value);
	sink = BPF_CORE_READ(thing, array[1].value);
	sink = BPF_CORE_READ(thing, next, as_int);
	sink = BPF_CORE_READ(thing, high);
	sink = BPF_CORE_READ_BITFIELD_PROBED(thing, bits);
	sink = BPF_CORE_READ(thing, colour);
	sink = bpf_core_type_size(struct inner);
	sink = bpf_core_field_size(thing->inner);
	return 0;
}

SEC("kprobe")
int kernel_enums(void *ctx)
{
	sink = bpf_core_enum_value(enum colour, GREEN);
	if (bpf_core_enum_value_exists(enum colour, BLUE___new))
		sink = bpf_core_enum_value(enum colour, BLUE___new);
	return 0;
}

SEC("kprobe")
int kernel_typedef(void *ctx)
{
	count_t *count = (void *)bpf_get_current_task();

	sink = BPF_CORE_READ(count, counter);
	return 0;
}

SEC("kprobe")
int kernel_missing(void *ctx)
{
	struct thing *thing = (void *)bpf_get_current_task();

	sink = BPF_CORE_READ(thing, missing);
	return 0;
}

/* a part of a type is no form that it may not have */
struct thing___part {
	int id;
	int missing;
} KERNEL;

SEC("kprobe")
int kernel_part(void *ctx)
{
	struct thing___part *thing = (void *)bpf_get_current_task();

	sink = BPF_CORE_READ(thing, id);
	return 0;
}

SEC("kprobe")
int kernel_part_missing(void *ctx)
{
	struct thing___part *thing = (void *)bpf_get_current_task();

	sink = BPF_CORE_READ(thing, missing);
	return 0;
}

SEC("kprobe")
int kernel_tested(void *ctx)
{
	struct thing *thing = (void *)bpf_get_current_task();

	if (bpf_core_field_exists(thing->missing))
		sink = BPF_CORE_READ(thing, missing);
	if (bpf_core_type_exists(struct absent))
		sink = BPF_CORE_READ((struct absent *)thing, x);
	sink = BPF_CORE_READ((struct thing___old *)thing, missing);
	return 0;
}

SEC("kprobe")
int kernel_absent(void *ctx)
{
	struct absent *absent = (void *)bpf_get_current_task();

	sink = BPF_CORE_READ(absent, x);
	return 0;
}

SEC("kprobe")
int kernel_no_enumerator(void *ctx)
{
	sink = bpf_core_enum_value(enum colour, RED);
	return 0;
}

SEC("kprobe")
int kernel_id(void *ctx)
{
	sink = bpf_core_type_id_kernel(struct thing);
	return 0;
}

/* of both sides: their layout is agreed */
struct pt_regs {
	unsigned long r15, r14, di;
} KERNEL;

SEC("kprobe")
int agreed(struct pt_regs *ctx)
{
	sink = ctx->di;
	return 0;
}

static __attribute__((noinline)) int subprogram(struct thing *thing)
{
	return BPF_CORE_READ(thing, missing);
}

SEC("kprobe")
int calls_subprogram(void *ctx)
{
	sink = subprogram((void *)bpf_get_current_task());
	return 0;
}

/* not the first one of .text */
static __attribute__((noinline)) int next_subprogram(unsigned long number)
{
	sink = number;
	return (int)sink + 1;
}

__attribute__((noinline)) int global_subprogram(unsigned long number)
{
	sink = number;
	return (int)sink + 2;
}

SEC("kretprobe")
int calls_three(void *ctx)
{
	unsigned long number = bpf_get_current_pid_tgid();

	sink = next_subprogram(number);
	if (sink)
		sink = subprogram((void *)bpf_get_current_task());
	sink = global_subprogram(number);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
