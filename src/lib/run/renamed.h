/* SPDX-License-Identifier: BSD-2-Clause */
/* Options that had another name before: they go on working, with a line that says what the name is now. */
#ifndef PROBELIGHT_RENAMED_H
#define PROBELIGHT_RENAMED_H

/* A tool's options have an entry with OPTION_HIDDEN for `key`, of which its parse never hears: it gets key_now. */
struct renamed {
	int key;
	int key_now;
	const char *was, *now;		/* "-m", "--module MODULE"; a NULL was ends the table */
	const char *unit;		/* "ms": its value was a number of these, and has its unit behind it now; or NULL */
};

/*
 * The key that parse gets for one of the command line: its own, or that of the new name, and then one line on stderr, and *arg is good
 * until the next call.  table: or NULL; arg: NULL where no option of the table has a unit.
 */
int renamed__key(const struct renamed *table, int key, char **arg);

#endif
