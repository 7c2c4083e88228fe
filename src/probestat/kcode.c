/* SPDX-License-Identifier: BSD-2-Clause */
#include "kcode.h"

#include <string.h>

#include "lib/print/json.h"

/*
 * What a trampoline of ftrace calls, from the function's row of enabled_functions: "tramp: 0xffffffffc0201000
 * (kprobe_ftrace_handler) ->…", or, where several callbacks share the function, the one behind "->".
 */
static void find_handler(struct kcode_line *line, const struct probed *probed, size_t count)
{
	char address[32];

	snprintf(address, sizeof(address), "%#llx (", (unsigned long long)line->insn.target);
	for (size_t i = 0; i < count; i++) {
		const char *handler;

		if (probed[i].by != PROBED_BY_FTRACE || !probed[i].trampoline)
			continue;
		handler = strstr(probed[i].trampoline, address);
		if (handler)
			handler += strlen(address);
		else if (line->target && !strncmp(line->target->name, "ftrace_", 7) && (handler = strstr(probed[i].trampoline, "->")))
			handler += 2;
		if (handler)
			snprintf(line->handler, sizeof(line->handler), "%.*s", (int)strcspn(handler, " )+"), handler);
	}
}

int kcode__read(int kcore, const struct ksyms *ksyms, uint64_t address, uint64_t offset, const struct probed *probed,
		     size_t probed_count, struct kcode_line lines[KCODE_SIZE])
{
	uint8_t bytes[KCODE_SIZE];
	unsigned int at = 0;
	int count = 0, err;

	err = ktext__read(kcore, address, bytes, sizeof(bytes));
	if (err)
		return err;
	while (at < sizeof(bytes)) {
		struct kcode_line *line = &lines[count++];

		line->insn = ktext__decode(bytes + at, sizeof(bytes) - at, address + at);
		line->offset = offset + at;
		line->size = line->insn.size ? line->insn.size : sizeof(bytes) - at;
		memcpy(line->bytes, bytes + at, line->size);
		line->target = line->insn.target ? ksyms__at(ksyms, line->insn.target, &line->target_offset) : NULL;
		line->handler[0] = '\0';
		if (line->insn.kind == KTEXT_CALL)
			find_handler(line, probed, probed_count);
		at += line->size;
	}
	return count;
}

void kcode__hex(char *text, const struct kcode_line *line, const char *between)
{
	for (unsigned int i = 0; i < line->size; i++)
		text += sprintf(text, "%s%02x", i ? between : "", line->bytes[i]);
}

void kcode__json(FILE *to, const struct kcode_line *lines, int count)
{
	for (int i = 0; i < count; i++) {
		char bytes[KCODE_HEX_SIZE];

		kcode__hex(bytes, &lines[i], "");
		fprintf(to, "%s{\"offset\":%llu,\"bytes\":\"%s\"", i ? "," : "", (unsigned long long)lines[i].offset, bytes);
		json__string(to, "insn", lines[i].insn.kind == KTEXT_OTHER ? NULL : ktext_kind__name(lines[i].insn.kind));
		if (lines[i].insn.target) {
			fprintf(to, ",\"target_address\":\"%#llx\"", (unsigned long long)lines[i].insn.target);
			json__string(to, "target", lines[i].target ? lines[i].target->name : NULL);
			json__string(to, "handler", *lines[i].handler ? lines[i].handler : NULL);
		}
		fputc('}', to);
	}
}
