/* SPDX-License-Identifier: BSD-2-Clause */
/* How sections are seen: which engine, what it promises, its programs and timers. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "lib/kernel/file.h"
#include "lib/kernel/kernel.h"
#include "lib/kernel/machine.h"
#include "lib/kernel/names.h"
#include "lib/kernel/tracefs.h"
#include "lib/print/json.h"
#include "lib/probe/links.h"
#include "lib/run/cells.h"
#include "sections.h"

#define NS_PER_US 1000
#define PERIOD_DEFAULT_US 100
/* A timer is always some microseconds late: the interrupt is delivered, and others expire before it. */
#define TIMER_SLOWER_US 20
#define TIMER_SLOWER_MIN_US 10

const struct ksyms *sections__symbols(struct sections *sections)
{
	if (!sections->ksyms && !sections->ksyms_err) {
		sections->ksyms = ksyms__load();
		sections->ksyms_err = sections->ksyms ? 0 : -errno;
	}
	return sections->ksyms;
}

static struct bpf_program *program_of(const struct tool *tool, const char *name)
{
	return bpf_object__find_program_by_name(*tool->skeleton->obj, name);
}

static void choose(const struct tool *tool, const char *const names[], bool wanted)
{
	for (; *names; names++) {
		struct bpf_program *program = program_of(tool, *names);

		if (program)
			bpf_program__set_autoload(program, wanted);
	}
}

/* The tracepoint that the engine exact lacks; NULL: none. */
static const char *lacking(const struct sections *sections)
{
	if (sections->kinds & SECTION_IRQS && !tracefs__has_event("preemptirq/irq_disable"))
		return "preemptirq:irq_disable";
	if (sections->kinds & SECTION_PREEMPT && !tracefs__has_event("preemptirq/preempt_disable"))
		return "preemptirq:preempt_disable";
	return NULL;
}

static int choose_engine(struct sections *sections)
{
	static const char *const exact[] = { "irq_disable", "irq_enable", "preempt_disable", "preempt_enable", "cpu_idle", NULL };
	static const char *const stock[] = { "hrtimer_expire_entry", "resched_curr", "rcu_note_context_switch",
					    "sched_switch", NULL };
	struct tool *tool = sections->tool;
	const char *lacks = lacking(sections);

	if (sections->engine == SECTIONS_AUTO)
		sections->engine = lacks || sections->period_ns || sections->cpus_given ? SECTIONS_STOCK : SECTIONS_EXACT;
	else if (sections->engine == SECTIONS_EXACT && !tracefs__mount_point())
		return tool__fail(tool, -ENOENT, "--engine exact: %s", tracefs__why(errno));
	else if (sections->engine == SECTIONS_EXACT && lacks)
		return tool__fail(tool, -ENOENT, "--engine exact: this kernel does not have the tracepoint %s (it was built without "
				  "CONFIG_%s; --engine stock needs none)", lacks,
				  strstr(lacks, "irq_disable") ? "IRQSOFF_TRACER" : "PREEMPT_TRACER");
	choose(tool, exact, sections->engine == SECTIONS_EXACT);
	choose(tool, stock, sections->engine == SECTIONS_STOCK);
	return 0;
}

bool sections__has_timers(const struct sections *sections)
{
	return sections->engine == SECTIONS_STOCK && sections->kinds & SECTION_IRQS;
}

/* The smallest period that perf lets a timer have; 0: it is not limited. */
static uint64_t period_floor_ns(void)
{
	char text[32];
	long rate = file__read_small("/proc/sys/kernel/perf_event_max_sample_rate", text, sizeof(text)) > 0 ? atol(text) : 0;

	return rate > 0 ? (1000000000 + (uint64_t)rate - 1) / (uint64_t)rate : 0;
}

