/* SPDX-License-Identifier: BSD-2-Clause */
#include "functions.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "exclusions.h"
#include "function_filter.h"
#include "lib/kernel/file.h"
#include "lib/kernel/ktext.h"
#include "lib/kernel/tracefs.h"
#include "lib/print/text_buffer.h"

#define FILTER_MAX (64 << 20)	/* bytes; all functions of a kernel with its modules are some MB */

bool function_pattern__is_valid(const char *pattern)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.*?[]-^$";
	const char *colon = strchr(pattern, ':'), *name = colon ? colon + 1 : pattern;

	/* set_ftrace_filter would take more as commands */
	if (!*name || *name == '-' || *name == '.' || name[strspn(name, letters)] || strlen(pattern) >= KSYMS_NAME_MAX)
		return false;
	return !colon || (colon > pattern && (size_t)(colon - pattern) < KSYMS_MODULE_MAX &&
			  strspn(pattern, letters) == (size_t)(colon - pattern));
}

bool function_pattern__is_name(const char *pattern)
{
	return !strpbrk(pattern, "*?[]^");
}

bool function_pattern__means(const char *pattern, const char *of_module, const char *name, const char *module)
{
	const char *colon = strchr(pattern, ':'), *wanted = colon ? pattern : of_module;
	size_t length = colon ? (size_t)(colon - pattern) : of_module ? strlen(of_module) : 0;

	if (wanted && (!module || strlen(module) != length || strncmp(module, wanted, length)))
		return false;
	pattern = colon ? colon + 1 : pattern;
	length = strlen(pattern);
	return !fnmatch(pattern, name, 0) || (!strncmp(name, pattern, length) && name[length] == '.');
}

int functions__add(struct functions *functions, const char *name, const char *module)
{
	struct function *larger, function = { .name = strdup(name), .module = module ? strdup(module) : NULL };

	/* grown by powers of two */
	larger = functions->count & (functions->count - 1) ? functions->list :
		 realloc(functions->list, (functions->count ? 2 * functions->count : 1) * sizeof(*larger));
	if (larger)
		functions->list = larger;
	if (!larger || !function.name || (module && !function.module)) {
		free(function.name);
		free(function.module);
		return -ENOMEM;
	}
	functions->list[functions->count++] = function;
	return 0;
}

int function__compare(const void *a, const void *b)
{
	const struct function *left = a, *right = b;
	int order = strcmp(left->name, right->name);

	return order ? order : strcmp(left->module ?: "", right->module ?: "");
}

/* "NAME" or "NAME [MODULE]", as it is searched for. */
struct wanted {
	const char *name, *module;
	size_t name_length, module_length;
};

/* As strcmp(), of a string that ends after length bytes. */
static int compare_text(const char *text, size_t length, const char *other)
{
	int order = strncmp(text, other, length);

	return order ? order : -(other[length] != '\0');
}

static int compare_wanted(const void *a, const void *b)
{
	const struct wanted *wanted = a;
	const struct function *function = b;
	int order = compare_text(wanted->name, wanted->name_length, function->name);

	return order ? order : compare_text(wanted->module, wanted->module_length, function->module ?: "");
}

void functions__sort(struct functions *functions)
{
	if (functions->count)
		qsort(functions->list, functions->count, sizeof(*functions->list), function__compare);
}

size_t functions__find(const struct functions *functions, const char *text)
{
	struct wanted wanted = { .name = text, .name_length = strcspn(text, " "), .module = "" };
	const struct function *found;

	if (!strncmp(text + wanted.name_length, " [", 2)) {
		wanted.module = text + wanted.name_length + 2;
		wanted.module_length = strcspn(wanted.module, "]");
	}
	found = functions->count ? bsearch(&wanted, functions->list, functions->count, sizeof(*found), compare_wanted) : NULL;
	return found ? (size_t)(found - functions->list) : SIZE_MAX;
}

void functions__free(struct functions *functions)
{
	for (size_t i = 0; i < functions->count; i++) {
		free(functions->list[i].name);
		free(functions->list[i].module);
	}
	free(functions->list);
	functions->list = NULL;
	functions->count = 0;
}

/* "#### all functions enabled ####" stands where the filter is empty. */
int functions__parse(struct functions *functions, char *text)
{
	char *line, *rest = NULL;
	int err = 0;

	for (line = strtok_r(text, "\n", &rest); line && !err; line = strtok_r(NULL, "\n", &rest)) {
		char *module;

		/* code that was freed after the boot has such names; a filter for a module that may be loaded later is kept as it is */
		if (*line == '#' || strchr(line, ':') || !strncmp(line, "__ftrace_invalid_address__", 26))
			continue;
		module = names__split(line);
		err = functions__add(functions, line, module);
	}
	return err;
}

static int read_back(struct functions *functions, const struct instance *instance)
{
	size_t size;
	char *text;
	int err = instance__read(instance, FUNCTION_FILTER, FILTER_MAX, &text, &size);

	if (err)
		return err;
	err = functions__parse(functions, text);
	free(text);
	return err;
}

