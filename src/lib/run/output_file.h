/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * -o FILE: the output goes there instead of to stdout.  --host: which machine it is of.
 *
 *	output_file__open(path, &tool->out.sink);	before anything is loaded or attached
 *	output_file__begin(&tool->out.sink);		before the first byte, and before capabilities are dropped
 *	output_file__close(&tool->out.sink);
 */
#ifndef PROBELIGHT_OUTPUT_FILE_H
#define PROBELIGHT_OUTPUT_FILE_H

#include "lib/print/sink.h"

/*
 * Opens the file for writing, or makes it, with mode 0644 less the umask, as a shell's > would for this user.  What is in it stays for
 * now: a start that fails leaves the file of the last run as it was.  path NULL: the sink is stdout.  0, or -errno after a message.
 */
int output_file__open(const char *path, struct sink *sink);

/* Empties a regular file; does nothing to a device, a pipe or stdout.  0, or -errno after a message. */
int output_file__begin(const struct sink *sink);

/* The machine's name, untrusted bytes, for out->host: of --host.  Ends the run where it is not known. */
const char *output_file__host(void);

/* Closes the file; a file system may report only now that it has no room.  0, or -errno after a message.  Also of one that is not open. */
int output_file__close(struct sink *sink);

#endif
