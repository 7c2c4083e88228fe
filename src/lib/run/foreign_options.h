/* SPDX-License-Identifier: BSD-2-Clause */
/* What people's fingers know from bcc, libbpf-tools and strace: options that are named otherwise here, and -n. */
#ifndef PROBELIGHT_FOREIGN_OPTIONS_H
#define PROBELIGHT_FOREIGN_OPTIONS_H

#include <stddef.h>

/* An option of another collection that a tool does not have, and the sentence that names ours. */
struct foreign_option {
	const char *name;	/* as it is typed, "-q" or "--quote"; "" for an argument where none is expected; NULL ends the table */
	const char *instead;
};

/*
 * The sentence for a word of the command line ("--quote", "--line=x", "-lx"; "" for an argument), from the tool's own table
 * (may be NULL) or the one for all tools; NULL if nobody expects this option.  The string is static.
 */
const char *foreign_options__instead(const struct foreign_option *own, const char *word);

/*
 * bcc's -n finds parts of a name, ours the whole name.  Looks at the processes that run now: if none has exactly the name that -n
 * was given, but the names of others contain it, writes a line to text that names one of these and the option that finds it.
 * Returns text, or NULL where there is nothing to say: no such process, or the name has the form "ngin*" already.
 */
const char *foreign_options__explain_name(const char *name, char *text, size_t size);

#endif