/* Which CPUs get a timer: those of --cpus, which must be online; else all but the isolated ones. */
static int choose_cpus(struct sections *sections)
{
	struct cpu_set isolated, online;
	bool some = false;

	if (cpus__read(CPUS_ISOLATED, &isolated))
		isolated = (struct cpu_set){ 0 };
	if (cpus__read(CPUS_ONLINE, &online))
		online = (struct cpu_set){ .words[0] = 1 };
	for (int cpu = 0; cpu < CPUS_MAX; cpu++) {
		if (sections->cpus_given && cpu_set__has(&sections->cpus, cpu) && !cpu_set__has(&online, cpu))
			return tool__fail(sections->tool, -ENODEV, "--cpus: CPU %d is not online (" CPUS_ONLINE " has those that "
					  "are)", cpu);
		some |= cpu_set__has(&isolated, cpu);
	}
	if (sections->cpus_given)
		return 0;
	for (size_t i = 0; i < CPUS_MAX / 64; i++)
		sections->cpus.words[i] = ~isolated.words[i];
	if (some)
		say("isolated CPUs get no timer (" CPUS_ISOLATED "; --cpus asks for them)");
	return 0;
}

int sections__check_slower(struct sections *sections)
{
	if (!sections->slower_given)
		sections->wants.slower_ns = TIMER_SLOWER_US * NS_PER_US;
	if (sections->wants.slower_ns >= TIMER_SLOWER_MIN_US * NS_PER_US)
		return 0;
	return tool__fail(sections->tool, -EINVAL,
			  "--slower: at least %d us: a timer is always a little late, and less cannot be distinguished from "
			  "that", TIMER_SLOWER_MIN_US);
}

/* The address of the timers' function; 0: it is not known. */
static uint64_t timer_function(struct sections *sections)
{
	struct names names;
	uint64_t address = 0;

	/* all symbols take 240 million instructions */
	names__open(&names, false);
	if (names.question)
		address = names__ask_address(&names, CPU_TIMERS_FUNCTION);
	names__close(&names);
	if (!address && sections__symbols(sections))
		address = ksyms__address(sections->ksyms, NULL, CPU_TIMERS_FUNCTION);
	return address;
}

static int prepare_timers(struct sections *sections)
{
	struct tool *tool = sections->tool;
	uint64_t floor_ns = period_floor_ns();

	if (!sections->period_ns)
		sections->period_ns = PERIOD_DEFAULT_US * NS_PER_US;
	if (sections->period_ns < floor_ns)
		return tool__fail(tool, -EINVAL, "--period: at least %llu us on this machine (the sysctl "
				  "kernel.perf_event_max_sample_rate limits it)",
				  (unsigned long long)(floor_ns + NS_PER_US - 1) / NS_PER_US);
	if (sections__check_slower(sections) || choose_cpus(sections))
		return tool->err;
	sections->wants.timer_function = timer_function(sections);
	sections->wants.timer_mark = cpu_timers__mark();
	if (!sections->wants.timer_function)
		return tool__fail(tool, sections->ksyms_err ? sections->ksyms_err : -ENOENT,
				  "the function of perf's timers (" CPU_TIMERS_FUNCTION ") is not in /proc/kallsyms%s",
				  sections->ksyms_err == -EPERM ? ", which hides addresses (sysctl kernel.kptr_restrict=1 shows them to root)" : "");
	return 0;
}

/* What the engine promises, for people and in the start record. */
static void describe(struct sections *sections, char *text, size_t size)
{
	unsigned long long period = sections->period_ns / NS_PER_US, slower;

	slower = (sections->wants.slower_ns ? sections->wants.slower_ns : TIMER_SLOWER_US * NS_PER_US) / NS_PER_US;
	*text = 0;
	if (sections->engine == SECTIONS_EXACT) {
		snprintf(text, size, "every section, its begin and its end exactly");
		return;
	}
	if (sections__has_timers(sections))
		snprintf(text, size, "interrupts off: a timer on each CPU each %llu us: a section longer than %llu us is always seen, a "
			 "shorter one of D us in (D - %llu) of %llu cases; its length is what was left of it when the timer was due: at most "
			 "%llu us too little, never too much", period, period + slower, slower, period, period);
	if (sections->kinds & SECTION_PREEMPT)
		snprintf(text + strlen(text), size - strlen(text), "%spreemption off: exact delay of wanted switches; sections in which "
			 "nobody was waiting are not seen", *text ? "; " : "");
	if (sections->kinds & SECTION_PREEMPT && !kernel__is_preemptible())
		snprintf(text + strlen(text), size - strlen(text),
			 "; this kernel does not preempt its own code and counts no preempt_disable() "
			 "(it was built without CONFIG_PREEMPTION): a delay lasts to the next place that lets others run, mostly the way back to "
			 "user space");
}

