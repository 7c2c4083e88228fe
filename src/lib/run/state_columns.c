/* SPDX-License-Identifier: BSD-2-Clause */
#include "state_columns.h"

#include <string.h>

#include "lib/ftrace/record_state.h"
#include "lib/kernel/kernel.h"
#include "lib/print/columns.h"
#include "tool.h"

/* docs/json.md: anysnoop --context, funcgraph --context, functrace --context */
const struct out_column state_columns[] = {
	{ "STATE", -5, NULL, NULL },
	{ "IRQS_OFF", 0, &tool_not_shown, NULL },
	{ "BH_OFF", 0, &tool_not_shown, NULL },
	{ "NEED_RESCHED", 0, &tool_not_shown, NULL },
	{ "INTERRUPT", 0, &tool_not_shown, NULL },
	{ "PREEMPT_DEPTH", 0, &tool_not_shown, NULL },
	{ "MIGRATE_DEPTH", 0, &tool_not_shown, NULL },
	{ NULL, 0, NULL, NULL },
};
struct out_column *state_columns__insert(const struct out_column *columns, const char *before)
{
	return columns__insert(columns, before, state_columns);
}

static void put_text(struct out *out, const char *text)
{
	out__string(out, text, strlen(text));
}

void state_columns__put(struct out *out, uint16_t state)
{
	static const char *const interrupts[] = {
		[RECORD_IN_TASK] = "none", [RECORD_IN_SOFTIRQ] = "softirq", [RECORD_IN_HARDIRQ] = "hardirq", [RECORD_IN_NMI] = "nmi",
	};
	struct record_state parts = record_state__decode(state, kernel__version());
	char letters[RECORD_STATE_LETTERS];

	record_state__write(&parts, letters);
	out__string(out, letters, sizeof(letters));
	out__bool(out, parts.irqs_off);
	if (parts.knows_bh_off)
		out__bool(out, parts.bh_off);
	else
		out__none(out);
	out__bool(out, parts.resched || parts.resched_lazy || parts.preempt_resched);
	put_text(out, interrupts[parts.interrupt]);
	out__int(out, parts.preempt_depth);
	if (parts.knows_migrate_depth)
		out__int(out, parts.migrate_depth);
	else
		out__none(out);
}
