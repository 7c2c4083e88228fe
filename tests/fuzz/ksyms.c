/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libFuzzer target: lib/ksyms on a kallsyms of any bytes.  The first line is what is looked for, NAME or MODULE:NAME; a module that
 * is loaded chooses the names of its symbols.
 */
#include "lib/kernel/ksyms.h"

#include "fuzz.h"

static int check_one(void *context, const struct ksym *sym)
{
	REQUIRE(*sym->name && !strchr(sym->name, '\n'));
	REQUIRE(!sym->module || !strchr(sym->module, ']'));
	*(size_t *)context += ksym__is_function(sym);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *newline = size ? memchr(data, '\n', size) : NULL;
	size_t head = newline ? (size_t)(newline - data) : size, functions = 0, loaded = 0;
	char *name = fuzz_string(data, head), *module = NULL, *colon = strchr(name, ':');
	struct ksyms_match *match = malloc(sizeof(*match));
	struct ksyms *ksyms;
	uint64_t offset;
	int err;

	if (colon) {
		*colon = '\0';
		module = name;
	}
	ksyms__use(newline ? fuzz_file(newline + 1, size - head - 1) : "/dev/null");
	err = ksyms__each(check_one, &functions);
	REQUIRE(match && ksyms__find(module, colon ? colon + 1 : name, match) == err);
	REQUIRE(match->nearest_count <= KSYMS_NEAREST && strlen(match->module) < KSYMS_MODULE_MAX);
	for (unsigned int i = 0; i < match->nearest_count; i++)
		REQUIRE(*match->nearest[i] && strlen(match->nearest[i]) < KSYMS_NAME_MAX);
	for (unsigned int i = 0; i < match->variants_count && i < KSYMS_VARIANTS; i++)
		REQUIRE(!strncmp(match->variants[i], colon ? colon + 1 : name, strlen(match->variants[i])) ||
			strchr(match->variants[i], '.'));
	ksyms__size(match->address);
	ksyms = ksyms__load();
	if (ksyms) {
		for (const struct ksym *sym; (sym = ksyms__get(ksyms, loaded)); loaded++) {
			const struct ksym *at = ksyms__at(ksyms, sym->address, &offset);

			REQUIRE(at && at->address == sym->address && !offset);
			REQUIRE(loaded == 0 || ksyms__get(ksyms, loaded - 1)->address <= sym->address);
			REQUIRE(ksyms__address(ksyms, sym->module, sym->name));
		}
		REQUIRE(!err && loaded == functions);
	}
	ksyms__free(ksyms);
	free(match);
	free(name);
	return 0;
}
