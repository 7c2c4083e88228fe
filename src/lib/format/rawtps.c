/* SPDX-License-Identifier: BSD-2-Clause */
#include "rawtps.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arguments.h"
#include "lib/btf/rawbtf.h"
#include "lib/kernel/ksyms.h"
#include "lib/print/near.h"
#include "lib/print/text_buffer.h"

/*
 * The kernel's BTF has a typedef for each that takes programs, a pointer to a function.  That one's parameters have no names; those of the
 * function that calls what is attached have them.
 */
#define RAWTP_NAME_MAX 128

static const char typedefs[] = "btf_trace_", iterators[] = "__traceiter_";

struct rawtp {
	const char *name;
	__u32 pointer;		/* that typedef's */
	__u32 prototype;	/* that function's, or 0 */
};

struct rawtps {
	struct rawbtf *raw;
	struct rawtp *list;
	size_t count, room;
	bool has_all;
};

static int note(void *context, __u32 id, const struct btf_type *type)
{
	struct rawtps *rawtps = context;
	bool is_typedef = BTF_INFO_KIND(type->info) == BTF_KIND_TYPEDEF;
	const char *name = rawbtf__string(rawtps->raw, type->name_off), *prefix = is_typedef ? typedefs : iterators;
	struct rawtp rawtp = { .name = name + strlen(prefix), .pointer = is_typedef ? type->type : 0,
			       .prototype = is_typedef ? 0 : type->type };

	(void)id;
	if (strncmp(name, prefix, strlen(prefix)) || !format__is_name(rawtp.name))
		return 0;
	if (rawtps->count == rawtps->room) {
		size_t room = rawtps->room ? 2 * rawtps->room : 1024;
		struct rawtp *list = realloc(rawtps->list, room * sizeof(*list));

		if (!list)
			return -ENOMEM;
		rawtps->list = list;
		rawtps->room = room;
	}
	rawtps->list[rawtps->count++] = rawtp;
	return 0;
}

static int compare(const void *a, const void *b)
{
	return strcmp(((const struct rawtp *)a)->name, ((const struct rawtp *)b)->name);
}

/* By name, each once, and without functions of others. */
static void sort(struct rawtps *rawtps)
{
	struct rawtp *list = rawtps->list;
	size_t count = 0;

	if (rawtps->count)
		qsort(list, rawtps->count, sizeof(*list), compare);
	for (size_t i = 0, next; i < rawtps->count; i = next) {
		struct rawtp one = list[i];

		for (next = i + 1; next < rawtps->count && !strcmp(list[next].name, one.name); next++) {
			one.pointer = one.pointer ? one.pointer : list[next].pointer;
			one.prototype = one.prototype ? one.prototype : list[next].prototype;
		}
		if (one.pointer)
			list[count++] = one;
	}
	rawtps->count = count;
}

/* names: of the two types of each; NULL: all. */
static int load(struct rawtps *rawtps, const char *const *names, size_t count)
{
	int err;

	rawtps->count = 0;
	err = rawbtf__scan(rawtps->raw, names, count, 1ull << BTF_KIND_TYPEDEF | 1ull << BTF_KIND_FUNC, note, rawtps);
	if (!err)
		sort(rawtps);
	return err;
}

int rawtps__load(struct rawtps **to, const char *btf, const char *const *names, size_t count)
{
	char types[2 * RAWTPS_NAMES_MAX][RAWTP_NAME_MAX];
	struct rawtps *rawtps = calloc(1, sizeof(*rawtps));
	const char *list[2 * RAWTPS_NAMES_MAX];
	int err = rawtps ? rawbtf__open(&rawtps->raw, btf) : -ENOMEM;

	for (size_t i = 0; i < count && i < RAWTPS_NAMES_MAX; i++) {
		/* of a longer name all are loaded later */
		snprintf(types[2 * i], RAWTP_NAME_MAX, "%s%s", typedefs, names[i]);
		snprintf(types[2 * i + 1], RAWTP_NAME_MAX, "%s%s", iterators, names[i]);
		list[2 * i] = types[2 * i];
		list[2 * i + 1] = types[2 * i + 1];
	}
	if (!err && count) {
		rawbtf__remember(rawtps->raw);
		err = load(rawtps, list, 2 * (count < RAWTPS_NAMES_MAX ? count : RAWTPS_NAMES_MAX));
	}
	if (err) {
		rawtps__free(rawtps);
		rawtps = NULL;
	}
	*to = rawtps;
	return err;
}

int rawtps__load_all(struct rawtps *rawtps)
{
	int err = rawtps->has_all ? 0 : load(rawtps, NULL, 0);

	rawtps->has_all |= !err;
	return err;
}

