/* SPDX-License-Identifier: BSD-2-Clause */
#include "entries.h"

#include <string.h>

#include "lib/kernel/names.h"

/* Whether the kernel tells them all. */
static bool ask_addresses(struct attach *attach, const char *const *functions, uint64_t *addresses)
{
	static struct attach_address known[ENTRIES_MAX];
	struct names names;
	bool is_known = true;
	size_t count = 0;

	names__open(&names, false);
	for (size_t i = 0; functions[i] && i < ENTRIES_MAX && is_known; i++) {
		if (!*functions[i])
			continue;
		addresses[i] = names__ask_address(&names, functions[i]);
		known[count++] = (struct attach_address){ functions[i], addresses[i] };
		is_known = addresses[i];
	}
	names__close(&names);
	attach->known = known;
	attach->known_count = count;
	return is_known;
}

static bool is_on_one_of(const struct bpf_program *program, const char *const *functions)
{
	const char *section = bpf_program__section_name(program);

	if (strncmp(section, "kprobe/", 7))
		return false;
	while (*functions && strcmp(section + 7, *functions))
		functions++;
	return *functions;
}

static struct bpf_program *find_program(const struct bpf_object *object, const char *function)
{
	struct bpf_program *program;

	bpf_object__for_each_program(program, object)
		if (is_on_one_of(program, (const char *const[]){ function, NULL }))
			return program;
	return NULL;
}

void entries__leave_out(const struct bpf_object *object, const char **functions, size_t index)
{
	bpf_program__set_autoload(find_program(object, functions[index]), false);
	functions[index] = "";
}

bool entries__choose(struct attach *attach, const struct bpf_object *object, const char *any, const char *const *functions,
		     uint64_t *addresses)
{
	bool is_one = attach__may_all(attach) && ask_addresses(attach, functions, addresses);
	struct bpf_program *program;

	bpf_object__for_each_program(program, object) {
		if (!strcmp(bpf_program__name(program), any))
			bpf_program__set_autoload(program, is_one);
		else if (is_on_one_of(program, functions))
			bpf_program__set_autoload(program, !is_one);
	}
	return is_one;
}

int entries__attach(struct attach *attach, struct bpf_program *any, struct bpf_link **link, const char *const *functions)
{
	const char *there[ENTRIES_MAX + 1] = { NULL };
	size_t count = 0;

	for (size_t i = 0; functions[i] && i < ENTRIES_MAX; i++)
		if (*functions[i])
			there[count++] = functions[i];
	return attach__all(attach, any, link, there);
}
