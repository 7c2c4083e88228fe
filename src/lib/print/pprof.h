/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A profile of stacks in pprof's format: profile.proto (github.com/google/pprof/proto), compressed as gzip does.  go tool pprof, Perfetto
 * and speedscope open it.
 *
 *	static const struct pprof_type types[PPROF_VALUES] = { { "samples", "count" }, { "cpu", "nanoseconds" } };
 *	struct pprof *pprof = pprof__new(types);
 *
 *	pprof__add(pprof, frames, count, &(struct pprof_sample){ .values = { 3, 3000000 }, .comm = "cat", .pid = 12 });
 *	pprof__take(pprof, &(struct pprof_run){ .begin_ns = …, .duration_ns = … }, &bytes, &size);
 *	pprof__free(pprof);
 *
 * Each function is a location of its own: its name, and the file that it is in.  Names are untrusted bytes: they are escaped
 * (text__escape()), since the format's strings are UTF-8.
 */
#ifndef PROBELIGHT_PPROF_H
#define PROBELIGHT_PPROF_H

#include <stddef.h>
#include <stdint.h>

#define PPROF_VALUES 2
#define PPROF_NAME_MAX 1024	/* bytes of a name that are taken */

/* What a value is, trusted words. */
struct pprof_type {
	const char *name, *unit;
};

struct pprof_frame {
	const char *name;
	const char *file;	/* NULL: not known */
};

/* All but the values are labels of the sample. */
struct pprof_sample {
	uint64_t values[PPROF_VALUES];
	const char *comm;	/* NULL: none */
	uint32_t pid;		/* 0: none */
	const char *tag_word, *tag;	/* another one: its key and its text; NULL: none */
};

struct pprof_run {
	uint64_t begin_ns;	/* since 1970 */
	uint64_t duration_ns;
	uint64_t period;	/* one sample stands for so much of the second value; 0: for none */
};

struct pprof;

/* types must live as long.  NULL without memory. */
struct pprof *pprof__new(const struct pprof_type types[PPROF_VALUES]);

/* Takes NULL. */
void pprof__free(struct pprof *pprof);

/* Adds a stack, the innermost function first.  Nothing need outlive the call.  0 or -ENOMEM. */
int pprof__add(struct pprof *pprof, const struct pprof_frame *frames, size_t count, const struct pprof_sample *sample);

/* The profile as a file has it; the caller frees *bytes.  Once, then only pprof__free().  0 or -ENOMEM. */
int pprof__take(struct pprof *pprof, const struct pprof_run *run, char **bytes, size_t *size);

#endif
