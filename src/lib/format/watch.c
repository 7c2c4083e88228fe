/* SPDX-License-Identifier: BSD-2-Clause */
#include "watch.h"

#include <ctype.h>
#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arguments.h"
#include "fetch_type.h"
#include "lib/btf/rawbtf.h"
#include "lib/kernel/ksyms.h"
#include "lib/kernel/registers.h"
#include "lib/kernel/variables.h"
#include "made_format.h"

#define WORD_MAX 256

static int fail(const char *name, struct fault *fault, const char *why)
{
	return fault__set(fault, -EINVAL, WATCH_SYSTEM ":%s: %s", name, why);
}

/* "SYMBOL+OFFSET" or "0xADDRESS". */
static int find_place(struct watch *watch, const char *name, const char *place, struct fault *fault)
{
	struct variable variable;
	struct fault inner;
	char symbol[WORD_MAX], *end;
	size_t length = strcspn(place, "+");

	if (isdigit((unsigned char)*place)) {
		watch->address = strtoull(place, &end, 0);
		return *end ? fail(name, fault, "no address") : 0;
	}
	snprintf(symbol, sizeof(symbol), "%.*s", (int)length, place);
	if (variable__find(&variable, symbol, &inner))
		return fault__set(fault, inner.err, WATCH_SYSTEM ":%s: %s", name, inner.text);
	if (variable.is_per_cpu)
		return fail(name, fault, "each CPU has a variable of this name, and a watchpoint is on one address");
	watch->address = variable.address;
	if (!place[length])
		return 0;
	watch->address += isdigit((unsigned char)place[length + 1]) ? strtoull(place + length + 1, &end, 0) : 0;
	return isdigit((unsigned char)place[length + 1]) && !*end ? 0 : fail(name, fault, "a distance follows \"+\"");
}

/* The largest size that the address is aligned for, and that ends before the next symbol. */
static unsigned size_at(uint64_t address, bool is_symbol)
{
	uint64_t room = is_symbol ? ksyms__size(address) : 0;
	unsigned size = 8;

	while (size > 1 && (address % size || (room && size > room)))
		size /= 2;
	return size;
}

static int take_type(struct watch *watch, const char *name, const char *word, struct fault *fault)
{
	static const struct {
		const char *word;
		int type;
	} types[] = { { "w", HW_BREAKPOINT_W }, { "rw", HW_BREAKPOINT_RW }, { "r", HW_BREAKPOINT_R } };

	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
		if (!strcmp(types[i].word, word)) {
			watch->type = types[i].type;
#ifdef __x86_64__
			if (watch->type == HW_BREAKPOINT_R)
				return fail(name, fault, "this machine cannot watch for reads alone (rw is both)");
#endif
			return 0;
		}
	return fail(name, fault, "\":SIZE\" of 1, 2, 4 or 8 bytes may follow, and \":w\" (writes), \":rw\" or \":r\"");
}

int watch__parse(struct watch *watch, const char *name, struct fault *fault)
{
	char words[WORD_MAX], *rest = words, *place, *word;
	int err;

	*watch = (struct watch){ .type = HW_BREAKPOINT_W };
	if (snprintf(words, sizeof(words), "%s", name) >= (int)sizeof(words))
		return fail(name, fault, "too long");
	place = strsep(&rest, ":");
	err = find_place(watch, name, place, fault);
	while (!err && (word = strsep(&rest, ":"))) {
		if (!strcmp(word, "1") || !strcmp(word, "2") || !strcmp(word, "4") || !strcmp(word, "8"))
			watch->size = (unsigned)(*word - '0');
		else
			err = take_type(watch, name, word, fault);
	}
	if (err)
		return err;
	/* the upper half of the addresses is the kernel's, on all machines that we build for */
	if ((int64_t)watch->address >= 0)
		return fail(name, fault, "no address of the kernel's memory");
	if (!watch->size)
		watch->size = size_at(watch->address, !isdigit((unsigned char)*place));
	if (watch->address % watch->size)
		return fault__set(fault, -EINVAL, WATCH_SYSTEM ":%s: 0x%llx is not a multiple of the size, %u", name,
				  (unsigned long long)watch->address, watch->size);
	return 0;
}

static struct rawbtf *kernel_btf(void *context)
{
	struct rawbtf **raw = context;

	if (!*raw && rawbtf__open(raw, "/sys/kernel/btf/vmlinux"))
		*raw = NULL;
	return *raw;
}

int watch__format(const char *name, const char *const *names, size_t count, struct format **format, struct fault *fault)
{
	static const char *const types[] = { [1] = "x8", [2] = "x16", [4] = "x32", [8] = "x64" };
	int ip = registers__offset(REGISTERS_IP, NULL);
	struct made_field own[] = { { .name = "value" }, { .name = "ip", .offset = (unsigned)ip, .size = 8 } };
	struct rawbtf *raw = NULL;
	struct arguments arguments = { .system = WATCH_SYSTEM, .name = name, .own = own, .own_count = 2, .takes_fetches = true,
				       .has_whole_words = true, .btf = kernel_btf, .btf_context = &raw };
	struct watch watch;
	int err = watch__parse(&watch, name, fault);

	if (err)
		return err;
	own[0].hops = (struct format_hops){ .base = FORMAT_CONSTANT, .address = watch.address, .count = 1 };
	fetch_type__set(types[watch.size], &own[0]);
	fetch_type__set("symbol", &own[1]);
	err = arguments__format(NULL, &arguments, names, count, format, fault);
	rawbtf__free(raw);
	return err;
}
