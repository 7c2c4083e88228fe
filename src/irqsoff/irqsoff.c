/* SPDX-License-Identifier: BSD-2-Clause */
/* irqsoff: interrupts off: who keeps a CPU from reacting. */
#include "lib/run/metrics.h"
#include "lib/sections/sections.h"
#include "irqsoff.skel.h"

static const struct tool_about about = {
	.name = "irqsoff",
	.summary = "Shows sections in which a CPU has interrupts off.",
	.examples = "  sudo irqsoff               the longest so far of each CPU\n"
		    "  sudo irqsoff --slower 500  those of 500 us and more\n"
		    "  sudo irqsoff -H 10         a histogram each ten seconds\n",
	SECTIONS_ABOUT(sections_irq_options),
	.metrics = METRIC_OF_ROWS("irqs_off_sections_total", "Sections with interrupts off that took longer than the tool's limit."),
};

int main(int argc, char **argv)
{
	static struct sections sections = { .kinds = SECTION_IRQS };
	struct tool tool = { .about = &about };
	struct irqsoff_bpf *skel;

	sections__parse(&sections, &tool, argc, argv);
	skel = irqsoff_bpf__open_opts(tool__open_opts(&tool));
	sections__run(&sections, &tool, skel);
	irqsoff_bpf__destroy(skel);
	return sections__finish(&sections, &tool);
}
