/* SPDX-License-Identifier: BSD-2-Clause */
#include "refuse.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "exit.h"
#include "habits.h"

/*
 * The option of a table with this key, or, where key is 0, with a name that begins with name (length bytes; getopt
 * takes a beginning for the whole); or NULL.
 */
static const struct argp_option *find_option(const struct argp_option *options, int key, const char *name, size_t length)
{
	for (; options && (options->name || options->key || options->doc); options++)
		if (key ? options->key == key : options->name && length && !strncmp(options->name, name, length))
			return options;
	return NULL;
}

/* The options of a command line, and what people expect beside them. */
struct known {
	const struct argp_option *own, *shared;
	const struct habit *habits;
};

static const struct argp_option *find_any(const struct known *known, int key, const char *name, size_t length)
{
	const struct argp_option *own = find_option(known->own, key, name, length);

	return own ? own : find_option(known->shared, key, name, length);
}

static void refuse_unknown(const struct known *known, const char *word)
{
	const char *instead = habits__instead(known->habits, word);

	if (instead)
		usage_error("%s: not an option here: %s", word, instead);
	usage_error("%s: unknown option", word);
}

/* Others' option of that name may take no value, and do something else. */
static void refuse_valueless(const struct known *known, const char *word, const struct argp_option *option)
{
	/* bcc's -t is a column with the time */
	const char *instead = option->key == 't' ? "-T prints the time" : habits__instead(known->habits, word);

	if (instead)
		usage_error("%s: it needs a value, %s (%s)", word, option->arg, instead);
	usage_error("%s: it needs a value, %s", word, option->arg);
}

void refuse__option(const struct argp_option *own, const struct argp_option *shared, const struct habit *habits, int argc, char **argv)
{
	const struct known known = { own, shared, habits };

	/* what follows "--" are words of a command */
	for (int i = 1; i < argc && strcmp(argv[i], "--"); i++) {
		const char *word = argv[i], *name = word + 2;
		const struct argp_option *option = NULL;

		if (*word != '-' || !word[1])
			continue;
		if (word[1] == '-') {
			size_t length = strcspn(name, "=");

			option = find_any(&known, 0, name, length);
			if (option && name[length] && !option->arg)
				usage_error("%s: it takes no value", word);
			if (option && name[length])
				continue;
		} else {
			const char *letter = word + 1;

			while ((option = find_any(&known, *letter, NULL, 0)) && !option->arg && letter[1])
				letter++;
			if (option && option->arg && letter[1])
				continue;
		}
		if (!option)
			refuse_unknown(&known, word);
		if (option->arg && ++i == argc)
			refuse_valueless(&known, word, option);
	}
	usage_error("an option can be understood in more than one way");
}
