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
#include "lib/btf/rawbtf.h"
#include "lib/shared/call_args.h"

/*
 * Where a kprobe's context has the registers of the arguments.  The kernel promises it: bpf_user_pt_regs_t is a struct of its UAPI
 * (asm/bpf_perf_event.h).
 */
#if defined(__x86_64__)
#define PLACE(name) offsetof(struct pt_regs, name)
static const int registers[] = { PLACE(rdi), PLACE(rsi), PLACE(rdx), PLACE(rcx), PLACE(r8), PLACE(r9) };
#elif defined(__aarch64__)
#define PLACE(number) offsetof(struct user_pt_regs, regs[number])
static const int registers[] = { PLACE(0), PLACE(1), PLACE(2), PLACE(3), PLACE(4), PLACE(5), PLACE(6), PLACE(7) };
#else
#error "lib/format/kfuncs.c does not know this architecture"
#endif
#define PLACES_COUNT (sizeof(registers) / sizeof(*registers))
_Static_assert(PLACES_COUNT == CALL_ARGS, "a register for each argument");

#define AMBIGUOUS UINT32_MAX
#define KFUNCS_NAME_MAX 640	/* the kernel has names of up to 511 characters (KSYM_NAME_LEN) */
#define NAMES_MAX 128	/* a scan is faster without names where there are more */

/* One that was announced. */
struct kfunc {
	char *name;		/* "[MODULE:]FUNC" */
	struct rawbtf *raw;	/* that its prototype is in; NULL: there is none, or it cannot be read */
	__u32 prototype;	/* the id of its type; 0: BTF does not have it; AMBIGUOUS: several */
};

/* A module that a function was announced of. */
struct module {
	char name[64];		/* MODULE_NAME_LEN (include/linux/moduleparam.h) is 56 */
	struct rawbtf *raw;	/* NULL: it has no BTF, or none that can be read */
};

struct kfuncs {
	const char *btf;
	struct rawbtf *raw;
	int btf_err;		/* of opening it */
	struct module *modules;
	size_t modules_count;
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
	for (size_t i = 0; i < kfuncs->modules_count; i++)
		rawbtf__free(kfuncs->modules[i].raw);
	free(kfuncs->modules);
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
static bool is_start(const char *name)
{
	return !strchr(name, '+');
}

static bool is_of_module(const struct kfunc *kfunc)
{
	return strchr(kfunc->name, ':');
}

int kfuncs__expect(struct kfuncs *kfuncs, const char *name)
{
	struct kfunc *list = kfuncs->list;

	if (!is_start(name) || find(kfuncs, name))
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

/* What note() takes. */
struct scan {
	struct kfuncs *kfuncs;
	struct rawbtf *raw;
	const char *module;	/* or "" */
};

static int note(void *context, __u32 id, const struct btf_type *type)
{
	const struct scan *scan = context;
	const char *function = rawbtf__string(scan->raw, type->name_off);
	char name[KFUNCS_NAME_MAX];
	struct kfunc *kfunc;

	(void)id;
	if (*scan->module && snprintf(name, sizeof(name), "%s:%s", scan->module, function) >= (int)sizeof(name))
		return 0;
	kfunc = find(scan->kfuncs, *scan->module ? name : function);
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
		kfuncs->list[i].raw = NULL;
		if (kept && !strcmp(kfuncs->list[kept - 1].name, kfuncs->list[i].name))
			free(kfuncs->list[i].name);
		else
			kfuncs->list[kept++] = kfuncs->list[i];
	}
	kfuncs->count = kfuncs->looked_up = kept;
}

/* Finds the prototypes of those that are of the module, or of none (""). 0 or -errno. */
static int scan(struct kfuncs *kfuncs, struct rawbtf *raw, const char *module)
{
	struct scan scan = { kfuncs, raw, module };
	const size_t length = strlen(module);
	const char *names[NAMES_MAX];
	size_t count = 0;

	for (size_t i = 0; i < kfuncs->count; i++) {
		struct kfunc *kfunc = &kfuncs->list[i];

		if (is_of_module(kfunc) ? strncmp(kfunc->name, module, length) || kfunc->name[length] != ':' : length)
			continue;
		kfunc->raw = raw;
		if (count < NAMES_MAX)
			names[count] = kfunc->name + (length ? length + 1 : 0);
		count++;
	}
	return rawbtf__scan(raw, count <= NAMES_MAX ? names : NULL, count <= NAMES_MAX ? count : 0, 1ull << BTF_KIND_FUNC, note, &scan);
}

/* The module that a function is of, with its BTF, which stands beside the kernel's. NULL: no memory. */
static struct module *module_of(struct kfuncs *kfuncs, const struct kfunc *kfunc)
{
	const int length = (int)(strchr(kfunc->name, ':') - kfunc->name), directory = (int)(strrchr(kfuncs->btf, '/') - kfuncs->btf);
	struct module *modules, *module;
	char path[256];

