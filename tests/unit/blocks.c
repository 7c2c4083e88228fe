/* SPDX-License-Identifier: BSD-2-Clause */
#include <bpf/btf.h>

#include "check.h"
#include "lib/btf/rawbtf.h"
#include "lib/print/block.h"
#include "lib/run/blocks.h"

#include <errno.h>

/* Whether a kernel has the queue first whose raw tracepoint has so many arguments; none: it has no such tracepoint. */
static bool queue_first(int arguments)
{
	struct btf *btf = btf__new_empty();
	struct rawbtf *raw = NULL;
	int pointer, proto;
	bool first;
	__u32 size;
	const void *bytes;

	pointer = btf__add_ptr(btf, 0);
	proto = btf__add_func_proto(btf, 0);
	for (int i = 0; i <= arguments; i++)
		btf__add_func_param(btf, "", pointer);
	pointer = btf__add_ptr(btf, proto);
	btf__add_typedef(btf, arguments ? "btf_trace_block_rq_issue" : "btf_trace_block_rq_merge", pointer);
	bytes = btf__raw_data(btf, &size);
	CHECK_INT(rawbtf__from_memory(&raw, bytes, size), 0);
	first = blocks__queue_first(raw);
	rawbtf__free(raw);
	btf__free(btf);
	return first;
}

int main(void)
{
	CHECK(!queue_first(1));
	CHECK(queue_first(2));
	CHECK(!queue_first(0));

	CHECK_STR(block__op(BLOCK_WRITE_ZEROES), "write_zeroes");
	CHECK_STR(block__op_letter(BLOCK_READ), "R");
	CHECK_STR(block__op(7), NULL);
	CHECK_STR(block__flag(BLOCK_NOWAIT), "nowait");
	CHECK_STR(block__flag(1 << BLOCK_FLAGS), NULL);

	/* before 5.11 an errno, since then a number of the block layer's own */
	CHECK_INT(block__error(0), 0);
	CHECK_INT(block__error(-ENOSPC), ENOSPC);
	CHECK_INT(block__error(10), EIO);
	CHECK_INT(block__error(1), EOPNOTSUPP);
	CHECK_INT(block__error(13), EBUSY);
	CHECK_INT(block__error(14), -1);
	return check_done();
}
