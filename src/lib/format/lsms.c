/* SPDX-License-Identifier: BSD-2-Clause */
#include "lsms.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arguments.h"
#include "lib/kernel/file.h"
#include "lib/print/near.h"
#include "lib/print/text_buffer.h"

#define ACTIVE "/sys/kernel/security/lsm"
#define WORD_MAX 256

bool lsms__are_off(char active[LSMS_ACTIVE_MAX])
{
	char *rest = NULL, list[LSMS_ACTIVE_MAX];

	if (file__read_small(ACTIVE, active, LSMS_ACTIVE_MAX) < 0)
		return false;
	active[strcspn(active, "\n")] = 0;
	snprintf(list, sizeof(list), "%s", active);
	for (char *name = strtok_r(list, ",", &rest); name; name = strtok_r(NULL, ",", &rest))
		if (!strcmp(name, "bpf"))
			return false;
	return true;
}

struct near_search {
	struct rawbtf *raw;
	const char *name;
	struct near near;
};

static int note_near(void *context, __u32 id, const struct btf_type *type)
{
	struct near_search *search = context;
	const char *name = rawbtf__string(search->raw, type->name_off);

	(void)id;
	if (!strncmp(name, LSMS_PREFIX, strlen(LSMS_PREFIX)))
		near__add(&search->near, name + strlen(LSMS_PREFIX),
			  near__typed(name + strlen(LSMS_PREFIX), search->name, near__limit(&search->near)));
	return 0;
}

int lsms__explain_missing(struct rawbtf *raw, const char *hook, const char *label, struct fault *fault)
{
	struct near_search search = { .raw = raw, .name = hook };
	struct text_buffer text = fault__begin(fault, -ENOENT);

	near__init(&search.near, near__typed_limit(hook), 3);
	if (raw)
		rawbtf__scan(raw, NULL, 0, 1ull << BTF_KIND_FUNC, note_near, &search);
	text_buffer__add(&text, "%s: the kernel has no such hook for BPF programs", label);
	near__put(&search.near, &text);
	return -ENOENT;
}

struct names {
	struct rawbtf *raw;
	const char *pattern;
	char **list;
	size_t count;
};

static int note_match(void *context, __u32 id, const struct btf_type *type)
{
	struct names *names = context;
	const char *name = rawbtf__string(names->raw, type->name_off);
	char **list;

	(void)id;
	if (strncmp(name, LSMS_PREFIX, strlen(LSMS_PREFIX)) || fnmatch(names->pattern, name + strlen(LSMS_PREFIX), 0))
		return 0;
	list = realloc(names->list, (names->count + 1) * sizeof(*list));
	if (!list)
		return -ENOMEM;
	names->list = list;
	list[names->count] = strdup(name + strlen(LSMS_PREFIX));
	return list[names->count] ? (void)names->count++, 0 : -ENOMEM;
}

int lsms__match(const char *pattern, int (*found)(void *context, const char *hook), void *context, struct fault *fault)
{
	struct names names = { .pattern = pattern };
	int err = rawbtf__open(&names.raw, LSMS_BTF);

	/* found() may read BTF, too: after the scan */
	if (!err)
		err = rawbtf__scan(names.raw, NULL, 0, 1ull << BTF_KIND_FUNC, note_match, &names);
	rawbtf__free(names.raw);
	if (err < 0)
		fault__set(fault, err, LSMS_SYSTEM ":%.200s: the kernel's BTF (" LSMS_BTF ") cannot be read: %s", pattern, strerror(-err));
	for (size_t i = 0; i < names.count; i++) {
		if (!err)
			err = found(context, names.list[i]);
		free(names.list[i]);
	}
	free(names.list);
	return err;
}

struct function {
	__u32 id, prototype;
};

static int note_function(void *context, __u32 id, const struct btf_type *type)
{
	*(struct function *)context = (struct function){ id, type->type };
	/* to the end: only then other types can be asked for */
	return 0;
}

int lsms__format(const char *hook, const char *const *names, size_t count, struct format **format, struct fault *fault)
{
	/* an array of 64-bit numbers */
	static const int places[LSMS_ARGUMENTS] = { 0, 8, 16, 24, 32, 40, 48, 56, 64, 72, 80, 88 };
	struct arguments arguments = { .system = LSMS_SYSTEM, .name = hook, .places = places, .places_count = LSMS_ARGUMENTS };
	char name[WORD_MAX], label[WORD_MAX], active[LSMS_ACTIVE_MAX];
	const char *const list[] = { name };
	struct function function = {};
	struct rawbtf *raw;
	int err = rawbtf__open(&raw, LSMS_BTF);

	snprintf(name, sizeof(name), LSMS_PREFIX "%.200s", hook);
	snprintf(label, sizeof(label), LSMS_SYSTEM ":%.200s", hook);
	if (err)
		return fault__set(fault, err, "%s: the kernel's BTF (" LSMS_BTF ") cannot be read: %s", label, strerror(-err));
	err = rawbtf__scan(raw, list, 1, 1ull << BTF_KIND_FUNC, note_function, &function);
	if (err < 0)
		fault__set(fault, err, "%s: the kernel's BTF (" LSMS_BTF ") cannot be read: %s", label, strerror(-err));
	else if (!function.id)
		err = lsms__explain_missing(raw, hook, label, fault);
	else if (lsms__are_off(active))
		err = fault__set(fault, -EOPNOTSUPP, "%s: this kernel runs no programs on its hooks: its security modules are %s (\"lsm=%s,bpf\" on "
				 "its command line adds BPF)", label, active, active);
	else
		err = 0;
	arguments.prototype = function.prototype;
	if (!err)
		err = arguments__format(raw, &arguments, names, count, format, fault);
	if (!err)
		(*format)->id = function.id;
	rawbtf__free(raw);
	return err;
}
