/* SPDX-License-Identifier: BSD-2-Clause */
#include "event_addresses.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/btf.h>

#include "lib/btf/member_offset.h"
#include "lib/kernel/kmemory.h"
#include "lib/kernel/ktext.h"
#include "lib/kernel/variables.h"

#define EVENTS_MAX 65536	/* what is longer is no list of events */
#define NAME_MAX_SIZE 128	/* MAX_EVENT_NAME_LEN and MAX_BUF_LEN of kernel/trace are 64 each */

enum { EVENT_LIST, EVENT_OPS, PROBE_EVENT, PROBE_RETURN, RETURN_PROBE, PROBE_ADDRESS, PROBE_TP, TP_EVENT, EVENT_CALL, CALL_NAME,
       EVENT_CLASS, CLASS_SYSTEM, MEMBERS };

static const struct { const char *type, *member; } members[MEMBERS] = {
	[EVENT_LIST] = { "dyn_event", "list" },
	[EVENT_OPS] = { "dyn_event", "ops" },
	[PROBE_EVENT] = { "trace_kprobe", "devent" },
	[PROBE_RETURN] = { "trace_kprobe", "rp" },
	[RETURN_PROBE] = { "kretprobe", "kp" },
	[PROBE_ADDRESS] = { "kprobe", "addr" },
	[PROBE_TP] = { "trace_kprobe", "tp" },
	[TP_EVENT] = { "trace_probe", "event" },
	[EVENT_CALL] = { "trace_probe_event", "call" },
	[CALL_NAME] = { "trace_event_call", "name" },
	[EVENT_CLASS] = { "trace_probe_event", "class" },
	[CLASS_SYSTEM] = { "trace_event_class", "system" },
};

struct reader {
	struct kmemory memory;
	uint64_t head, ops;		/* of the list, of events in kprobe_events */
	uint64_t offsets[MEMBERS];	/* bytes */
};

static int find_members(struct reader *reader, struct fault *fault)
{
	struct btf *btf = btf__load_vmlinux_btf();
	int err = 0;

	if (!btf)
		return fault__set(fault, -ENOENT, "the kernel has no BTF (CONFIG_DEBUG_INFO_BTF)");
	for (int i = 0; i < MEMBERS && !err; i++) {
		int64_t offset = member_offset__find(btf, members[i].type, members[i].member);

		reader->offsets[i] = (uint64_t)offset;
		if (offset < 0)
			err = fault__set(fault, -ENOENT, "this kernel has no member %s of struct %s", members[i].member, members[i].type);
	}
	btf__free(btf);
	return err;
}

static int open_reader(struct reader *reader, struct fault *fault)
{
	struct variable head, ops;
	int err = kmemory__open(&reader->memory);

	if (err)
		return fault__set(fault, err, "/proc/kcore: %s%s", strerror(-err),
				  err == -EPERM ? " (lockdown; cat /sys/kernel/security/lockdown)" : "");
	err = variable__find(&head, "dyn_event_list", fault) ?: variable__find(&ops, "trace_kprobe_ops", fault);
	if (err)
		return err;
	reader->head = head.address;
	reader->ops = ops.address;
	return find_members(reader, fault);
}

static bool is_after_endbr(const struct reader *reader, uint64_t address)
{
	uint8_t bytes[KTEXT_MARK];

	return !kmemory__read(&reader->memory, address - sizeof(bytes), bytes, sizeof(bytes)) && ktext__is_skipped(bytes);
}

/* One more; kprobe: its struct trace_kprobe.  0 or -ENOMEM. */
static int add(struct event_addresses *list, const struct reader *reader, uint64_t kprobe)
{
	const uint64_t *offsets = reader->offsets;
	uint64_t event = kmemory__pointer(&reader->memory, kprobe + offsets[PROBE_TP] + offsets[TP_EVENT]);
	uint64_t group_at = kmemory__pointer(&reader->memory, event + offsets[EVENT_CLASS] + offsets[CLASS_SYSTEM]);
	uint64_t name_at = kmemory__pointer(&reader->memory, event + offsets[EVENT_CALL] + offsets[CALL_NAME]);
	struct event_address *all = realloc(list->all, (list->count + 1) * sizeof(*all));
	char group[NAME_MAX_SIZE], name[NAME_MAX_SIZE];

	if (!all)
		return -ENOMEM;
	list->all = all;
	kmemory__text(&reader->memory, group_at, group, sizeof(group));
	kmemory__text(&reader->memory, name_at, name, sizeof(name));
	if (asprintf(&all[list->count].event, "%s/%s", group, name) < 0)
		return -ENOMEM;
	all[list->count].address = kmemory__pointer(&reader->memory, kprobe + offsets[PROBE_RETURN] + offsets[RETURN_PROBE] +
						    offsets[PROBE_ADDRESS]);
	all[list->count].is_after_endbr = is_after_endbr(reader, all[list->count].address);
	list->count++;
	return 0;
}

/* Events come and go meanwhile: the walk ends where it finds nothing, and names are compared later. */
static int walk(struct event_addresses *list, const struct reader *reader)
{
	uint64_t node = kmemory__pointer(&reader->memory, reader->head);
	int err = 0;

	for (unsigned int i = 0; !err && node && node != reader->head && i < EVENTS_MAX; i++) {
		uint64_t event = node - reader->offsets[EVENT_LIST];

		if (kmemory__pointer(&reader->memory, event + reader->offsets[EVENT_OPS]) == reader->ops)
			err = add(list, reader, event - reader->offsets[PROBE_EVENT]);
		node = kmemory__pointer(&reader->memory, node);
	}
	return err;
}

int event_addresses__read(struct event_addresses *list, struct fault *fault)
{
	struct reader reader = { .memory = { .fd = -1 } };
	int err = open_reader(&reader, fault);

	if (!err) {
		err = walk(list, &reader);
		if (err)
			fault__set(fault, err, "%s", strerror(-err));
	}
	kmemory__close(&reader.memory);
	return err;
}

void event_addresses__free(struct event_addresses *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->all[i].event);
	free(list->all);
	*list = (struct event_addresses){ 0 };
}

const struct event_address *event_addresses__take(struct event_addresses *list, const char *event)
{
	for (size_t i = list->next; i < list->count; i++) {
		if (strcmp(list->all[i].event, event))
			continue;
		list->next = i + 1;
		return &list->all[i];
	}
	return NULL;
}
