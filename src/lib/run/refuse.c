/* SPDX-License-Identifier: BSD-2-Clause */
#include "refuse.h"

#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "exit.h"
#include "foreign_options.h"
#include "lib/print/near.h"

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
	const struct foreign_option *foreign_options;
};

static const struct argp_option *find_any(const struct known *known, int key, const char *name, size_t length)
{
	const struct argp_option *own = find_option(known->own, key, name, length);

	return own ? own : find_option(known->shared, key, name, length);
}

static void add_nearest(struct near *near, const struct argp_option *options, const char *name)
{
	for (; options && (options->name || options->key || options->doc); options++)
		if (options->name && !(options->flags & OPTION_HIDDEN))
			near__add(near, options->name, near__typed(options->name, name, near__limit(near)));
}

/* Ends the run where an option is near. */
static void refuse_near(const char *word, const struct near *near)
{
	if (near->count)
		usage_error("%s: unknown option; the nearest is --%s", word, near->names[0]);
}

/* The name in "--name=value", to name (size bytes). Returns name. */
static const char *name_of(const char *word, char *name, size_t size)
{
	snprintf(name, size, "%.*s", (int)strcspn(word + 2, "="), word + 2);
	return name;
}

void refuse__word(const struct option *options, const struct foreign_option *foreign_options, const char *word, const char *why)
{
	const char *instead = foreign_options__instead(foreign_options, word);
	char name[64];
	struct near near;

	if (instead)
		usage_error("%s: not an option here: %s", word, instead);
	if (!strncmp(word, "--", 2)) {
		near__init(&near, near__typed_limit(name_of(word, name, sizeof(name))), 1);
		for (; options->name; options++) {
			/* one that is there is wrong for another reason */
			if (strncmp(options->name, name, strlen(name)))
				near__add(&near, options->name, near__typed(options->name, name, near__limit(&near)));
			else
				usage_error("%s: %s", word, why);
		}
		refuse_near(word, &near);
	}
	usage_error("%s: %s", word, why);
}

static void refuse_unknown(const struct known *known, const char *word)
{
	const char *instead = foreign_options__instead(known->foreign_options, word);
	char name[64];
	struct near near;

	if (instead)
		usage_error("%s: not an option here: %s", word, instead);
	if (word[1] == '-') {
		near__init(&near, near__typed_limit(name_of(word, name, sizeof(name))), 1);
		add_nearest(&near, known->own, name);
		add_nearest(&near, known->shared, name);
		refuse_near(word, &near);
	}
	usage_error("%s: unknown option", word);
}

/* The beginning of several options: getopt takes it for none. */
static void add_beginning(const struct argp_option *options, const char *name, size_t length, char *text, size_t size)
{
	for (; options && (options->name || options->key || options->doc); options++) {
		size_t used = strlen(text);

		if (options->name && !(options->flags & OPTION_HIDDEN) && !strncmp(options->name, name, length))
			snprintf(text + used, size - used, "%s--%s", used ? ", " : "", options->name);
	}
}

__attribute__((noreturn))
static void refuse_ambiguous(const struct known *known, int argc, char **argv)
{
	char text[256];

	for (int i = 1; i < argc; i++) {
		const char *word = argv[i];

		if (word[0] != '-' || word[1] != '-' || !word[2])
			continue;
		*text = '\0';
		add_beginning(known->own, word + 2, strcspn(word + 2, "="), text, sizeof(text));
		add_beginning(known->shared, word + 2, strcspn(word + 2, "="), text, sizeof(text));
		if (strchr(text, ','))
			usage_error("%s: it can be %s", word, text);
	}
	usage_error("an option can be understood in more than one way");
}

/* Others' option of that name may take no value, and do something else. */
static void refuse_valueless(const struct known *known, const char *word, const struct argp_option *option)
{
	/* bcc's -t is a column with the time */
	const char *instead = option->key == 't' ? "-T prints the time" : foreign_options__instead(known->foreign_options, word);

	if (instead)
		usage_error("%s: it needs a value, %s (%s)", word, option->arg, instead);
	usage_error("%s: it needs a value, %s", word, option->arg);
}

void refuse__option(const struct argp_option *own, const struct argp_option *shared, const struct foreign_option *foreign_options,
		    int argc, char **argv)
{
	const struct known known = { own, shared, foreign_options };

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
	refuse_ambiguous(&known, argc, argv);
}
