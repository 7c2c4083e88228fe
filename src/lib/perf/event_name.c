/* SPDX-License-Identifier: BSD-2-Clause */
#include "event_name.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/print/near.h"
#include "lib/print/text_buffer.h"

#define NAME_MAX_SIZE 64

/* include/uapi/linux/perf_event.h; the names are those of perf-list(1). */
static const struct {
	const char *name;
	unsigned int type, config;
} names[] = {
	{ "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
	{ "cpu-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
	{ "instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS },
	{ "cache-references", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES },
	{ "cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES },
	{ "branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS },
	{ "branch-instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS },
	{ "branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES },
	{ "bus-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES },
	{ "stalled-cycles-frontend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND },
	{ "stalled-cycles-backend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND },
	{ "ref-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES },
	{ "page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS },
	{ "faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS },
	{ "minor-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN },
	{ "major-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ },
	{ "context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES },
	{ "cs", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES },
	{ "cpu-migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS },
	{ "migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS },
	{ "alignment-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_ALIGNMENT_FAULTS },
	{ "emulation-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_EMULATION_FAULTS },
};

/* Caches in the order of enum perf_hw_cache_id. */
static const char *const caches[] = { "L1-dcache", "L1-icache", "LLC", "dTLB", "iTLB", "branch", "node" };

/* Operations and results, as in "LLC-load-misses". */
static const struct {
	const char *name;
	unsigned int op, result;
} operations[] = {
	{ "loads", PERF_COUNT_HW_CACHE_OP_READ, PERF_COUNT_HW_CACHE_RESULT_ACCESS },
	{ "load-misses", PERF_COUNT_HW_CACHE_OP_READ, PERF_COUNT_HW_CACHE_RESULT_MISS },
	{ "stores", PERF_COUNT_HW_CACHE_OP_WRITE, PERF_COUNT_HW_CACHE_RESULT_ACCESS },
	{ "store-misses", PERF_COUNT_HW_CACHE_OP_WRITE, PERF_COUNT_HW_CACHE_RESULT_MISS },
	{ "prefetches", PERF_COUNT_HW_CACHE_OP_PREFETCH, PERF_COUNT_HW_CACHE_RESULT_ACCESS },
	{ "prefetch-misses", PERF_COUNT_HW_CACHE_OP_PREFETCH, PERF_COUNT_HW_CACHE_RESULT_MISS },
};

#define COUNT(list) (sizeof(list) / sizeof(*(list)))

static bool find_name(const char *name, struct perf_event_attr *attr)
{
	for (size_t i = 0; i < COUNT(names); i++) {
		if (strcmp(names[i].name, name))
			continue;
		attr->type = names[i].type;
		attr->config = names[i].config;
		return true;
	}
	return false;
}

static bool find_cache(const char *name, struct perf_event_attr *attr)
{
	for (size_t i = 0; i < COUNT(caches); i++) {
		size_t size = strlen(caches[i]);

		if (strncmp(name, caches[i], size) || name[size] != '-')
			continue;
		for (size_t j = 0; j < COUNT(operations); j++) {
			if (strcmp(name + size + 1, operations[j].name))
				continue;
			attr->type = PERF_TYPE_HW_CACHE;
			attr->config = i | operations[j].op << 8 | operations[j].result << 16;
			return true;
		}
	}
	return false;
}

static bool find_raw(const char *name, struct perf_event_attr *attr)
{
	char *end;

	if (*name != 'r' || !name[1] || name[1 + strspn(name + 1, "0123456789abcdefABCDEF")] || strlen(name) > 17)
		return false;
	attr->type = PERF_TYPE_RAW;
	attr->config = strtoull(name + 1, &end, 16);
	return true;
}

bool event_name__parse(const char *name, struct perf_event_attr *attr)
{
	size_t size = strcspn(name, ":");
	char bare[NAME_MAX_SIZE];

	if (size >= sizeof(bare) || (name[size] && strcmp(name + size, ":u") && strcmp(name + size, ":k")))
		return false;
	memcpy(bare, name, size);
	bare[size] = '\0';
	if (!find_name(bare, attr) && !find_cache(bare, attr) && !find_raw(bare, attr))
		return false;
	attr->exclude_kernel = !strcmp(name + size, ":u");
	attr->exclude_user = !strcmp(name + size, ":k");
	return true;
}

void event_name__put_near(const char *name, struct text_buffer *to)
{
	struct near near;
	char made[NAME_MAX_SIZE];

	near__init(&near, near__typed_limit(name), 2);
	for (size_t i = 0; i < COUNT(names); i++)
		near__add(&near, names[i].name, near__typed(names[i].name, name, near__limit(&near)));
	for (size_t i = 0; i < COUNT(caches); i++) {
		for (size_t j = 0; j < COUNT(operations); j++) {
			snprintf(made, sizeof(made), "%s-%s", caches[i], operations[j].name);
			near__add(&near, made, near__typed(made, name, near__limit(&near)));
		}
	}
	near__put(&near, to);
}
