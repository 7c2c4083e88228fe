/* SPDX-License-Identifier: BSD-2-Clause */
#include "probed_text.h"

#include <stdarg.h>
#include <string.h>

#include "lib/print/json.h"

const char *probed_by__name(enum probed_by by)
{
	static const char *const names[] = { "kprobes", "ftrace", "event", "bpf" };

	return names[by];
}

/* Appends to the text in what; what does not fit is cut. */
static void __attribute__((format(printf, 3, 4))) append(char *what, size_t size, const char *format, ...)
{
	size_t used = strlen(what);
	va_list args;

	va_start(args, format);
	vsnprintf(what + used, size - used, format, args);
	va_end(args);
}

void probed__describe(const struct probed *probed, char *what, size_t size)
{
	const char *kprobe = probed->is_return ? "kretprobe" : "kprobe";

	*what = '\0';
	switch (probed->by) {
	case PROBED_BY_KPROBE:
		append(what, size, "%s at +%#llx%s%s", kprobe, (unsigned long long)probed->offset, *probed->flags ? ", " : "",
		       probed->flags);
		break;
	case PROBED_BY_FTRACE:
		append(what, size, "%u callback%s, flags %s%s%s", probed->ops, probed->ops == 1 ? "" : "s",
		       *probed->flags ? probed->flags : "none", probed->trampoline ? ", " : "", probed->trampoline ?: "");
		break;
	case PROBED_BY_EVENT:
		append(what, size, "%s, %s at +%#llx", probed->event, probed->how, (unsigned long long)probed->offset);
		if (probed->hits_known)
			append(what, size, ", hits %llu, misses %llu", (unsigned long long)probed->hits,
			       (unsigned long long)probed->misses);
		break;
	case PROBED_BY_BPF:
		append(what, size, "%s, program %u %s (%s)", probed->how, probed->program_id, probed->program ?: "?",
		       probed->program_type ?: "?");
		if (probed->link_id)
			append(what, size, ", link %u", probed->link_id);
		append(what, size, ", held by %s", probed->holders ?: "no process (pinned)");
		if (probed->hits_known)
			append(what, size, ", ran %llu times", (unsigned long long)probed->hits);
		if (probed->hits_known && probed->hits)
			append(what, size, ", %llu ns each", (unsigned long long)(probed->run_ns / probed->hits));
		if (probed->misses_known && probed->misses)
			append(what, size, ", missed %llu", (unsigned long long)probed->misses);
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
		fprintf(to, ",\"kind\":\"%s\",\"offset\":%llu,\"program_id\":%u", probed->how,
			(unsigned long long)probed->offset, probed->program_id);
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
