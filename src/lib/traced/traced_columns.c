/* SPDX-License-Identifier: BSD-2-Clause */
#include "traced_columns.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/btf/prototype.h"
#include "lib/print/json.h"
#include "lib/print/text.h"
#include "lib/print/text_buffer.h"
#include "lib/run/intervals.h"

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
	snprintf(text, TRACED_NAME_MAX, "%.511s%s%.255s%s", function->name, function->module ? " [" : "",
		 function->module ? function->module : "", function->module ? "]" : "");
}

/* module_size 0: it has none. */
static void describe(struct interval_key *to, const char *name, size_t size, const char *module, size_t module_size)
{
	static char text[TEXT_ESCAPED_MAX(TRACED_NAME_MAX) + 16], json[6 * TRACED_NAME_MAX + 64];
	char *end = stpcpy(text, "function = ");
	size_t characters;

	end = text__escape(end, name, size, &characters);
	if (module_size) {
		end = stpcpy(end, " [");
		end = text__escape(end, module, module_size, &characters);
		*end++ = ']';
	}
	*end = 0;
	end = json__quote(stpcpy(json, "{\"function\":"), name, size);
	end = stpcpy(end, ",\"module\":");
	end = module_size ? json__quote(end, module, module_size) : stpcpy(end, "null");
	stpcpy(end, "}");
	*to = (struct interval_key){ .text_more = text, .json_more = json };
}

void traced__describe(struct interval_key *to, const struct function *function)
{
	if (function)
		describe(to, function->name, strnlen(function->name, KSYMS_NAME_MAX - 1), function->module,
			 function->module ? strnlen(function->module, TRACED_FILE_MAX - 1) : 0);
	else
		describe(to, "?", 1, NULL, 0);
}

void traced__describe_text(struct interval_key *to, const char *text)
{
	const char *module = strstr(text, " [");

	describe(to, text, module ? (size_t)(module - text) : strlen(text), module ? module + 2 : NULL, module ? strcspn(module + 2, "]") : 0);
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
