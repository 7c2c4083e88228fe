/* SPDX-License-Identifier: BSD-2-Clause */
/* What is wrong with a command line: argp and getopt tell neither which word they did not like nor why. */
#ifndef PROBELIGHT_REFUSE_H
#define PROBELIGHT_REFUSE_H

#include <argp.h>

struct foreign_option;

/*
 * Says in one line what is wrong with the first word that getopt refused, and exits with status 2.  The options are the
 * tool's own (may be NULL) and the shared ones, each table ended as for argp(3); foreign_options as for foreign_options__instead().
 */
void refuse__option(const struct argp_option *own, const struct argp_option *shared, const struct foreign_option *foreign_options,
		    int argc, char **argv) __attribute__((noreturn));

/*
 * The same for a tool with options of its own, as for getopt_long(3): word is the one that it refused. The line names
 * what to type instead, or the nearest option, or says why else the word may be wrong.
 */
struct option;
void refuse__word(const struct option *options, const struct foreign_option *foreign_options, const char *word, const char *why)
	__attribute__((noreturn));

#endif
