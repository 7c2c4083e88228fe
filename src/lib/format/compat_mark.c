/* SPDX-License-Identifier: BSD-2-Clause */
#include "compat_mark.h"

#include <errno.h>

#include "member.h"

#if defined(__x86_64__)
#define MEMBER ".thread_info.status"
#define BIT 2u			/* TS_COMPAT, arch/x86/include/asm/thread_info.h */
#elif defined(__aarch64__)
#define MEMBER ".thread_info.flags"
#define BIT (1u << 22)		/* TIF_32BIT, arch/arm64/include/asm/thread_info.h */
#else
#error "lib/format/compat_mark does not know this architecture"
#endif

static int note(void *context, __u32 id, const struct btf_type *type)
{
	(void)type;
	*(__u32 *)context = id;
	/* the scan goes on: types that it has not come to are not known */
	return 0;
}

int compat_mark__find(struct compat_mark *mark, const char *btf)
{
	static const char *const names[] = { "task_struct" };
	struct format_hops hops;
	struct member_type type;
	struct rawbtf *raw;
	struct fault fault;
	__u32 id = 0;
	int err = rawbtf__open(&raw, btf);

	if (err)
		return err;
	rawbtf__remember(raw);
	err = rawbtf__scan(raw, names, 1, 1ull << BTF_KIND_STRUCT, note, &id);
	if (!err)
		err = id && !member__follow(raw, &id, MEMBER, &hops, &type, &fault) && hops.count == 1 ? 0 : -ENOENT;
	if (!err)
		*mark = (struct compat_mark){ .offset = hops.offsets[0], .size = type.size, .bit = BIT };
	rawbtf__free(raw);
	return err;
}
