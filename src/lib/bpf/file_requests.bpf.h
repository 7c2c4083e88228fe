/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads, writes, opens and syncs of regular files that a process asks for without waiting: requests of io_uring, and reads and writes of
 * io_submit(2).  Each has one begin, where it is submitted, and one end, where its result is told, in whichever task or interrupt that is.
 * Whether the file system has queued it meanwhile (-EIOCBQUEUED) or a worker has done it makes no difference.
 *
 *	io_uring	the events io_uring_submit_sqe (io_uring_submit_req since 6.4) and io_uring_complete
 *	io_submit(2)	aio_read(), aio_write() and aio_complete_rw(), which is ki_complete of all of these.  Probes of three functions are
 *			dear, so they are there only where a process could make such requests when the tool began, or with --aio;
 *			else the call itself is noticed (FILE_CALL_AIO), and the summary says that its requests are not seen.
 *
 * The tool defines what it keeps of the task that asks, struct file_asker, before it includes this, and then file_asker_fill() and
 * file_request_ended().  Include it once in a tool, after vmlinux.h; the user side is lib/run/file_ops.h.
 */
#ifndef PROBELIGHT_FILE_REQUESTS_BPF_H
#define PROBELIGHT_FILE_REQUESTS_BPF_H

#include "call.bpf.h"
#include "file_op.bpf.h"

#define FILE_REQUESTS_MAX 10240	/* under way at the same time; one more is counted as lost */

/* The last of enum file_op that the tool wants. */
#ifndef FILE_REQUEST_LAST_OP
#define FILE_REQUEST_LAST_OP FILE_SYNC
#endif

/* include/uapi/linux/io_uring.h; the same in the low bits of a request's flags */
#define IOSQE_FIXED_FILE (1 << 0)
#define IOSQE_CQE_SKIP_SUCCESS (1 << 6)

/* IORING_OP_…, as bits: READV, READ_FIXED, READ, READV_FIXED; the same for writes; FSYNC, SYNC_FILE_RANGE */
#define URING_READS (1ULL << 1 | 1ULL << 4 | 1ULL << 22 | 1ULL << 60)
#define URING_WRITES (1ULL << 2 | 1ULL << 5 | 1ULL << 23 | 1ULL << 61)
#define URING_SYNCS (1ULL << 3 | 1ULL << 8)
#define URING_OPENS (1ULL << 18 | 1ULL << 28)	/* OPENAT, OPENAT2 */

const volatile bool uring_end_tells_request = false;	/* io_uring_complete has the request, since 5.18 */

struct file_request {
	u64 begun_ns;
	u64 file;		/* 0: the request has it when it ends, or its result tells it */
	u64 req;		/* io_uring's; 0: it is not the one that has the file */
	u16 op;			/* enum file_op */
	u16 via;		/* enum file_via */
	s32 fd;			/* -1: it is not known */
	u64 is_wanted;		/* else it is counted as filtered when its file is known */
	struct file_asker asker;
};

/* The tool's; inline.  Keeps what it needs of the current task, at that time. */
static __always_inline void file_asker_fill(void *ctx, struct file_asker *asker, u64 begun_ns);

/* The tool's; inline.  It is called with what has passed the filters of the task and --fs. */
static __always_inline int file_request_ended(void *ctx, const struct file_request *request, const struct file___part *file, s64 result);

/* By the request's address; or io_uring's context and how the process has named the request. */
struct file_request_key {
	u64 context;
	u64 id;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, FILE_REQUESTS_MAX);
	__type(key, struct file_request_key);
	__type(value, struct file_request);
} requests SEC(".maps");

/* Their layout comes from the running kernel's format files (lib/layout). */
struct tp_io_uring__io_uring_submit_sqe {
	void *ctx;
	void *req;
	u8 opcode;
	u64 user_data;
} __attribute__((preserve_access_index));

struct tp_io_uring__io_uring_submit_req {
	void *req;
	u8 opcode;
} __attribute__((preserve_access_index));

struct tp_io_uring__io_uring_complete {
	void *ctx;
	void *req;
	u64 user_data;
	s32 res;
} __attribute__((preserve_access_index));

struct io_kiocb___part {
	struct file___part *file;
	unsigned int flags;
	struct {
		int fd;
	} cqe;
} __attribute__((preserve_access_index));

/* A request to open begins with it. */
struct io_open___slot {
	u32 file_slot;
} __attribute__((preserve_access_index));

