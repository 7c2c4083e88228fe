/* SPDX-License-Identifier: BSD-2-Clause */
/* What is to be said of one of those that are attached to a function: as text, as JSON. */
#ifndef PROBELIGHT_PROBED_TEXT_H
#define PROBELIGHT_PROBED_TEXT_H

#include <stdio.h>

#include "lib/probe/probed.h"

/* "kprobes", "ftrace", "event", "bpf" */
const char *probed_by__name(enum probed_by by);

/* One line of text, without a newline, in what (size bytes; cut there). */
void probed__describe(const struct probed *probed, char *what, size_t size);

/* A JSON object. */
void probed__json(FILE *to, const struct probed *probed);

#endif