	for (size_t i = 0; i < kfuncs->modules_count; i++)
		if (!strncmp(kfuncs->modules[i].name, kfunc->name, (size_t)length) && !kfuncs->modules[i].name[length])
			return &kfuncs->modules[i];
	modules = realloc(kfuncs->modules, (kfuncs->modules_count + 1) * sizeof(*modules));
	if (!modules)
		return NULL;
	kfuncs->modules = modules;
	module = &modules[kfuncs->modules_count++];
	*module = (struct module){};
	snprintf(module->name, sizeof(module->name), "%.*s", length, kfunc->name);
	snprintf(path, sizeof(path), "%.*s/%s", directory, kfuncs->btf, module->name);
	if (!rawbtf__open(&module->raw, path))
		rawbtf__put_on(module->raw, kfuncs->raw);
	return module;
}

/* The same for those of modules, whose BTF goes on where the kernel's ends. */
static int look_up_modules(struct kfuncs *kfuncs)
{
	int err = 0;

	for (size_t i = 0; i < kfuncs->count && !err; i++) {
		const struct kfunc *kfunc = &kfuncs->list[i];
		const struct module *module;

		/* after the first of a module they are all looked up */
		if (!is_of_module(kfunc) || kfunc->raw)
			continue;
		module = module_of(kfuncs, kfunc);
		if (!module)
			return -ENOMEM;
		if (module->raw)
			err = scan(kfuncs, module->raw, module->name);
	}
	return err;
}

/* Looks up all that were announced.  0 or -errno. */
static int look_up(struct kfuncs *kfuncs)
{
	int err;

	sort(kfuncs);
	if (!kfuncs->raw && !kfuncs->btf_err)
		kfuncs->btf_err = rawbtf__open(&kfuncs->raw, kfuncs->btf);
	if (!kfuncs->raw)
		return 0;
	rawbtf__remember(kfuncs->raw);
	err = scan(kfuncs, kfuncs->raw, "");
	return err ? err : look_up_modules(kfuncs);
}

/* The kernel's BTF, opened if that was not done yet. */
static struct rawbtf *kernel_btf(void *context)
{
	struct kfuncs *kfuncs = context;

	if (!kfuncs->raw && !kfuncs->btf_err)
		kfuncs->btf_err = rawbtf__open(&kfuncs->raw, kfuncs->btf);
	return kfuncs->raw;
}

#define BY_NUMBER ": its arguments are arg0 to " CALL_ARGS_LAST ", with a type such as arg1:str or arg0:s32"

int kfuncs__format(struct kfuncs *kfuncs, const char *name, const struct kfuncs_places *returns, const char *const *members, size_t count,
		   struct format **format, struct fault *fault)
{
	const char *system = returns ? KFUNCS_RETURN : KFUNCS_CALL;
	struct arguments arguments = { .system = system, .name = name, .places = registers, .places_count = PLACES_COUNT,
				       .in_registers = true, .takes_fetches = true, .btf = kernel_btf, .btf_context = kfuncs };
	int places[PLACES_COUNT];
	const struct kfunc *kfunc;
	/* a second time does no harm before it is looked up */
	int err = kfuncs__expect(kfuncs, name);

	if (!err && kfuncs->looked_up < kfuncs->count)
		err = look_up(kfuncs);
	if (err)
		return fault__set(fault, err, "%s:%s: the kernel's BTF (%s) cannot be read: %s", system, name, kfuncs->btf,
				  strerror(-err));
	for (size_t i = 0; returns && i < PLACES_COUNT; i++)
		places[i] = (int)(returns->args + 8 * i);
	if (returns) {
		arguments.places = places;
		arguments.has_result = true;
		arguments.ret = returns->ret;
		arguments.duration = returns->duration;
		arguments.registers = returns->registers;
	}
	kfunc = is_start(name) ? find(kfuncs, name) : NULL;
	if (!kfunc) {
		arguments.note = "where a probe is not at the start of its function, the arguments are not known";
		arguments.places_count = 0;
	} else if (kfuncs->btf_err) {
		arguments.note = "this kernel has no BTF (" KFUNCS_BTF ")" BY_NUMBER;
	} else if (!kfunc->raw) {
		arguments.note = "its module has no BTF" BY_NUMBER;
	} else if (!kfunc->prototype) {
		arguments.note = is_of_module(kfunc) ? "its module's BTF does not have it" BY_NUMBER :
				 "the kernel's BTF does not have it" BY_NUMBER;
	} else if (kfunc->prototype == AMBIGUOUS) {
		arguments.note = is_of_module(kfunc) ? "its module's BTF has several of this name" BY_NUMBER :
						       "the kernel's BTF has several of this name" BY_NUMBER;
	} else {
		arguments.prototype = kfunc->prototype;
	}
	return arguments__format(kfunc ? kfunc->raw : NULL, &arguments, members, count, format, fault);
}

int kfuncs__argument(unsigned offset)
{
	for (size_t i = 0; i < PLACES_COUNT; i++)
		if ((unsigned)registers[i] == offset)
			return (int)i;
	return -1;
}

unsigned kfuncs__place(unsigned number)
{
	return (unsigned)registers[number];
}
