/* SPDX-License-Identifier: BSD-2-Clause */
#include "user_signature.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "user_args.h"
#include "user_prototypes.h"

/* Where nothing is known: the registers that calls have arguments in. */
static const char unknown[] = "unsigned long arg0, unsigned long arg1, unsigned long arg2, unsigned long arg3, unsigned long arg4, "
			      "unsigned long arg5, "
#if CALL_ARGS > 6
			      "unsigned long arg6, unsigned long arg7, "
#endif
			      "long ret";

/* As user_args.h has a name that is no parameter's. */
#define RESULT "ret"
#define RESULT_AS_PARAMETER "result"

struct parts {
	const char *names[USER_ARGS_MAX + 1], *types[USER_ARGS_MAX + 1];
	size_t count;
	char *result;		/* its type, or NULL */
};

static int take_part(struct parts *parts, const char *function, char *part, struct fault *fault)
{
	char *type, *name;

	part += strspn(part, " ");
	if (!*part || !strcmp(part, "void"))
		return 0;
	if (!user_args__split(part, &type, &name))
		return fault__set(fault, -EINVAL, "%s: \"%.64s\" is no declaration, such as int fd", function, part);
	if (!type)
		return fault__set(fault, -ENOMEM, "%s: no memory", function);
	if (!strcmp(name, RESULT)) {
		free(parts->result);
		parts->result = type;
		return 0;
	}
	if (parts->count == USER_ARGS_MAX) {
		free(type);
		return fault__set(fault, -EINVAL, "%s: only the first %d parameters are in registers", function, USER_ARGS_MAX);
	}
	parts->names[parts->count] = name;
	parts->types[parts->count++] = type;
	return 0;
}

/* Adds the parameters in their order: fields of a format may have another one. */
static int add_all(struct signature *signature, const char *function, const struct parts *parts, struct fault *fault)
{
	const struct user_args_wanted wanted = { .names = parts->names, .types = parts->types, .count = parts->count };
	struct format *format;
	struct fault reason;
	int err;

	if (!parts->count)
		return 0;
	/* its words begin with the event, "u:NAME: " */
	err = user_args__format(function, NULL, &wanted, &format, &reason);
	if (err)
		return fault__set(fault, err, "%s", reason.text + (strncmp(reason.text, USER_CALL ":", 2) ? 0 : 2));
	for (size_t i = 0; i < parts->count; i++)
		for (unsigned j = format->common_count; j < format->fields_count; j++)
			if (!strcmp(format->fields[j].name, parts->names[i]))
				signature__add(signature, &format->fields[j]);
	format__free(format);
	return 0;
}

/* The result's type, by the same rules as a parameter's. */
static int add_result(struct signature *signature, const char *function, const char *type, struct fault *fault)
{
	struct parts parts = { .names = { RESULT_AS_PARAMETER }, .types = { type }, .count = 1 };
	struct signature other = {};
	int err;

	if (!type || !strcmp(type, "void")) {
		signature->result = (struct signature_value){ .declared = "void" };
		return 0;
	}
	err = add_all(&other, function, &parts, fault);
	if (err)
		return err;
	signature->result = other.params[0];
	strcpy(signature->result.name, RESULT);
	return 0;
}

int user_signature__make(struct signature *signature, const char *name, const char *declared, bool *are_known, struct fault *fault)
{
	const char *colon = strrchr(name, ':'), *text = declared ?: user_prototype(colon ? colon + 1 : name);
	char *copy = strdup(text ?: unknown), *rest = copy, *part;
	struct parts parts = {};
	int err = copy ? 0 : fault__set(fault, -ENOMEM, "%s: no memory", name);

	*signature = (struct signature){};
	*are_known = text;
	while (!err && rest && (part = strsep(&rest, ",")))
		err = take_part(&parts, name, part, fault);
	/* who declares parameters only has said nothing of the result */
	if (!err && declared && !parts.result)
		parts.result = strdup("long");
	if (!err)
		err = add_all(signature, name, &parts, fault) ?: add_result(signature, name, parts.result, fault);
	for (size_t i = 0; i < parts.count; i++)
		free((void *)parts.types[i]);
	free(parts.result);
	free(copy);
	return err;
}
