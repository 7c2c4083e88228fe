/* SPDX-License-Identifier: BSD-2-Clause */
/* The lines of the kernel's files that tell of probes (probed.h). */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "funcname.h"
#include "gather.h"
#include "probed.h"

/* "name+0x4" becomes "name", and the offset is returned. */
static uint64_t cut_offset(char *name)
{
	char *plus = strrchr(name, '+');

	if (!plus)
		return 0;
	*plus = '\0';
	return strtoull(plus + 1, NULL, 0);
}

bool probed__parse_kprobe(const char *line, struct probed *probed)
{
	char symbol[KSYMS_NAME_MAX], type, flags[64] = "";
	const char *rest;
	uint64_t offset;
	int used = 0;

	memset(probed, 0, sizeof(*probed));
	if (sscanf(line, "%lx %c %511s%n", (unsigned long *)&probed->address, &type, symbol, &used) != 3 || !used)
		return false;
	offset = cut_offset(symbol);
	if (!*symbol)
		return false;
	probed->by = PROBED_BY_KPROBE;
	probed->is_return = type == 'r';
	probed->offset = offset;
	probed->function = strdup(symbol);
	/* then the module, if any, and flags in brackets */
	for (rest = line + used; *rest; rest++) {
		size_t length = strlen(flags);

		if (*rest == '[') {
			size_t flag = strcspn(rest + 1, "]");

			if (length + flag + 2 < sizeof(flags))
				snprintf(flags + length, sizeof(flags) - length, "%s%.*s", length ? " " : "", (int)flag, rest + 1);
			rest += flag;
		} else if (!isspace((unsigned char)*rest) && *rest != ']' && !probed->module) {
			probed->module = strndup(rest, strcspn(rest, " \t\n["));
			rest += strcspn(rest, " \t\n[") - 1;
		}
	}
	probed->flags = strdup(flags);
	return true;
}

/* "kprobe_ftrace_handler+0x0/0x1d0" becomes "kprobe_ftrace_handler", wherever it stands. */
char *probed__without_sizes(const char *text)
{
	char *copy = strdup(text), *at = copy, *start;

	while (at && (start = strstr(at, "+0x0/0x"))) {
		char *end = start + 7 + strspn(start + 7, "0123456789abcdef");

		memmove(start, end, strlen(end) + 1);
		at = start;
	}
	return copy;
}

bool probed__parse_ftrace(const char *line, struct probed *probed)
{
	const char *open = strstr(line, " ("), *bracket, *letter;
	size_t length = strcspn(line, " ");
	char flags[32] = "";
	char *end;

	memset(probed, 0, sizeof(*probed));
	if (!length || *line == '\t' || *line == '#' || !open || !isdigit((unsigned char)open[2]))
		return false;
	probed->by = PROBED_BY_FTRACE;
	probed->function = strndup(line, length);
	bracket = strstr(line, " [");
	if (bracket && bracket < open)
		probed->module = strndup(bracket + 2, strcspn(bracket + 2, "]"));
	probed->ops = strtoul(open + 2, &end, 10);
	for (letter = end; *letter && *letter != '\t' && *letter != '-'; letter++) {
		size_t used = strlen(flags);

		if (isupper((unsigned char)*letter) && used + 3 < sizeof(flags))
			snprintf(flags + used, sizeof(flags) - used, "%s%c", used ? " " : "", *letter);
	}
	probed->flags = strdup(flags);
	letter += strspn(letter, " \t");
	if (*letter)
		probed->trampoline = probed__without_sizes(letter);
	return true;
}

bool probed__parse_event(const char *line, struct probed *probed)
{
	char event[160], where[FUNCNAME_MAX], *percent;
	struct funcname name;

	memset(probed, 0, sizeof(*probed));
	if (sscanf(line, "%*[prf0-9]:%159s %607s", event, where) != 2)
		return false;
	percent = strchr(where, '%');
	if (percent)
		*percent = '\0';
	if (funcname__parse(where, &name))
		return false;
	probed->by = PROBED_BY_EVENT;
	probed->is_return = *line == 'r' || percent;
	if (*line == 'f')
		probed->how = percent ? "fprobe at return" : "fprobe";
	else
		probed->how = *line == 'r' ? "kretprobe" : "kprobe";
	probed->event = strdup(event);
	probed->function = strdup(name.function);
	probed->module = *name.module ? strdup(name.module) : NULL;
	probed->offset = name.offset;
	return true;
}
