/* SPDX-License-Identifier: BSD-2-Clause */
#include "kcode.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/print/json.h"
#include "lib/user/user_machine.h"

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

/*
 * The instruction at bytes, and how long it is.  int3 is padding after a return or a jump, which is where speculation must not go on
 * (CONFIG_SLS); elsewhere it is a probe's.
 */
static struct ktext_insn decode(const uint8_t *bytes, size_t size, uint64_t address, bool *is_after_end)
{
	struct ktext_insn insn = ktext__decode(bytes, size, address);
	struct insn other = { .length = insn.size };

	if (insn.kind == KTEXT_OTHER && !insn.size)
		other = user_machine__own()->decode(bytes, size);
	if (insn.kind == KTEXT_INT3 && *is_after_end)
		insn.kind = KTEXT_OTHER;
	else
		*is_after_end = other.kind == INSN_RET || other.kind == INSN_JUMP || insn.kind == KTEXT_JUMP;
	insn.size = (unsigned int)other.length;
	return insn;
}

static bool is_probed(uint64_t offset, const struct probed *probed, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (probed[i].by == PROBED_BY_KPROBE && probed[i].offset == offset)
			return true;
	return false;
}

static void fill(struct kcode_line *line, const struct ksyms *ksyms, const struct probed *probed, size_t probed_count)
{
	line->target = line->insn.target ? ksyms__at(ksyms, line->insn.target, &line->target_offset) : NULL;
	line->handler[0] = '\0';
	if (line->insn.kind == KTEXT_CALL)
		find_handler(line, probed, probed_count);
}

int kcode__read(int kcore, const struct ksyms *ksyms, uint64_t address, uint64_t offset, const struct probed *probed,
		     size_t probed_count, struct kcode_line lines[KCODE_SIZE])
{
	uint8_t bytes[KCODE_SIZE];
	bool is_after_end = false;
	unsigned int at = 0;
	int count = 0, err;

	err = ktext__read(kcore, address, bytes, sizeof(bytes));
	if (err)
		return err;
	while (at < sizeof(bytes)) {
		bool was_after_end = is_after_end && !is_probed(offset + at, probed, probed_count);
		struct ktext_insn insn = decode(bytes + at, sizeof(bytes) - at, address + at, &was_after_end);
		unsigned int size = insn.size ? insn.size : sizeof(bytes) - at;
		struct kcode_line *line = count ? &lines[count - 1] : NULL;

		is_after_end = was_after_end;
		/* what nobody cares about is one line */
		if (insn.kind == KTEXT_OTHER && line && line->insn.kind == KTEXT_OTHER) {
			memcpy(line->bytes + line->size, bytes + at, size);
			line->size += size;
		} else {
			line = &lines[count++];
			*line = (struct kcode_line){ .insn = insn, .offset = offset + at, .size = size };
			memcpy(line->bytes, bytes + at, size);
			fill(line, ksyms, probed, probed_count);
		}
		at += size;
	}
	return count;
}

/* Whether it leads to code that was made at run time: a kprobe's, ftrace's, BPF's. */
static bool leads_out(const struct kcode_line *line)
{
	return line->insn.target && line->target && (!strncmp(line->target->name, "kprobe_", 7) ||
		!strncmp(line->target->name, "ftrace_trampoline", 17) || !strncmp(line->target->name, "bpf_trampoline", 14));
}

int kcode__find_changes(int kcore, const struct ksyms *ksyms, uint64_t address, uint64_t size, const struct probed *probed,
			size_t probed_count, struct kcode_line lines[KCODE_CHANGES])
{
	bool is_after_end = false;
	uint8_t *bytes;
	int count = 0, err;

	if (size <= KCODE_SIZE || size > KCODE_FUNCTION_MAX)
		return 0;
	bytes = malloc(size);
	if (!bytes)
		return -ENOMEM;
	err = ktext__read(kcore, address, bytes, size);
	for (uint64_t at = 0; at < size && count < KCODE_CHANGES && !err; ) {
		struct kcode_line line = { .offset = at, .insn = decode(bytes + at, size - at, address + at, &is_after_end) };

		line.size = line.insn.size;
		/* the rest of an instruction that begins with a probe's int3 is read as others, which soon are the right ones again */
		if (!line.size) {
			at++;
			continue;
		}
		fill(&line, ksyms, probed, probed_count);
		if (at >= KCODE_SIZE && (line.insn.kind == KTEXT_INT3 || leads_out(&line)) && !is_probed(at, probed, probed_count)) {
			memcpy(line.bytes, bytes + at, line.size);
			lines[count++] = line;
		}
		at += line.size;
	}
	free(bytes);
	return err ? err : count;
}

/* What a static key makes of its place: as decode(), and on x86 also nop and jmp of two bytes (arch/x86/kernel/jump_label.c). */
static struct ktext_insn decode_switched(const uint8_t *bytes, size_t size, uint64_t address)
{
	struct ktext_insn insn = ktext__decode(bytes, size, address);

	if (insn.kind != KTEXT_OTHER || insn.size)
		return insn;
	if (bytes[0] == 0x66 && bytes[1] == 0x90)
		return (struct ktext_insn){ .kind = KTEXT_NOP, .size = 2 };
	if (bytes[0] == 0xeb)
		return (struct ktext_insn){ .kind = KTEXT_JUMP, .size = 2, .target = address + 2 + (uint64_t)(int8_t)bytes[1] };
	return (struct ktext_insn){ .kind = KTEXT_OTHER, .size = 2 };
}

static int compare_offsets(const void *a, const void *b)
{
	uint64_t first = ((const struct kcode_line *)a)->offset, second = ((const struct kcode_line *)b)->offset;

	return first < second ? -1 : first > second;
}

int kcode__find_switched(int kcore, const struct ksyms *ksyms, uint64_t address, uint64_t size, const struct static_keys *keys,
			 struct kcode_line lines[KCODE_SWITCHED])
{
	int count = 0;

	for (size_t i = 0; i < keys->count && count < KCODE_SWITCHED; i++) {
		const struct static_key_site *site = &keys->sites[i];
		struct kcode_line *line = &lines[count];
		uint8_t bytes[5];
		int err;

		if (site->code < address || site->code - address >= size)
			continue;
		err = ktext__read(kcore, site->code, bytes, sizeof(bytes));
		if (err)
			return err;
		*line = (struct kcode_line){ .offset = site->code - address, .key = site->name ?: "?" };
		line->insn = decode_switched(bytes, sizeof(bytes), site->code);
		line->size = line->insn.size;
		memcpy(line->bytes, bytes, line->size);
		fill(line, ksyms, NULL, 0);
		count++;
	}
	qsort(lines, (size_t)count, sizeof(*lines), compare_offsets);
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
		if (lines[i].key)
			json__string(to, "static_key", lines[i].key);
		fputc('}', to);
	}
}