/* A function that a pattern matches, though the filter did not take it. */
struct untraceable {
	const char *pattern, *module;
	char name[KSYMS_NAME_MAX];
	size_t count;
};

static int find_untraceable(void *context, const struct ksym *sym)
{
	struct untraceable *found = context;

	if (!ksym__is_function(sym) || (found->module && (!sym->module || strcmp(sym->module, found->module))) ||
	    fnmatch(found->pattern, sym->name, 0))
		return 0;
	if (!found->count++)
		snprintf(found->name, sizeof(found->name), "%s", sym->name);
	return 0;
}

void functions__explain(const char *module, const char *name, struct fault *fault)
{
	struct text_buffer text = fault__begin(fault, -ENOENT);
	const char *colon = strchr(name, ':'), *list[KSYMS_NEAREST];
	struct untraceable found = { .pattern = colon ? colon + 1 : name, .module = module };
	char own[KSYMS_MODULE_MAX];
	struct ksyms_match match;

	if (colon) {
		snprintf(own, sizeof(own), "%.*s", (int)(colon - name), name);
		found.module = own;
	}
	text_buffer__add(&text, "no function '%s' can be traced", name);
	if (found.module) {
		char path[128];

		text_buffer__add(&text, " in the module '%s'", found.module);
		snprintf(path, sizeof(path), "/sys/module/%s", found.module);
		if (file__may(path, F_OK)) {
			text_buffer__add(&text, ", which is not loaded (modprobe %s)", found.module);
			return;
		}
	}
	if (!function_pattern__is_name(found.pattern)) {
		if (ksyms__each_function(find_untraceable, &found) || !found.count)
			text_buffer__add(&text, ": none matches");
		else
			text_buffer__add(&text, ": %zu match, '%s' the first, and all of them were compiled without "
					 "ftrace's hook (notrace), or ran at boot and are freed", found.count, found.name);
		return;
	}
	if (ksyms__find(found.module, found.pattern, &match))
		return;
	if (match.functions) {
		text_buffer__add(&text, ": " KTEXT_NO_HOOK);
	} else if (match.nearest_count) {
		for (unsigned int i = 0; i < match.nearest_count; i++)
			list[i] = match.nearest[i];
		text_buffer__add(&text, ": this kernel does not have it (nearest: ");
		text_buffer__add_quoted(&text, list, match.nearest_count, ", ");
		text_buffer__add(&text, ")");
	} else {
		text_buffer__add(&text, ": this kernel does not have it (it may be inlined everywhere)");
	}
}

/* Adds what the patterns mean that add.  0, -ENOENT where they mean none, or -errno; then fault has a line. */
static int add_all(struct functions *functions, struct function_filter *filter, const char *module, const char *const *patterns,
		   size_t count)
{
	for (size_t i = 0; i < count; i++) {
		int err = exclusion__is(patterns[i]) ? 0 : function_filter__add(filter, module, patterns[i]);

		if (err == -EINVAL) {
			if (functions->unmatched++ && functions->tell)
				functions->tell(functions->fault.text);
			functions__explain(module, patterns[i], &functions->fault);
		} else if (err) {
			return fault__set(&functions->fault, err, "%s cannot be written: %s", FUNCTION_FILTER, strerror(-err));
		}
	}
	return filter->has_any ? 0 : -ENOENT;
}

/* Has the filter be the list, out of which some were taken.  0, or -errno with a line in fault. */
static int take_out(struct functions *functions, struct function_filter *filter, const char *module, const char *const *patterns,
		    size_t count)
{
	struct functions left = {};
	int err = exclusions__write(filter, module, patterns, count);

	if (!err)
		err = read_back(&left, filter->instance);
	/* the kernel's patterns and ours might differ: nothing else is traced than what was matched, least of all everything */
	if (!err && left.count != functions->count)
		err = fault__set(&functions->fault, -EPROTO, "%s has %zu functions where %zu are left", FUNCTION_FILTER, left.count,
				 functions->count);
	else if (err)
		fault__set(&functions->fault, err, "%s cannot be written: %s", FUNCTION_FILTER, strerror(-err));
	functions__free(&left);
	return err;
}

static bool has_exclusion(const char *const *patterns, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (exclusion__is(patterns[i]))
			return true;
	return false;
}

int functions__filter(struct functions *functions, struct instance *instance, bool with_clock, const char *module,
		      const char *const *patterns, size_t count)
{
	struct function_filter filter = { .instance = instance, .with_clock = with_clock };
	int err = add_all(functions, &filter, module, patterns, count);

	return err || !has_exclusion(patterns, count) ? err : take_out(functions, &filter, module, patterns, count);
}

int functions__match(struct functions *functions, struct instance *instance, bool with_clock, const char *module,
		     const char *const *patterns, size_t count)
{
	struct function_filter filter = { .instance = instance, .with_clock = with_clock };
	int err = add_all(functions, &filter, module, patterns, count);
	size_t all;

	if (err)
		return err;
	err = read_back(functions, instance);
	if (err)
		return fault__set(&functions->fault, err, "%s cannot be read: %s", FUNCTION_FILTER, strerror(-err));
	all = functions->count;
	if (!all) {
		functions__explain(module, patterns[count - 1], &functions->fault);
		return -ENOENT;
	}
	if (!exclusions__apply(functions, module, patterns, count))
		return 0;
	if (!functions->count)
		return fault__set(&functions->fault, -ENOENT, "no function is left: all %zu that match are excluded", all);
	return take_out(functions, &filter, module, patterns, count);
}