void sections__announce(struct sections *sections, const char *guarantee)
{
	struct tool *tool = sections->tool;
	char *quoted = malloc(6 * strlen(guarantee) + 3);

	if (quoted) {
		*json__quote(quoted, guarantee, strlen(guarantee)) = 0;
		if (asprintf(&sections->start_members, ",\"engine\":\"%s\",\"guarantee\":%s", sections__engine_name(sections), quoted) >= 0)
			tool->start_members = sections->start_members;
		free(quoted);
	}
	/* a probe that failed is told by the frame, in one line */
	if (!tool->attach || !tool->attach->err)
		say("engine %s: %s", sections__engine_name(sections), guarantee);
	sections->steal_ms = cpus__steal_ms();
}

/* Where the skeleton keeps the link of a program that it has. */
static struct bpf_link **link_of(const struct tool *tool, const char *name)
{
	int i = 0;

	while (strcmp(links__entry(tool->skeleton, i)->name, name))
		i++;
	return links__entry(tool->skeleton, i)->link;
}

int sections__attach(struct sections *sections)
{
	/* real-time kernels had __resched_curr() before 6.13: there the compiler puts resched_curr() into its callers */
	static const char *const mark_functions[] = { "__resched_curr", "resched_curr", NULL };
	/* with the number of the flag */
	static const char *const flag_functions[] = { "__resched_curr", NULL };
	static const char *const schedule_functions[] = { "rcu_note_context_switch", NULL };
	struct tool *tool = sections->tool;
	char text[1024];
	size_t size;

	if (sections->kinds & SECTION_PREEMPT && sections->engine == SECTIONS_STOCK) {
		attach__kprobe(tool->attach, program_of(tool, "rcu_note_context_switch"), link_of(tool, "rcu_note_context_switch"),
			       schedule_functions);
		attach__kprobe(tool->attach, program_of(tool, "resched_curr"), link_of(tool, "resched_curr"),
			       sections->wants.flag_lazy ? flag_functions : mark_functions);
	}
	sections->epoch = bpf_map__initial_value(bpf_object__find_map_by_name(*tool->skeleton->obj, ".data.epoch"), &size);
	if (sections->wants.counting) {
		const struct bpf_map *map = bpf_object__find_map_by_name(*tool->skeleton->obj, "longest");
		void *mapped;

		sections->longest_size = (size_t)bpf_map__max_entries(map) * sizeof(struct section);
		mapped = mmap(NULL, sections->longest_size, PROT_READ, MAP_SHARED, bpf_map__fd(map), 0);
		if (mapped == MAP_FAILED)
			return tool__fail(tool, -errno, "the counts cannot be mapped: %s", strerror(errno));
		sections->longest = mapped;
	}
	if (sections__has_timers(sections)) {
		int err = cpu_timers__start(&sections->timers, &sections->cpus, &sections->period_ns, sections->period_given);

		if (err == -EACCES || err == -EPERM)
			return tool__fail_perf_events(tool, err);
		if (err)
			return tool__fail(tool, err, "no timer on CPU %d: perf_event_open: %s", sections->timers.failed_cpu,
					  strerror(-err));
	}
	/* for names that come when capabilities are dropped */
	ksyms__keep_open();
	describe(sections, text, sizeof(text));
	sections__announce(sections, text);
	return 0;
}

int sections__prepare(struct sections *sections)
{
	struct tool *tool = sections->tool;
	const struct bpf_object *object = *tool->skeleton->obj;
	struct bpf_map *map = bpf_object__find_map_by_name(object, "longest");
	int cpus = libbpf_num_possible_cpus(), err;
	struct cells cells;

	if (choose_engine(sections) || (sections__has_timers(sections) && prepare_timers(sections)))
		return tool->err;
	sections->wants.flag_lazy = machine__lazy_flag(kernel__version());
	tool__set_rodata(tool, "wants", &sections->wants, sizeof(sections->wants));
	tool__set_shape(tool);
	if (cpus < 0)
		return tool__fail(tool, cpus, "the CPUs cannot be counted: %s", strerror(-cpus));
	err = bpf_map__set_max_entries(map, (uint32_t)cpus * 2);
	/* tool__run_intervals() does it by itself */
	if (!err && !sections->wants.counting)
		err = cells__prepare(&cells, object);
	return err ? tool__fail_maps(tool, err) : 0;
}