struct kiocb___part {
	struct file___part *ki_filp;
} __attribute__((preserve_access_index));

static __always_inline bool file_is_wanted(const struct file___part *file)
{
	return (BPF_CORE_READ(file_inode(file), i_mode) & S_IFMT) == S_IFREG && file_system_is_wanted(file);
}

/* The entry goes; an unwanted one is not under way. */
static __always_inline void file_request_forget(const struct file_request_key *key, const struct file_request *request)
{
	u64 is_wanted = request->is_wanted;

	if (!bpf_map_delete_elem(&requests, key) && is_wanted)
		atomic_add(&event_stats_slot()->in_flight, -1);
}

/*
 * What another request has left under the key.  An earlier one at the same address: of io_submit(2) the kernel has refused it, of io_uring
 * no program saw its end.  Returns whether the place is free then; it is not where one with the same name is still under way.
 */
static __always_inline bool file_request_drop_stale(const struct file_request_key *key, u32 via)
{
	struct file_request *stale = bpf_map_lookup_elem(&requests, key);

	if (!stale)
		return true;
	if (key->context)
		return false;
	if (via == FILE_VIA_URING && stale->is_wanted && !event_is_over())
		event_count_unmatched();
	file_request_forget(key, stale);
	return true;
}

/* file: where it is known by now, else 0. */
static __always_inline int file_request_begins(void *ctx, const struct file_request_key *key, struct file_request *request)
{
	u64 id = task_pid_tgid();

	if (id >> 32 == filter.self)
		return 0;
	request->is_wanted = task_wanted(id, NULL);
	if (request->file && !request->is_wanted) {
		event_count_filtered();
		return 0;
	}
	request->begun_ns = bpf_ktime_get_ns();
	if (request->is_wanted)
		file_asker_fill(ctx, &request->asker, request->begun_ns);
	if (!file_request_drop_stale(key, request->via) || bpf_map_update_elem(&requests, key, request, BPF_NOEXIST)) {
		if (request->is_wanted)
			event_count_no_room();
		return 0;
	}
	if (request->is_wanted)
		atomic_add(&event_stats_slot()->in_flight, 1);
	return 0;
}

static __always_inline int file_request_ends(void *ctx, const struct file_request_key *key, s64 result)
{
	struct file_request *request = bpf_map_lookup_elem(&requests, key);
	const struct io_kiocb___part *req;
	const struct file___part *file;

	/* what is not there is filtered, lost, of no regular file, or begun before the tool was attached */
	if (!request || event_is_over())
		return 0;
	file = (const struct file___part *)request->file;
	req = (const struct io_kiocb___part *)request->req;
	if (req)
		file = BPF_CORE_READ(req, file);
	/* it ends in the process that asks, or in a worker, which has the same files */
	if (FILE_REQUEST_LAST_OP >= FILE_OPEN && request->op == FILE_OPEN) {
		request->fd = result;
		file = result < 0 ? NULL : file_regular(result);
		request->op = file_open_op((u64)file);
	}
	if (file_is_wanted(file)) {
		if (request->is_wanted)
			file_request_ended(ctx, request, file, result);
		else
			event_count_filtered();
	}
	file_request_forget(key, request);
	return 0;
}

/* ---- io_uring */

/*
 * Before 5.19 a request has its file when it is submitted.  Since then it may be one that an earlier request of a chain opens; a
 * descriptor tells the file nevertheless, and only that of a registered file is not known before the end.  False: it is of no file
 * that is wanted.
 */
static __always_inline bool uring_file_find(struct file_request *request, const struct io_kiocb___part *req, u32 flags)
{
	const struct file___part *file;

	if (!bpf_core_field_exists(req->cqe)) {
		file = BPF_CORE_READ(req, file);
		request->file = file_is_wanted(file) ? (u64)file : 0;
		return request->file;
	}
	if (flags & IOSQE_FIXED_FILE)
		return true;
	request->fd = BPF_CORE_READ(req, cqe.fd);
	file = file_regular(request->fd);
	if (!file || !file_system_is_wanted(file))
		return false;
	request->file = (u64)file;
	return true;
}

/* Since 5.15 a request can open a registered file, whose number is not among the process's. */
static __always_inline bool uring_opens_registered(const struct io_kiocb___part *req)
{
	const struct io_open___slot *open = (const struct io_open___slot *)req;

	return bpf_core_field_exists(open->file_slot) && BPF_CORE_READ(open, file_slot);
}

