/* SPDX-License-Identifier: BSD-2-Clause */
#include "request.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/format/kfuncs.h"
#include "lib/format/rawtps.h"
#include "lib/format/syscall_format.h"

static const char *const systems[REQUEST_SOURCES] = {
	[REQUEST_RAWTP] = RAWTPS_SYSTEM, [REQUEST_CALL] = KFUNCS_CALL,
	[REQUEST_CALL_RETURN] = KFUNCS_RETURN, [REQUEST_SYSCALL] = SYSCALL_ENTER,
	[REQUEST_SYSCALL_RETURN] = SYSCALL_RETURN,
};

bool request__is_function(enum request_source source)
{
	return source == REQUEST_CALL || source == REQUEST_CALL_RETURN;
}

const char *request__system(enum request_source source)
{
	return systems[source];
}

void request__explain(const char *filter, const struct expr_error *error, struct fault *fault)
{
	if (error->column)
		fault__set(fault, -EINVAL, "filter \"%.120s\", column %u: %s", filter, error->column, error->why);
	else
		fault__set(fault, -EINVAL, "filter \"%.120s\": %s", filter, error->why);
}

static int take_filter(struct requests *requests, const char *text, struct fault *fault)
{
	struct request *last = requests->count ? &requests->list[requests->count - 1] : NULL;
	const char **filter_text = last ? &last->filter_text : &requests->filter_text;
	struct expr **filter = last ? &last->filter : &requests->filter;
	struct expr_error error;
	int err;

	if (*filter)
		return fault__set(fault, -EINVAL, "if \"%.120s\": %s has a filter already (&& joins two)", text, last ?
				  "the event before it" : "every event");
	err = expr__parse(filter, text, &error);
	if (err)
		request__explain(text, &error, fault);
	*filter_text = text;
	return err;
}

/* Cuts spaces off both ends. */
static char *trim(char *text)
{
	size_t length;

	text += strspn(text, " \t\n");
	length = strlen(text);
	while (length && isspace((unsigned char)text[length - 1]))
		text[--length] = 0;
	return text;
}

/* Whether it may be a field's name: of an argument, also a member, with "/x" behind it for hexadecimal numbers, "/s" for symbols. */
static bool is_field(const struct request *request, const char *name)
{
	static const char word[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
	size_t length = strspn(name, word);

	/* of a tracepoint, an element of an array */
	if (length && request->source == REQUEST_TRACEPOINT && name[length] == '[')
		return !strcmp(name + length + 1 + strspn(name + length + 1, "0123456789"), "]") && name[length + 1] != ']';
	if (!length || request->source == REQUEST_TRACEPOINT)
		return length && !name[length];
	while (strchr("->.[]:", name[length]) && name[length])
		length += 1 + strspn(name + length + 1, word);
	return !name[length] || !strcmp(name + length, "/x") ||
	       (!strcmp(name + length, "/s") && request->source != REQUEST_SYSCALL && request->source != REQUEST_SYSCALL_RETURN);
}

/* "(a, b)": from behind the opening parenthesis. */
static int take_fields(struct request *request, char *at, const char *argument, struct fault *fault)
{
	char *end = strchr(at, ')'), *field;

	if (!end || *trim(end + 1))
		return fault__set(fault, -EINVAL, "\"%.120s\": the list of fields is not closed by a \")\" at its end",
				  argument);
	*end = 0;
	while ((field = strsep(&at, ","))) {
		field = trim(field);
		if (!is_field(request, field))
			return fault__set(fault, -EINVAL, "\"%.120s\": \"%.40s\" is no field's name", argument, field);
		if (request->fields_count == REQUEST_FIELDS_MAX)
			return fault__set(fault, -EINVAL, "\"%.120s\": more than %d fields", argument, REQUEST_FIELDS_MAX);
		request->fields[request->fields_count++] = field;
	}
	return 0;
}

static bool is_pattern(const char *text)
{
	return *text && strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.*?[]!") == strlen(text);
}

/* "[MODULE:]FUNC[+OFFSET]", of which the first two may be patterns. */
static bool is_function(const char *text)
{
	const char *name = strchr(text, ':') ? strchr(text, ':') + 1 : text, *plus = strchr(name, '+');

	if (name - text == 1 || (plus && !isdigit((unsigned char)plus[1])) || plus == name)
		return false;
	return *name && strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.*?[]!:+") == strlen(text) &&
	       !strchr(name, ':');
}

/* "[tp:][SYSTEM:]NAME[(FIELD,...)]" or "SOURCE:NAME[(FIELD,...)]", of which request->text is a copy. */
static int parse_event(struct request *request, const char *argument, struct fault *fault)
{
	char *at = request->text, *paren = strchr(at, '('), *colon;

	if (paren)
		*paren = 0;
	at = trim(at);
	if (!strncmp(at, "tp:", 3))
		at += 3;
	colon = strpbrk(at, ":/");
	request->system = colon ? at : "*";
	request->name = colon ? colon + 1 : at;
	if (colon)
		*colon = 0;
	for (enum request_source source = REQUEST_TRACEPOINT; source < REQUEST_SOURCES; source++)
		if (systems[source] && !strcmp(request->system, systems[source]))
			request->source = source;
	if (!is_pattern(request->system) || !(request__is_function(request->source) ? is_function : is_pattern)(request->name))
		return fault__set(fault, -EINVAL,
				  "\"%.120s\": no event (SYSTEM:NAME is one; a filter is one argument: if 'prev_pid == 0')",
				  argument);
	return paren ? take_fields(request, paren + 1, argument, fault) : 0;
}

static int take_event(struct requests *requests, const char *argument, size_t length, struct fault *fault)
{
	struct request *request;

	if (requests->count == REQUESTS_MAX)
		return fault__set(fault, -EINVAL, "more than %d events", REQUESTS_MAX);
	request = &requests->list[requests->count++];
	*request = (struct request){ .text = strndup(argument, length) };
	if (!request->text)
		return fault__set(fault, -ENOMEM, "no memory");
	return parse_event(request, argument, fault);
}

int requests__take(struct requests *requests, const char *argument, struct fault *fault)
{
	const char *filter = strstr(argument, " if ");
	int err;

	if (requests->expects_filter) {
		requests->expects_filter = false;
		return take_filter(requests, argument, fault);
	}
	if (!strcmp(argument, "if")) {
		requests->expects_filter = true;
		return 0;
	}
	if (!strncmp(argument, "if ", 3))
		return take_filter(requests, argument + 3, fault);
	err = take_event(requests, argument, filter ? (size_t)(filter - argument) : strlen(argument), fault);
	return err || !filter ? err : take_filter(requests, filter + 4, fault);
}

int requests__end(const struct requests *requests, struct fault *fault)
{
	if (!requests->expects_filter)
		return 0;
	return fault__set(fault, -EINVAL, "\"if\": no filter follows it");
}

void requests__free(struct requests *requests)
{
	for (size_t i = 0; i < requests->count; i++) {
		free(requests->list[i].text);
		expr__free(requests->list[i].filter);
	}
	expr__free(requests->filter);
	*requests = (struct requests){};
}

bool request__matches(const struct request *request, const char *system, const char *name)
{
	return !fnmatch(request->system, system, 0) && !fnmatch(request->name, name, 0);
}

bool request__has_pattern(const struct request *request)
{
	return strpbrk(request->system, "*?[") || strpbrk(request->name, "*?[");
}