/*
 * What BPF's own entry and exit run, on the way to the program that would count them: recursion that is noticed late or never
 * (bpftrace#534, bcc#2300, retsnoop's list).
 */
static const char *const denied[] = {
	"migrate_disable", "migrate_enable", "rcu_read_lock*", "rcu_read_unlock*", "__rcu_read_*", "rcu_read_lock_*", "__bpf_prog_*",
	"__bpf_tramp_*", "bpf_get_smp_processor_id", "preempt_count_*", "*idle*", "_raw_spin_*", "_raw_read_*",
	"_raw_write_*", "queued_spin_lock_slowpath", "native_queued_spin_lock_slowpath", "trace_call_bpf", "kprobe_multi_link_*",
	"kprobe_ftrace_handler", "ftrace_*", "fprobe_*", "rethook_*", "__htab_*", "htab_*", "bpf_*_lookup_elem", "*_map_lookup_elem",
	/* what rcu_read_unlock() may call, as often as a program ends: "rcu: Fix rcu_read_unlock() deadloop due to softirq" */
	"raise_softirq*", "__raise_softirq_irqoff", "irq_work_queue*", "__irq_work_queue_*", "arch_irq_work_raise", "invoke_rcu_core",
	"__trace_set_need_resched",
};

static bool is_denied(const struct function *function)
{
	for (size_t i = 0; i < sizeof(denied) / sizeof(*denied); i++)
		if (!fnmatch(denied[i], function->name, 0))
			return true;
	return false;
}

size_t functions__deny(struct functions *functions, char first[KSYMS_NAME_MAX])
{
	size_t kept = 0, taken = 0;

	for (size_t i = 0; i < functions->count; i++) {
		struct function *function = &functions->list[i];

		if (!is_denied(function)) {
			functions->list[kept++] = *function;
			continue;
		}
		if (!taken++)
			snprintf(first, KSYMS_NAME_MAX, "%s", function->name);
		free(function->name);
		free(function->module);
	}
	functions->count = kept;
	return taken;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(((const struct function *)a)->name, ((const struct function *)b)->name);
}

/* Whether the kernel lets us see that a function has no hook of ftrace's: of several with one name some cannot be traced. */
static bool lacks_hook(int kcore, uint64_t address)
{
	uint8_t bytes[KTEXT_BEGIN];

	return kcore >= 0 && !ktext__read(kcore, address, bytes, sizeof(bytes)) && ktext__find_hook(bytes) < 0;
}

/* For names that are there more than once. */
struct twins {
	struct functions *functions;	/* by name; those without address are looked for */
	int kcore;
};

static int note_twin(void *context, const struct ksym *sym)
{
	const struct twins *twins = context;
	struct functions *functions = twins->functions;
	struct function wanted = { .name = (char *)sym->name };
	struct function *found, *end = functions->list + functions->count;

	if (!ksym__is_function(sym))
		return 0;
	found = bsearch(&wanted, functions->list, functions->count, sizeof(wanted), compare_names);
	if (!found || lacks_hook(twins->kcore, sym->address))
		return 0;
	while (found > functions->list && !strcmp(found[-1].name, sym->name))
		found--;
	for (; found < end && !strcmp(found->name, sym->name); found++) {
		if (found->address == sym->address)
			break;
		if (!found->address && !strcmp(found->module ? found->module : "", sym->module ? sym->module : "")) {
			found->address = sym->address;
			break;
		}
	}
	return 0;
}

size_t functions__find_addresses(struct functions *functions, struct names *names)
{
	struct twins twins = { .functions = functions, .kcore = -1 };
	size_t kept = 0, lost = 0;
	bool any = false;

	qsort(functions->list, functions->count, sizeof(*functions->list), compare_names);
	for (size_t i = 0; i < functions->count; i++) {
		struct function *function = &functions->list[i];
		bool twin = (i && !strcmp(function->name, function[-1].name)) ||
			    (i + 1 < functions->count && !strcmp(function->name, function[1].name));

		/* of several with one name the kernel tells the first: where it is not the one, all of them are looked up in the list */
		if (!twin)
			function->address = names__address(names, function->module, function->name);
		if (function->address && !names__has_hook(names)) {
			function->address = 0;
			twin = true;
		}
		any |= twin;
	}
	if (any) {
		twins.kcore = ktext__open();
		ksyms__each_function(note_twin, &twins);
		if (twins.kcore >= 0)
			close(twins.kcore);
	}
	for (size_t i = 0; i < functions->count; i++) {
		if (functions->list[i].address) {
			functions->list[kept++] = functions->list[i];
			continue;
		}
		lost++;
		free(functions->list[i].name);
		free(functions->list[i].module);
	}
	functions->count = kept;
	return lost;
}