static __always_inline int uring_submitted(void *ctx, const struct io_kiocb___part *req, const struct file_request_key *key, u32 opcode)
{
	u64 bit = opcode < 64 ? 1ULL << opcode : 0;
	struct file_request request = { .req = (u64)req, .via = FILE_VIA_URING, .fd = -1 };
	u32 flags;

	if (!(bit & (URING_READS | URING_WRITES | URING_OPENS | URING_SYNCS)) || event_is_over())
		return 0;
	request.op = bit & URING_READS ? FILE_READ : bit & URING_WRITES ? FILE_WRITE : bit & URING_OPENS ? FILE_OPEN : FILE_SYNC;
	if (request.op > FILE_REQUEST_LAST_OP)
		return 0;
	flags = BPF_CORE_READ(req, flags);
	if (request.op == FILE_OPEN)
		request.req = 0;
	else if (!uring_file_find(&request, req, flags))
		return 0;
	/* since 5.17: no program sees it end if it succeeds; or which file it has opened */
	if (flags & IOSQE_CQE_SKIP_SUCCESS || (request.op == FILE_OPEN && uring_opens_registered(req))) {
		if (!task_filtered())
			event_count_unmatched();
		return 0;
	}
	return file_request_begins(ctx, key, &request);
}

/* Before 5.18 the end does not tell which request it is of, but how the process has named it. */
SEC("tp/io_uring/io_uring_complete") SEES_END
int TP_PROG(request_complete, struct tp_io_uring__io_uring_complete *ctx)
{
	struct file_request_key key = {};

	if (bpf_core_field_exists(ctx->req)) {
		key.id = (u64)ctx->req;
	} else {
		key.context = (u64)ctx->ctx;
		key.id = ctx->user_data;
	}
	return file_request_ends(ctx, &key, ctx->res);
}

/* Until 6.3.  The request is in it since 5.15, whose io_uring 5.10.162 has. */
SEC("tp/io_uring/io_uring_submit_sqe") SEES_BEGIN
int TP_PROG(request_submit_sqe, struct tp_io_uring__io_uring_submit_sqe *ctx)
{
	struct file_request_key key = {};

	u64 req;

	if (!bpf_core_field_exists(ctx->req))
		return 0;
	req = (u64)ctx->req;
	/* else clang adds to the context's address on one of the ways, and no verifier takes that */
	barrier_var(req);
	if (uring_end_tells_request) {
		key.id = req;
	} else {
		key.context = (u64)ctx->ctx;
		key.id = ctx->user_data;
	}
	return uring_submitted(ctx, (const struct io_kiocb___part *)req, &key, ctx->opcode);
}

SEC("tp/io_uring/io_uring_submit_req") SEES_BEGIN
int TP_PROG(request_submit_req, struct tp_io_uring__io_uring_submit_req *ctx)
{
	struct file_request_key key = { .id = (u64)ctx->req };

	return uring_submitted(ctx, (const struct io_kiocb___part *)ctx->req, &key, ctx->opcode);
}

/* ---- io_submit(2) */

static __always_inline int aio_begins(void *ctx, const struct kiocb___part *kiocb, u32 op)
{
	struct file_request request = { .op = op, .via = FILE_VIA_AIO, .fd = -1 };
	struct file_request_key key = { .id = (u64)kiocb };
	const struct file___part *file;

	if (event_is_over())
		return 0;
	file = BPF_CORE_READ(kiocb, ki_filp);
	if (!file_is_wanted(file))
		return 0;
	request.file = (u64)file;
	return file_request_begins(ctx, &key, &request);
}

SEC("kprobe") SEES_END
int request_aio_complete(struct pt_regs *ctx)
{
	struct file_request_key key = { .id = PT_REGS_PARM1(ctx) };

	return file_request_ends(ctx, &key, (s64)PT_REGS_PARM2(ctx));
}

SEC("kprobe") SEES_BEGIN
int request_aio_read(struct pt_regs *ctx)
{
	return aio_begins(ctx, (const struct kiocb___part *)PT_REGS_PARM1(ctx), FILE_READ);
}

SEC("kprobe") SEES_BEGIN
int request_aio_write(struct pt_regs *ctx)
{
	return aio_begins(ctx, (const struct kiocb___part *)PT_REGS_PARM1(ctx), FILE_WRITE);
}

#endif
