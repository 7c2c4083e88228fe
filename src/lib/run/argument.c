/* SPDX-License-Identifier: BSD-2-Clause */
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/print/say.h"
#include "lib/print/text_buffer.h"
#include "argument.h"
#include "exit.h"

uint64_t argument__number(const char *option, const char *text, uint64_t min, uint64_t max)
{
	unsigned long long value;
	char *end;

	errno = 0;
	value = strtoull(text, &end, 10);
	if (!isdigit((unsigned char)*text) || *end || errno || value < min || value > max)
		usage_error("%s \"%s\": not a number from %llu to %llu", option, text, (unsigned long long)min,
			    (unsigned long long)max);
	return value;
}

/* false: it is no number from 0 to 1e9. */
static bool parse_time(const char *text, double *value)
{
	char *end;

	errno = 0;
	*value = strtod(text, &end);
	return (isdigit((unsigned char)*text) || *text == '.') && !*end && !errno && *value >= 0 && *value <= 1e9;
}

uint64_t argument__seconds(const char *option, const char *text)
{
	double seconds;

	if (!parse_time(text, &seconds) || !(seconds > 0))
		usage_error("%s \"%s\": not a time in seconds, such as 10 or 0.5", option, text);
	return (uint64_t)(seconds * 1e9);
}

uint64_t argument__time(const char *option, const char *text)
{
	static const struct {
		const char *name;
		double ns;
	} units[] = { { "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 }, { "", 1e3 } };
	char number[32];
	size_t size = strspn(text, "0123456789.");
	double value;

	snprintf(number, sizeof(number), "%.*s", (int)size, text);
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (!strcmp(text + size, units[i].name) && size < sizeof(number) && parse_time(number, &value) &&
		    value * units[i].ns <= 1e18)
			return (uint64_t)(value * units[i].ns);
	usage_error("%s \"%s\": not a time such as 10ms, 500us or 2s", option, text);
}

uint64_t argument__milliseconds(const char *option, const char *text)
{
	double ms;

	if (!parse_time(text, &ms))
		usage_error("%s \"%s\": not a time in milliseconds, such as 10 or 0.5", option, text);
	return (uint64_t)(ms * 1e6);
}

__attribute__((noreturn))
static void refuse_words(const char *option, const char *list, const char *const *words)
{
	struct text_buffer text = text_buffer__growing(1024);

	for (size_t i = 0; words[i]; i++)
		text_buffer__add(&text, "%s%s", !i ? "" : words[i + 1] ? ", " : " or ", words[i]);
	usage_error("%s \"%s\": not %s, or several as in %s,%s", option, list, text.text, words[0], words[1]);
}

uint32_t argument__words(const char *option, const char *list, const char *const *words)
{
	uint32_t found = 0;

	for (const char *word = list;; word++) {
		size_t length = strcspn(word, ","), i = 0;

		while (words[i] && (strlen(words[i]) != length || memcmp(word, words[i], length)))
			i++;
		if (!words[i])
			refuse_words(option, list, words);
		found |= 1u << i;
		word += length;
		if (!*word)
			return found;
	}
}
