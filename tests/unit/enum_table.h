/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The enumerators that stand in print fmts of a corpus (corpus.h), as BTF for lib/printfmt/enums.h: tests/data/enums/KERNEL.txt has a line
 * "u32 NAME VALUE" for each, and "event NAME" for each tracepoint of vmlinux itself that has them. They were taken from the BTF in vmlinux of
 * the kernel package with that version.
 */
#ifndef ENUM_TABLE_H
#define ENUM_TABLE_H

#include <bpf/btf.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "lib/printfmt/enums.h"

static char enum_table_path[] = "/tmp/enums.XXXXXX";

/* Reads BTF that was made here from now on. Exits where it cannot be written. */
static inline void enum_table_write(const struct btf *btf)
{
	static int fd = -1;
	__u32 size;
	const void *bytes = btf__raw_data(btf, &size);

	if (fd < 0)
		fd = mkstemp(enum_table_path);
	if (fd < 0 || !bytes || ftruncate(fd, 0) || pwrite(fd, bytes, size, 0) != (ssize_t)size) {
		perror(enum_table_path);
		exit(1);
	}
	enums__use(enum_table_path);
}

static inline void enum_table_end(void)
{
	unlink(enum_table_path);
	enums__use(NULL);
}

static inline void enum_table_use(const char *kernel)
{
	struct btf *btf = btf__new_empty();
	char path[256], event[192], name[128];
	int proto = 0, values = 0;
	long long value;
	FILE *file;

	snprintf(path, sizeof(path), "tests/data/enums/%s.txt", kernel);
	file = fopen(path, "r");
	if (!file || !btf) {
		perror(path);
		exit(1);
	}
	proto = btf__add_func_proto(btf, 0);
	while (fscanf(file, "event %127s ", name) == 1) {
		snprintf(event, sizeof(event), "btf_trace_%s", name);
		btf__add_typedef(btf, event, proto);
	}
	btf__add_enum(btf, NULL, 4);
	while (fscanf(file, "u32 %127s %lld ", name, &value) == 2)
		values += !btf__add_enum_value(btf, name, value);
	if (!feof(file) || values < 20) {
		fprintf(stderr, "%s: is damaged\n", path);
		exit(1);
	}
	fclose(file);
	enum_table_write(btf);
	btf__free(btf);
}

#endif
