/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The user side of lib/bpf/file_op.bpf.h, file_times.bpf.h and file_requests.bpf.h: which system calls do what with files, --fs, and which
 * programs run.
 */
#ifndef PROBELIGHT_FILE_OPS_H
#define PROBELIGHT_FILE_OPS_H

#include <argp.h>
#include <stdbool.h>

#include "foreign_options.h"
#include "tool.h"

enum { FILE_OPS_KEY_FS = 0x300, FILE_OPS_KEY_AIO };

/* For a tool's own options, and for its parse(): file_ops__parse() takes it, and answers false to others.  Exits on bad usage. */
#define FILE_OPS_OPTIONS                                                                                                            \
	{ "fs", FILE_OPS_KEY_FS, "TYPE", 0, "files of this type of file system only (ext4, xfs, nfs4, overlay)", 0 },             \
	{ "aio", FILE_OPS_KEY_AIO, NULL, 0, "requests of io_submit(2) also if no process has a context for them yet", 0 }
bool file_ops__parse(int key, const char *text);

/* For about.foreign_options: what other collections' tools call it. */
#define FILE_OPS_FOREIGN_OPTIONS                                                                              \
	{ "--type", "--fs TYPE selects a type of file system; -t is a thread" },                              \
	{ "--minimum", "--slower TIME: 10ms, 500us, 2s" }

/* "read", "write", "open", "sync", "create"; enum file_op. */
const char *file_op__name(unsigned int op);

/* "call", "io_uring", "aio"; enum file_via. */
const char *file_via__name(unsigned int via);

/*
 * Between tool__opened() and tool__load(): sets the programs' read-only data, and of those whose names begin with file_
 * chooses the ones on raw tracepoints or on events, by the ends of their names (…_event).  Of those that see requests (request_…)
 * it chooses the ones whose events the kernel has.
 */
void file_ops__prepare(struct tool *tool);

/*
 * After tool__load(): attaches the probes of io_submit(2) with --aio, and where a process has a context for such requests
 * (/proc/sys/fs/aio-nr).  Where that fails it says so, and the tool goes on without them.
 */
void file_ops__attach(struct tool *tool);

#endif
