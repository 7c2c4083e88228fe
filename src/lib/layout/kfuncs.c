/* SPDX-License-Identifier: BSD-2-Clause */
#include "kfuncs.h"

#include <asm/ptrace.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arguments.h"
#include "rawbtf.h"

/*
 * Where a kprobe's context has the registers of the arguments.  The kernel promises it: bpf_user_pt_regs_t is a struct of its UAPI
 * (asm/bpf_perf_event.h).
 */
#if defined(__x86_64__)
#define PLACE(name) offsetof(struct pt_regs, name)
static const int registers[] = { PLACE(rdi), PLACE(rsi), PLACE(rdx), PLACE(rcx), PLACE(r8), PLACE(r9) };
#elif defined(__aarch64__)
#define PLACE(number) offsetof(struct user_pt_regs, regs[number])
static const int registers[] = { PLACE(0), PLACE(1), PLACE(2), PLACE(3), PLACE(4), PLACE(5) };
#else
#error "lib/layout/kfuncs.c does not know this architecture"
#endif
#define PLACES_COUNT (sizeof(registers) / sizeof(*registers))

#define AMBIGUOUS UINT32_MAX
#define NAMES_MAX 128	/* a scan is faster without names where there are more */

/* One that was announced. */
struct kfunc {
	char *name;		/* as BTF has it */
	__u32 prototype;	/* the id of its type; 0: BTF does not have it; AMBIGUOUS: several */
};

struct kfuncs {
	const char *btf;
	struct rawbtf *raw;
	int btf_err;		/* of opening it */
	struct kfunc *list;	/* the first looked_up ones are sorted by name */
	size_t count, looked_up;
};

struct kfuncs *kfuncs__new(const char *btf)
{
	struct kfuncs *kfuncs = calloc(1, sizeof(*kfuncs));

	if (kfuncs)
		kfuncs->btf = btf;
	return kfuncs;
}

void kfuncs__free(struct kfuncs *kfuncs)
{
	if (!kfuncs)
		return;
	for (size_t i = 0; i < kfuncs->count; i++)
		free(kfuncs->list[i].name);
	free(kfuncs->list);
	rawbtf__free(kfuncs->raw);
	free(kfuncs);
}

static int compare(const void *a, const void *b)
{
	return strcmp(((const struct kfunc *)a)->name, ((const struct kfunc *)b)->name);
}

/* Of those that were looked up. */
static struct kfunc *find(const struct kfuncs *kfuncs, const char *name)
{
	const struct kfunc key = { .name = (char *)name };

	return kfuncs->looked_up ? bsearch(&key, kfuncs->list, kfuncs->looked_up, sizeof(key), compare) : NULL;
}

/* Whether BTF can have arguments of it. */
static bool is_plain(const char *name)
{
	return !strpbrk(name, ":+");
}

int kfuncs__expect(struct kfuncs *kfuncs, const char *name)
{
	struct kfunc *list = kfuncs->list;

	if (!is_plain(name) || find(kfuncs, name))
		return 0;
	/* grown by powers of two */
	if (!(kfuncs->count & (kfuncs->count - 1)))
		list = realloc(list, (kfuncs->count ? 2 * kfuncs->count : 1) * sizeof(*list));
	if (!list)
		return -ENOMEM;
	kfuncs->list = list;
	list[kfuncs->count] = (struct kfunc){ .name = strdup(name) };
	if (!list[kfuncs->count].name)
		return -ENOMEM;
	kfuncs->count++;
	return 0;
}

static int note(void *context, __u32 id, const struct btf_type *type)
{
	struct kfuncs *kfuncs = context;
	struct kfunc *kfunc = find(kfuncs, rawbtf__string(kfuncs->raw, type->name_off));

	(void)id;
	if (kfunc)
		kfunc->prototype = !kfunc->prototype || kfunc->prototype == type->type ? type->type : AMBIGUOUS;
	return 0;
}

/* By name, each once. */
static void sort(struct kfuncs *kfuncs)
{
	size_t kept = 0;

	qsort(kfuncs->list, kfuncs->count, sizeof(*kfuncs->list), compare);
	for (size_t i = 0; i < kfuncs->count; i++) {
		kfuncs->list[i].prototype = 0;
		if (kept && !strcmp(kfuncs->list[kept - 1].name, kfuncs->list[i].name))
			free(kfuncs->list[i].name);
		else
			kfuncs->list[kept++] = kfuncs->list[i];
	}
	kfuncs->count = kfuncs->looked_up = kept;
}

/* Looks up all that were announced.  0 or -errno. */
static int look_up(struct kfuncs *kfuncs)
{
	bool by_name = kfuncs->count <= NAMES_MAX;
	const char *names[NAMES_MAX];

	sort(kfuncs);
	for (size_t i = 0; i < kfuncs->count && by_name; i++)
		names[i] = kfuncs->list[i].name;
	if (!kfuncs->raw && !kfuncs->btf_err)
		kfuncs->btf_err = rawbtf__open(&kfuncs->raw, kfuncs->btf);
	return kfuncs->raw ? rawbtf__scan(kfuncs->raw, by_name ? names : NULL, by_name ? kfuncs->count : 0, 1ull << BTF_KIND_FUNC, note, kfuncs) : 0;
}

#define BY_NUMBER ": its arguments are arg0 to arg5, with a type such as arg1:str or arg0:s32"

int kfuncs__format(struct kfuncs *kfuncs, const char *name, const struct kfuncs_places *returns, const char *const *members, size_t count,
		   struct format **format, char *why, size_t size)
{
	const char *system = returns ? KFUNCS_RETURN : KFUNCS_CALL;
	struct arguments arguments = { .system = system, .name = name, .places = registers, .places_count = PLACES_COUNT,
				       .in_registers = true };
	int places[PLACES_COUNT];
	const struct kfunc *kfunc;
	/* a second time does no harm before it is looked up */
	int err = kfuncs__expect(kfuncs, name);

	if (!err && kfuncs->looked_up < kfuncs->count)
		err = look_up(kfuncs);
	if (err) {
		snprintf(why, size, "%s:%s: the kernel's BTF (%s) cannot be read: %s", system, name, kfuncs->btf, strerror(-err));
		return err;
	}
	for (size_t i = 0; returns && i < PLACES_COUNT; i++)
		places[i] = (int)(returns->args + 8 * i);
	if (returns) {
		arguments.places = places;
		arguments.has_result = true;
		arguments.ret = returns->ret;
		arguments.duration = returns->duration;
	}
	kfunc = is_plain(name) ? find(kfuncs, name) : NULL;
	if (strchr(name, '+')) {
		arguments.note = "where a probe is not at the start of its function, the arguments are not known";
		arguments.places_count = 0;
	} else if (!kfunc) {
		arguments.note = "it is a module's" BY_NUMBER;
	} else if (kfuncs->btf_err) {
		arguments.note = "this kernel has no BTF (" KFUNCS_BTF ")" BY_NUMBER;
	} else if (!kfunc->prototype) {
		arguments.note = "the kernel's BTF does not have it" BY_NUMBER;
	} else if (kfunc->prototype == AMBIGUOUS) {
		arguments.note = "the kernel's BTF has several of this name" BY_NUMBER;
	} else {
		arguments.prototype = kfunc->prototype;
	}
	return arguments__format(kfuncs->raw, &arguments, members, count, format, why, size);
}

int kfuncs__argument(unsigned offset)
{
	for (size_t i = 0; i < PLACES_COUNT; i++)
		if ((unsigned)registers[i] == offset)
			return (int)i;
	return -1;
}
