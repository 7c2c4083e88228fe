/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * In the guest: attaches each program of hooks.bpf.c in turn, and prints "KIND CALL ATTACH DETACH": what one call costs
 * more with it than without, and what attaching and detaching take, in nanoseconds (instructions, where the guest
 * counts them). "KIND -" where the kernel has no such hook.  Of perf_event and perf_event_stacks a call is a sample of the
 * CPU's clock, the interrupt with it.
 */
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "bench/hooks.skel.h"
#include "workload/work.h"

#define CALLS 20000
#define SAMPLED_CALLS 1000000	/* with so many there are a thousand samples and more */
#define SAMPLE_NS 100000

/* What so many calls take: of prctl(), which fires task_rename, or of getpgid(). */
static int64_t calls_ns(bool rename, int calls)
{
	int64_t start_ns;

	work__align();
	start_ns = work__now_ns();
	for (int i = 0; i < calls; i++) {
		if (rename)
			prctl(PR_SET_NAME, "bench");
		else
			getpgid(0);
	}
	return work__now_ns() - start_ns;
}

static struct bpf_link *attach(struct bpf_program *program, bool samples)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK, .size = sizeof(attr), .sample_period = SAMPLE_NS,
	};
	int fd;

	if (!samples)
		return bpf_program__attach(program);
	fd = (int)syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
	return fd < 0 ? NULL : bpf_program__attach_perf_event(program, fd);
}

static void measure(const char *name)
{
	struct hooks_bpf *skel = hooks_bpf__open();
	struct bpf_link *link = NULL;
	struct bpf_program *program;
	int64_t without, with, attach_ns = 0, detach_ns;
	bool rename, samples = !strncmp(name, "perf_event", strlen("perf_event"));
	int calls = samples ? SAMPLED_CALLS : CALLS;

	if (!skel)
		exit(1);
	program = bpf_object__find_program_by_name(skel->obj, name);
	bpf_program__set_autoload(program, true);
	rename = strstr(bpf_program__section_name(program), "task_rename");
	without = calls_ns(rename, calls);
	if (!hooks_bpf__load(skel)) {
		work__align();
		attach_ns = work__now_ns();
		link = attach(program, samples);
		attach_ns = work__now_ns() - attach_ns;
	}
	if (link) {
		with = calls_ns(rename, calls);
		work__align();
		detach_ns = work__now_ns();
		bpf_link__destroy(link);
		detach_ns = work__now_ns() - detach_ns;
		printf("%s %.1f %lld %lld\n", name, (double)(with - without) / (double)(samples ? with / SAMPLE_NS : calls),
		       (long long)attach_ns,
		       (long long)detach_ns);
	} else {
		printf("%s -\n", name);
	}
	fflush(stdout);
	hooks_bpf__destroy(skel);
}

static int print_nothing(enum libbpf_print_level level, const char *format, va_list args)
{
	(void)level;
	(void)format;
	(void)args;
	return 0;
}

int main(void)
{
	struct hooks_bpf *skel = hooks_bpf__open();
	struct bpf_program *program;

	libbpf_set_print(print_nothing);
	if (!skel)
		return 1;
	bpf_object__for_each_program(program, skel->obj)
		measure(bpf_program__name(program));
	hooks_bpf__destroy(skel);
	return 0;
}
