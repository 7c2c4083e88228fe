/* SPDX-License-Identifier: BSD-2-Clause */
/* lib/layout/prototype, on BTF made here. */
#include "lib/layout/prototype.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <bpf/btf.h>

#include "check.h"

static char path[] = "/tmp/probelight-prototype.XXXXXX";

/* A function of that result and those parameters, ended by a name that is NULL; its prototype's id. */
struct param {
	const char *name;
	int type;
};

static int add_function(struct btf *btf, const char *name, int result, const struct param *params)
{
	int prototype = btf__add_func_proto(btf, result);

	for (; params->name; params++)
		CHECK(!btf__add_func_param(btf, params->name, params->type));
	CHECK(btf__add_func(btf, name, BTF_FUNC_GLOBAL, prototype) > 0);
	return prototype;
}

static void write_btf(const struct btf *btf)
{
	__u32 size;
	const void *bytes = btf__raw_data(btf, &size);
	int fd = mkstemp(path);

	CHECK(bytes && fd >= 0 && write(fd, bytes, size) == (ssize_t)size && !close(fd));
}

static void make_btf(void)
{
	struct btf *btf = btf__new_empty();
	int signed_int = btf__add_int(btf, "int", 4, BTF_INT_SIGNED), size_type = btf__add_int(btf, "unsigned long", 8, 0);
	int byte = btf__add_int(btf, "unsigned char", 1, 0), flag = btf__add_int(btf, "_Bool", 1, BTF_INT_BOOL);
	int wide = btf__add_int(btf, "__int128", 16, BTF_INT_SIGNED);
	int file = btf__add_struct(btf, "file", 64), to_file = btf__add_ptr(btf, btf__add_const(btf, file));
	int typedefs = btf__add_typedef(btf, "outer_t", btf__add_volatile(btf, btf__add_typedef(btf, "size_t", size_type)));
	int kind = btf__add_enum(btf, "kind", 4);

	CHECK(!btf__add_enum_value(btf, "KIND_A", 0));
	add_function(btf, "plain", signed_int, (struct param[]){ { "file", to_file }, { "count", typedefs }, { "b", byte }, { NULL, 0 } });
	add_function(btf, "nothing", 0, (struct param[]){ { "on", flag }, { "kind", kind }, { NULL, 0 } });
	add_function(btf, "no_names", to_file, (struct param[]){ { "", signed_int }, { NULL, 0 } });
	add_function(btf, "by_value", flag, (struct param[]){ { "a", signed_int }, { "all", file }, { "b", signed_int }, { NULL, 0 } });
	add_function(btf, "wide", wide, (struct param[]){ { "a", wide }, { NULL, 0 } });
	add_function(btf, "seven", signed_int, (struct param[]){ { "a", byte }, { "b", byte }, { "c", byte }, { "d", byte }, { "e", byte },
		     { "f", byte }, { "g", byte }, { NULL, 0 } });
	add_function(btf, "variadic", signed_int, (struct param[]){ { "format", to_file }, { "", 0 }, { NULL, 0 } });
	/* two of one name: of one prototype, and of different ones */
	CHECK(btf__add_func(btf, "same", BTF_FUNC_STATIC, add_function(btf, "same", signed_int, (struct param[]){ { NULL, 0 } })) > 0);
	add_function(btf, "different", signed_int, (struct param[]){ { "a", byte }, { NULL, 0 } });
	add_function(btf, "different", signed_int, (struct param[]){ { "a", signed_int }, { NULL, 0 } });
	write_btf(btf);
	btf__free(btf);
}

/* "file=pointer8 count=8 …", and "..." where there are more. */
static void put_value(char *to, const struct prototype_value *value)
{
	sprintf(to + strlen(to), "%s=%s%d ", value->name ?: "?",
		value->is_pointer ? "pointer" : value->is_bool ? "bool" : value->is_signed ? "signed" : "", value->bytes);
}

static const char *text_of(const struct prototype *prototype)
{
	static char text[512];

	*text = '\0';
	if (!prototype->known)
		return "unknown";
	put_value(text, &prototype->result);
	for (size_t i = 0; i < prototype->count; i++)
		put_value(text, &prototype->params[i]);
	strcat(text, prototype->more ? "..." : ".");
	return text;
}

static void test_all(void)
{
	static const struct {
		const char *name, *text;
	} wanted[] = {
		{ "plain", "?=signed4 file=pointer8 count=8 b=1 ." },
		{ "nothing", "?=0 on=bool1 kind=4 ." },
		{ "no_names", "?=pointer8 ?=signed4 ." },
		/* what comes after a struct is in registers that depend on its size */
		{ "by_value", "?=bool1 a=signed4 ..." },
		{ "wide", "?=signed0 ..." },
		{ "seven", "?=signed4 a=1 b=1 c=1 d=1 e=1 f=1 ..." },
		{ "variadic", "?=signed4 format=pointer8 ..." },
		{ "same", "?=signed4 ." },
		{ "different", "unknown" },
		{ "missing", "unknown" },
		/* no function's name */
		{ "file", "unknown" },
	};
	enum { COUNT = sizeof(wanted) / sizeof(*wanted) };
	const char *names[COUNT];
	struct prototypes *prototypes;

	for (size_t i = 0; i < COUNT; i++)
		names[i] = wanted[i].name;
	prototypes = prototypes__load(path, names, COUNT);
	CHECK(prototypes);
	for (size_t i = 0; i < COUNT; i++)
		CHECK_STR(text_of(prototypes__at(prototypes, i)), wanted[i].text);
	prototypes__free(prototypes);
	prototypes__free(NULL);
}

static void test_errors(void)
{
	const char *const names[] = { "plain" };
	struct prototypes *prototypes = prototypes__load(path, names, 0);

	CHECK(prototypes);
	prototypes__free(prototypes);
	CHECK(!truncate(path, 20) && !prototypes__load(path, names, 1));
	CHECK(!unlink(path) && !prototypes__load(path, names, 1) && errno == ENOENT);
}

int main(void)
{
	make_btf();
	test_all();
	test_errors();
	return check_done();
}
