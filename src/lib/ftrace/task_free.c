/* SPDX-License-Identifier: BSD-2-Clause */
#include "task_free.h"

#include <string.h>

#include "lib/format/events.h"
#include "lib/format/format.h"

void task_free__watch(struct task_free *task_free, const struct instance *instance)
{
	const struct format_field *pid;
	struct format *format;
	struct fault fault;

	*task_free = (struct task_free){ .type = 0 };
	if (events__format("sched", "sched_process_free", &format, &fault))
		return;
	pid = format__field(format, "pid");
	if (pid && pid->size == sizeof(uint32_t) && !instance__write(instance, "events/sched/sched_process_free/enable", "1\n"))
		*task_free = (struct task_free){ .type = (uint16_t)format->id, .pid = pid->offset };
	format__free(format);
}

bool task_free__is(const struct task_free *task_free, const struct page_record *record, uint32_t *tid)
{
	if (!task_free->type || record->type != task_free->type || record->size < task_free->pid + sizeof(*tid))
		return false;
	memcpy(tid, record->data + task_free->pid, sizeof(*tid));
	return true;
}
