/* SPDX-License-Identifier: BSD-2-Clause */
#include "probed_text.h"

#include <string.h>

#include "lib/print/json.h"
#include "lib/print/text_buffer.h"

const char *probed_by__name(enum probed_by by)
{
	static const char *const names[] = { "kprobes", "ftrace", "event", "bpf" };

	return names[by];
}

void probed__describe(const struct probed *probed, char *what, size_t size)
{
	const char *kprobe = probed->is_return ? "kretprobe" : "kprobe";
	struct text_buffer text = text_buffer__fixed(what, size);

	switch (probed->by) {
	case PROBED_BY_KPROBE:
		text_buffer__add(&text, "%s at +%#llx%s%s", kprobe, (unsigned long long)probed->offset, *probed->flags ? ", " : "",
				 probed->flags);
		break;
	case PROBED_BY_FTRACE:
		text_buffer__add(&text, "%u callback%s, flags %s%s%s", probed->ops, probed->ops == 1 ? "" : "s",
				 *probed->flags ? probed->flags : "none", probed->trampoline ? ", " : "", probed->trampoline ?: "");
		break;
	case PROBED_BY_EVENT:
		text_buffer__add(&text, "%s, %s at +%#llx", probed->event, probed->how, (unsigned long long)probed->offset);
		if (probed->hits_known)
			text_buffer__add(&text, ", hits %llu, misses %llu", (unsigned long long)probed->hits,
					 (unsigned long long)probed->misses);
		break;
	case PROBED_BY_BPF:
		text_buffer__add(&text, "%s, program %u %s (%s)", probed->how, probed->program_id, probed->program ?: "?",
				 probed->program_type ?: "?");
		if (probed->link_id)
			text_buffer__add(&text, ", link %u", probed->link_id);
		text_buffer__add(&text, ", held by %s", probed->holders ?: "no process (pinned)");
		if (probed->hits_known)
			text_buffer__add(&text, ", ran %llu times", (unsigned long long)probed->hits);
		if (probed->hits_known && probed->hits)
			text_buffer__add(&text, ", %llu ns each", (unsigned long long)(probed->run_ns / probed->hits));
		if (probed->misses_known && probed->misses)
			text_buffer__add(&text, ", missed %llu", (unsigned long long)probed->misses);
	}
}

void probed__json(FILE *to, const struct probed *probed)
{
	fprintf(to, "{\"by\":\"%s\"", probed_by__name(probed->by));
	switch (probed->by) {
	case PROBED_BY_KPROBE:
		fprintf(to, ",\"kind\":\"%s\",\"offset\":%llu", probed->is_return ? "kretprobe" : "kprobe",
			(unsigned long long)probed->offset);
		json__string(to, "flags", probed->flags);
		break;
	case PROBED_BY_FTRACE:
		fprintf(to, ",\"callbacks\":%u", probed->ops);
		json__string(to, "flags", probed->flags);
		json__string(to, "trampoline", probed->trampoline);
		break;
	case PROBED_BY_EVENT:
		fprintf(to, ",\"kind\":\"%s\",\"offset\":%llu", probed->how, (unsigned long long)probed->offset);
		json__string(to, "event", probed->event);
		break;
	case PROBED_BY_BPF:
		fprintf(to, ",\"kind\":\"%s\"", probed->how);
		/* in a function */
		if (probed->function)
			fprintf(to, ",\"offset\":%llu", (unsigned long long)probed->offset);
		fprintf(to, ",\"program_id\":%u", probed->program_id);
		json__string(to, "program", probed->program);
		json__string(to, "program_type", probed->program_type);
		if (probed->link_id)
			fprintf(to, ",\"link_id\":%u", probed->link_id);
		else
			fputs(",\"link_id\":null", to);
		json__string(to, "held_by", probed->holders);
		if (probed->hits_known)
			fprintf(to, ",\"run_ns\":%llu", (unsigned long long)probed->run_ns);
	}
	if (probed->hits_known)
		fprintf(to, ",\"hits\":%llu", (unsigned long long)probed->hits);
	if (probed->misses_known)
		fprintf(to, ",\"misses\":%llu", (unsigned long long)probed->misses);
	fputc('}', to);
}