void rawtps__free(struct rawtps *rawtps)
{
	if (!rawtps)
		return;
	rawbtf__free(rawtps->raw);
	free(rawtps->list);
	free(rawtps);
}

const char *rawtps__name(const struct rawtps *rawtps, size_t number)
{
	return number < rawtps->count ? rawtps->list[number].name : NULL;
}

/* What the kernel's symbols tell of a tracepoint that its BTF does not have. */
struct search {
	const char *name;
	bool has_iterator;	/* the function that calls what is attached to it, which is there also where programs cannot be */
	bool is_of_module;	/* a module that is loaded has it: the kernel takes programs there, too (bpf_get_raw_tracepoint()) */
};

static int look(void *context, const struct ksym *sym)
{
	static const char prefix[] = "__tracepoint_";
	struct search *search = context;

	search->has_iterator |= ksym__is_function(sym) && !strncmp(sym->name, iterators, strlen(iterators)) &&
				!strcmp(sym->name + strlen(iterators), search->name);
	search->is_of_module = sym->module && !strncmp(sym->name, prefix, strlen(prefix)) &&
			       !strcmp(sym->name + strlen(prefix), search->name);
	return search->is_of_module;
}

static int explain_missing(const struct rawtps *rawtps, const char *name, bool has_iterator, struct fault *fault)
{
	struct text_buffer text = fault__begin(fault, -ENOENT);
	struct near near;

	if (has_iterator)
		return fault__set(fault, -EOPNOTSUPP, RAWTPS_SYSTEM ":%s: this kernel takes programs on tracepoints that have an event, and this "
				  "one has none (Linux 5.12 takes them there, too)", name);
	near__init(&near, 3 + (unsigned)strlen(name) / 6, 3);
	for (size_t i = 0; i < rawtps->count; i++)
		near__add(&near, rawtps->list[i].name, near__edits(rawtps->list[i].name, name, near__limit(&near)));
	text_buffer__add(&text, RAWTPS_SYSTEM ":%s: the kernel has no such tracepoint", name);
	near__put(&near, &text);
	text_buffer__add(&text, " (those of a module are there once it is loaded)");
	return -ENOENT;
}

static const struct rawtp *find(const struct rawtps *rawtps, const struct rawtp *key)
{
	return rawtps->count ? bsearch(key, rawtps->list, rawtps->count, sizeof(*key), compare) : NULL;
}

int rawtps__format(struct rawtps *rawtps, const char *name, const char *const *members, size_t count, struct format **format,
		   struct fault *fault)
{
	/* BPF_PROG_TYPE_RAW_TRACEPOINT: an array of 64-bit numbers, at most 12 (MAX_BPF_FUNC_ARGS) */
	static const int places[] = { 0, 8, 16, 24, 32, 40, 48, 56, 64, 72, 80, 88 };
	const struct rawtp key = { .name = name };
	const struct rawtp *found = find(rawtps, &key);
	/* the first parameter is the kernel's own (void *__data) */
	struct arguments arguments = { .system = RAWTPS_SYSTEM, .name = name, .first = 1, .places = places,
				       .places_count = sizeof(places) / sizeof(*places) };
	struct search search = { .name = name };
	const struct btf_type *type;
	__u32 id;

	if (!found) {
		int err = rawtps__load_all(rawtps);

		if (err)
			return fault__set(fault, err, RAWTPS_SYSTEM ":%s: the kernel's BTF cannot be read: %s", name,
					  strerror(-err));
		found = find(rawtps, &key);
	}
	if (!found)
		ksyms__each(look, &search);
	if (search.is_of_module) {
		arguments.in_registers = true;
		arguments.note = "a module has it, and its arguments are there by their numbers only (arg0, arg1:str, arg2:s32)";
		return arguments__format(NULL, &arguments, members, count, format, fault);
	}
	if (!found)
		return explain_missing(rawtps, name, search.has_iterator, fault);
	id = found->pointer;
	type = rawbtf__resolve(rawtps->raw, &id);
	if (found->prototype)
		arguments.prototype = found->prototype;
	else if (type && BTF_INFO_KIND(type->info) == BTF_KIND_PTR)
		arguments.prototype = type->type;
	return arguments__format(rawtps->raw, &arguments, members, count, format, fault);
}

bool rawtps__recurses(const char *name)
{
	static const char *const patterns[] = { "softirq_raise", "*need_resched*", "irq_work_*", "ipi_raise", "ipi_send_*", "rcu_*" };

	for (size_t i = 0; i < sizeof(patterns) / sizeof(*patterns); i++)
		if (!fnmatch(patterns[i], name, 0))
			return true;
	return false;
}
