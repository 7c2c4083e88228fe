/* SPDX-License-Identifier: BSD-2-Clause */
#include "traced_columns.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/btf/prototype.h"
#include "lib/print/text_buffer.h"
#include "lib/run/intervals.h"

#define KEY_NAME_MAX 120
#define ARGS_SIZE 1024

int traced__load_prototypes(const struct traced *traced, struct tool *tool, struct prototypes **prototypes)
{
	const struct functions *functions = &traced->functions;
	const char **names = calloc(2 * functions->count + 1, sizeof(*names)), **modules = names + functions->count;

	if (!names)
		return tool__fail(tool, -ENOMEM, "no memory for the names of functions");
	for (size_t i = 0; i < functions->count; i++) {
		names[i] = functions->list[i].name;
		modules[i] = functions->list[i].module;
	}
	*prototypes = prototypes__load(PROTOTYPES_BTF, names, modules, functions->count);
	if (!*prototypes)
		say("the functions' parameters are not known: the kernel's BTF cannot be read: %s", strerror(errno));
	free(names);
	return 0;
}

const struct prototype *traced__prototype(const struct traced *traced, const struct prototypes *prototypes, size_t number)
{
	const struct prototype *prototype = prototypes && number < traced->functions.count ? prototypes__at(prototypes, number) : NULL;

	return prototype && prototype->known ? prototype : NULL;
}

void traced__put(struct out *out, const struct function *function)
{
	out__string(out, function ? function->name : "?", function ? strlen(function->name) : 1);
	if (function && function->module)
		out__string(out, function->module, strlen(function->module));
	else
		out__none(out);
}

void traced__put_named(struct out *out, const char *text)
{
	const char *module = strstr(text, " [");

	out__string(out, text, module ? (size_t)(module - text) : strlen(text));
	if (module)
		out__string(out, module + 2, strlen(module) - 3);
	else
		out__none(out);
}

void traced__put_args(struct out *out, const struct prototype *prototype, const uint64_t *values, size_t values_count)
{
	char args[ARGS_SIZE];

	if (prototype && values_count)
		out__strings(out, args, prototype__list(prototype, values, values_count, args, sizeof(args)), 0);
	else
		out__none(out);
}

bool traced__write_result(const struct prototype *prototype, uint64_t bits, char text[TRACED_RESULT_MAX])
{
	static const struct prototype_value unknown;
	struct text_buffer buffer = text_buffer__fixed(text, TRACED_RESULT_MAX);

	if (prototype && !prototype->result.bytes)
		return false;
	prototype_value__add(&buffer, prototype ? &prototype->result : &unknown, bits);
	return true;
}

void traced__text(const struct function *function, char text[TRACED_NAME_MAX])
{
	snprintf(text, TRACED_NAME_MAX, "%.511s%s%.60s%s", function->name, function->module ? " [" : "",
		 function->module ? function->module : "", function->module ? "]" : "");
}

void traced__describe(struct interval_key *to, const char *text)
{
	const char *module = strstr(text, " [");
	/* the names are the kernel's own, of letters, digits, '_' and '.' */
	int size = module ? (int)(module - text) : (int)strlen(text);

	snprintf(to->text, sizeof(to->text), "function = %.170s", text);
	snprintf(to->json, sizeof(to->json), "{\"function\":\"%.*s\",\"module\":%s%.*s%s}", size < KEY_NAME_MAX ? size : KEY_NAME_MAX, text,
		 module ? "\"" : "", module ? (int)strcspn(module + 2, "]") : 4, module ? module + 2 : "null", module ? "\"" : "");
}

size_t traced__find_named(const struct traced *traced, const char *text)
{
	const struct functions *functions = &traced->functions;
	size_t size = strcspn(text, " ");
	char own[TRACED_NAME_MAX];

	for (size_t i = 0; i < functions->count; i++) {
		if (strncmp(functions->list[i].name, text, size) || functions->list[i].name[size])
			continue;
		traced__text(&functions->list[i], own);
		if (!strcmp(own, text))
			return i;
	}
	return SIZE_MAX;
}
