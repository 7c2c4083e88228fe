/* SPDX-License-Identifier: BSD-2-Clause */
/* lib/layout/minbtf on BTF made here: what leads to void, and what is damaged. */
#include <errno.h>

#include <bpf/btf.h>

#include "check.h"
#include "lib/btf/rawbtf.h"
#include "lib/layout/minbtf.h"

static struct btf *from, *to;

static int add(const char *name, __u32 kind)
{
	const struct minbtf_want want = { .root = name, .kind = kind };
	struct rawbtf *raw;
	const void *bytes;
	__u32 size;
	int err;

	bytes = btf__raw_data(from, &size);
	CHECK_INT(rawbtf__from_memory(&raw, bytes, size), 0);
	to = btf__new_empty();
	err = minbtf__add(to, raw, &want, 1);
	rawbtf__free(raw);
	return err;
}

/* A typedef of void is there, and leads nowhere in the copy, too. */
static void test_typedef_of_void(void)
{
	int id;

	from = btf__new_empty();
	CHECK(btf__add_typedef(from, "nothing", 0) > 0);
	CHECK_INT(add("nothing", BTF_KIND_TYPEDEF), 0);
	id = btf__find_by_name_kind(to, "nothing", BTF_KIND_TYPEDEF);
	CHECK(id > 0);
	if (id > 0)
		CHECK_INT(btf__type_by_id(to, (__u32)id)->type, 0);
	btf__free(to);
	btf__free(from);
}

/* Typedefs in a circle are an error: they do not lead to void. */
static void test_circle(void)
{
	int id;

	from = btf__new_empty();
	id = btf__add_typedef(from, "circle", 2);
	CHECK_INT(id, 1);
	CHECK_INT(btf__add_typedef(from, "back", 1), 2);
	CHECK_INT(add("circle", BTF_KIND_TYPEDEF), -ELOOP);
	btf__free(to);
	btf__free(from);
}

int main(void)
{
	test_typedef_of_void();
	test_circle();
	return check_done();
}
