/* SPDX-License-Identifier: BSD-2-Clause */
#include "request.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/format/fetch_name.h"
#include "lib/format/kfuncs.h"
#include "lib/format/lsms.h"
#include "lib/format/rawtps.h"
#include "lib/format/syscall_format.h"
#include "lib/format/user_args.h"
#include "lib/format/watch.h"

static const char *const systems[REQUEST_SOURCES] = {
	[REQUEST_RAWTP] = RAWTPS_SYSTEM, [REQUEST_CALL] = KFUNCS_CALL,
	[REQUEST_CALL_RETURN] = KFUNCS_RETURN, [REQUEST_SYSCALL] = SYSCALL_ENTER,
	[REQUEST_SYSCALL_RETURN] = SYSCALL_RETURN, [REQUEST_WATCH] = WATCH_SYSTEM, [REQUEST_LSM] = LSMS_SYSTEM,
	[REQUEST_USER] = USER_CALL, [REQUEST_USER_RETURN] = USER_RETURN,
	[REQUEST_USDT] = USER_PROBE,
};

bool request__is_function(enum request_source source)
{
	return source == REQUEST_CALL || source == REQUEST_CALL_RETURN;
}

bool request__is_user(enum request_source source)
{
	return source == REQUEST_USER || source == REQUEST_USER_RETURN || source == REQUEST_USDT;
}

const char *request__function(const struct request *request)
{
	const char *colon = request__is_user(request->source) ? strrchr(request->name, ':') : NULL;

	return colon ? colon + 1 : request->name;
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

	text += strspn(text, " ");
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

/*
 * Whether it may be a field's name: of an argument, also a member, with "/x" behind it for hexadecimal numbers, "/o" for octal ones, "/s"
 * for symbols.  What is in the grammar of the kernel's probes is read later.
 */
static bool is_field(const struct request *request, const char *name)
{
	static const char word[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
	size_t length = strspn(name, word);

	if ((request__is_function(request->source) || request->source == REQUEST_WATCH) && fetch__is(name))
		return true;
	/* of a tracepoint, an element of an array */
	if (length && request->source == REQUEST_TRACEPOINT && name[length] == '[')
		return !strcmp(name + length + 1 + strspn(name + length + 1, "0123456789"), "]") && name[length + 1] != ']';
	if (!length || request->source == REQUEST_TRACEPOINT)
		return length && !name[length];
	while (strchr("->.[]:", name[length]) && name[length])
		length += 1 + strspn(name + length + 1, word);
	return !name[length] || !strcmp(name + length, "/x") || !strcmp(name + length, "/o") ||
	       (!strcmp(name + length, "/s") && request->source != REQUEST_SYSCALL && request->source != REQUEST_SYSCALL_RETURN);
}

/* Where a field ends: at the next "," or ")" that is not within parentheses of its own, or at the end. */
static char *field_end(char *at)
{
	int depth = 0;

	for (; *at; at++) {
		depth += *at == '(';
		if (!depth && (*at == ',' || *at == ')'))
			return at;
		depth -= *at == ')';
	}
	return at;
}

/* "(a, b)": from behind the opening parenthesis. */
static int take_fields(struct request *request, char *at, const char *argument, struct fault *fault)
{
	char *end, *field;
	bool is_last = false;

	for (; !is_last; at = end + 1) {
		char **type = &request->types[request->fields_count < REQUEST_FIELDS_MAX ? request->fields_count : 0];

		end = field_end(at);
		is_last = *end != ',';
		if (is_last && (!*end || *trim(end + 1)))
			return fault__set(fault, -EINVAL, "\"%.120s\": the list of fields is not closed by a \")\" at its end",
					  argument);
		*end = 0;
		field = trim(at);
		if (request__is_user(request->source) && request->fields_count < REQUEST_FIELDS_MAX &&
		    user_args__split(field, type, &field) && !*type)
			return fault__set(fault, -ENOMEM, "no memory");
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

/* What watch__parse() reads later. */
static bool is_place(const char *text)
{
	return *text && strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.+:") == strlen(text);
}

/* As the kernel's own probes have it: "k:FUNC%return", and "kr1000:FUNC" with the number of calls at the same time. */
static int take_return(struct request *request, const char *argument, struct fault *fault)
{
	const char *mark = strstr(request->name, "%return");
	unsigned long slots;
	char *end;

	if (request->source == REQUEST_CALL && mark && !mark[7]) {
		/* the name is a part of the text */
		request->text[mark - request->text] = 0;
		request->source = REQUEST_CALL_RETURN;
		request->system = KFUNCS_RETURN;
	}
	if (strncmp(request->system, KFUNCS_RETURN, 2) || !isdigit((unsigned char)request->system[2]))
		return 0;
	slots = strtoul(request->system + 2, &end, 10);
	if (*end || !slots || slots > REQUEST_SLOTS_MAX)
		return fault__set(fault, -EINVAL, "\"%.120s\": kr1 to kr%d: for how many calls at the same time", argument, REQUEST_SLOTS_MAX);
	request->slots = (unsigned int)slots;
	request->source = REQUEST_CALL_RETURN;
	request->system = KFUNCS_RETURN;
	return 0;
}

/* "TARGET:FUNC[+OFFSET]", of which the second may be a pattern.  Without a target: of all files of a process. */
static bool is_user_function(const char *text)
{
	const char *name = strrchr(text, ':'), *plus;

	if (!name++ || strpbrk(text, "\t\n"))
		return false;
	plus = strchr(name, '+');
	if (plus && (plus == name || !isdigit((unsigned char)plus[1])))
		return false;
	return *name && strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.*?[]!+@$") == strlen(name);
}

/* What its name may be, by its source. */
static bool is_name(const struct request *request)
{
	if (request__is_user(request->source))
		return is_user_function(request->name);
	return (request__is_function(request->source) ? is_function : is_pattern)(request->name);
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
	if (take_return(request, argument, fault))
		return -EINVAL;
	if ((request->source == REQUEST_CALL || request->source == REQUEST_CALL_RETURN) && strchr(request->name, '%'))
		return fault__set(fault, -EINVAL, "\"%.120s\": behind a function's name %%return may stand, and nothing behind it", argument);
	if (request->source == REQUEST_WATCH ? !is_place(request->name) : !is_pattern(request->system) || !is_name(request))
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
		free(requests->list[i].place);
		for (size_t j = 0; j < REQUEST_FIELDS_MAX; j++)
			free(requests->list[i].types[j]);
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
	return strpbrk(request->system, "*?[") || strpbrk(request__function(request), "*?[");
}
