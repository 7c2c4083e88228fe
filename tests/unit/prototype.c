/* SPDX-License-Identifier: BSD-2-Clause */
/* lib/btf/prototype, on BTF made here. */
#include "lib/btf/prototype.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/btf.h>

#include "check.h"
#include "lib/btf/rawbtf.h"

/* What is there of the arguments that only some architectures have in registers. */
#if CALL_ARGS == 8
#define LAST_TWO(text) text
#else
#define LAST_TWO(text) ""
#endif

static char directory[] = "/tmp/probelight-prototype.XXXXXX";
static char path[64], module_path[64], broken_path[64];

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

static void write_file(const char *to, const void *bytes, size_t size)
{
	FILE *file = fopen(to, "w");

	CHECK(file && fwrite(bytes, 1, size, file) == size && !fclose(file));
}

static void write_btf(const char *to, const struct btf *btf)
{
	__u32 size;
	const void *bytes = btf__raw_data(btf, &size);

	CHECK(bytes);
	write_file(to, bytes, size);
}

/* It goes on where the kernel's ends. */
static void make_module_btf(struct btf *kernel, int signed_int, int to_file)
{
	struct btf *btf = btf__new_empty_split(kernel);
	int to_own = btf__add_ptr(btf, btf__add_struct(btf, "own", 16));

	/* a name that the kernel has too, and one whose parts are all among the kernel's */
	add_function(btf, "plain", signed_int, (struct param[]){ { "own", to_own }, { NULL, 0 } });
	add_function(btf, "file", to_file, (struct param[]){ { "count", signed_int }, { NULL, 0 } });
	add_function(btf, "own_only", 0, (struct param[]){ { "own", to_own }, { "file", to_file }, { NULL, 0 } });
	write_btf(module_path, btf);
	btf__free(btf);
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
	/* more than any architecture has in registers */
	add_function(btf, "nine", signed_int, (struct param[]){ { "a", byte }, { "b", byte }, { "c", byte }, { "d", byte }, { "e", byte },
		     { "f", byte }, { "g", byte }, { "h", byte }, { "i", byte }, { NULL, 0 } });
	add_function(btf, "variadic", signed_int, (struct param[]){ { "format", to_file }, { "", 0 }, { NULL, 0 } });
	/* two of one name: of one prototype, and of different ones */
	CHECK(btf__add_func(btf, "same", BTF_FUNC_STATIC, add_function(btf, "same", signed_int, (struct param[]){ { NULL, 0 } })) > 0);
	add_function(btf, "different", signed_int, (struct param[]){ { "a", byte }, { NULL, 0 } });
	add_function(btf, "different", signed_int, (struct param[]){ { "a", signed_int }, { NULL, 0 } });
	write_btf(path, btf);
	make_module_btf(btf, signed_int, to_file);
	write_file(broken_path, "broken", 6);
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

struct wanted {
	const char *name, *module, *text;
};

static void check_all(const struct wanted *wanted, size_t count, bool with_modules)
{
	const char *names[16] = {}, *modules[16] = {};
	struct prototypes *prototypes;

	for (size_t i = 0; i < count; i++) {
		names[i] = wanted[i].name;
		modules[i] = wanted[i].module;
	}
	prototypes = prototypes__load(path, names, with_modules ? modules : NULL, count);
	CHECK(prototypes);
	for (size_t i = 0; i < count; i++)
		CHECK_STR(text_of(prototypes__at(prototypes, i)), wanted[i].text);
	prototypes__free(prototypes);
}

static void test_kernel(void)
{
	static const struct wanted wanted[] = {
		{ "plain", NULL, "?=signed4 file=pointer8 count=8 b=1 ." },
		{ "nothing", NULL, "?=0 on=bool1 kind=4 ." },
		{ "no_names", NULL, "?=pointer8 ?=signed4 ." },
		/* what comes after a struct is in registers that depend on its size */
		{ "by_value", NULL, "?=bool1 a=signed4 ..." },
		{ "wide", NULL, "?=signed0 ..." },
		{ "nine", NULL, "?=signed4 a=1 b=1 c=1 d=1 e=1 f=1 " LAST_TWO("g=1 h=1 ") "..." },
		{ "variadic", NULL, "?=signed4 format=pointer8 ..." },
		{ "same", NULL, "?=signed4 ." },
		{ "different", NULL, "unknown" },
		{ "missing", NULL, "unknown" },
		/* no function's name */
		{ "file", NULL, "unknown" },
	};

	check_all(wanted, sizeof(wanted) / sizeof(*wanted), false);
	check_all(wanted, sizeof(wanted) / sizeof(*wanted), true);
	prototypes__free(NULL);
}

static void test_modules(void)
{
	static const struct wanted wanted[] = {
		{ "plain", "mod", "?=signed4 own=pointer8 ." },
		{ "plain", NULL, "?=signed4 file=pointer8 count=8 b=1 ." },
		{ "file", NULL, "unknown" },
		{ "file", "mod", "?=pointer8 count=signed4 ." },
		{ "plain", "broken", "unknown" },
		{ "own_only", "mod", "?=0 own=pointer8 file=pointer8 ." },
		{ "nothing", "mod", "unknown" },
		{ "own_only", NULL, "unknown" },
		{ "plain", "nosuch", "unknown" },
		{ "nothing", "nosuch", "unknown" },
		{ "nothing", NULL, "?=0 on=bool1 kind=4 ." },
	};

	check_all(wanted, sizeof(wanted) / sizeof(*wanted), true);
	/* a module's alone: the kernel's are not looked for, and yet its types are there */
	check_all(&wanted[3], 1, true);
}

static void test_list(void)
{
	const char *const names[] = { "plain", "nine" };
	const uint64_t values[] = { 0xabc, 7, 0x1ff, 4, 5, 6, 7, 8 };
	struct prototypes *prototypes = prototypes__load(path, names, NULL, 2);
	char list[256], small[8];

	CHECK_INT(prototype__list(prototypes__at(prototypes, 0), values, CALL_ARGS, list, sizeof(list)), 11 + 8 + 6);
	CHECK(!memcmp(list, "file=0xabc\0count=7\0b=255", 25));
	CHECK_INT(prototype__list(prototypes__at(prototypes, 1), values, CALL_ARGS, list, sizeof(list)),
		  6 + 4 + 6 + 4 + 4 + 4 + 4 * (CALL_ARGS - 6) + 4);
	CHECK(!memcmp(list, "a=188\0b=7\0c=255\0d=4\0e=5\0f=6\0" LAST_TWO("g=7\0h=8\0") "...", 32 + 4 * (CALL_ARGS - 6)));
	/* fewer values than it has parameters: the kernel's records have 6 where the registers have 8 */
	CHECK_INT(prototype__list(prototypes__at(prototypes, 0), values, 2, list, sizeof(list)), 11 + 8 + 4);
	CHECK(!memcmp(list, "file=0xabc\0count=7\0...", 23));
	/* what does not fit is cut */
	CHECK(prototype__list(prototypes__at(prototypes, 0), values, CALL_ARGS, small, sizeof(small)) <= sizeof(small));
	prototypes__free(prototypes);
}

static void test_errors(void)
{
	const char *const names[] = { "plain" };
	struct prototypes *prototypes = prototypes__load(path, names, NULL, 0);

	CHECK(prototypes);
	prototypes__free(prototypes);
	CHECK(!truncate(path, 20) && !prototypes__load(path, names, NULL, 1));
	CHECK(!unlink(path) && !prototypes__load(path, names, NULL, 1) && errno == ENOENT);
}

int main(void)
{
	CHECK(mkdtemp(directory));
	snprintf(path, sizeof(path), "%s/vmlinux", directory);
	snprintf(module_path, sizeof(module_path), "%s/mod", directory);
	snprintf(broken_path, sizeof(broken_path), "%s/broken", directory);
	make_btf();
	for (int may_map = 0; may_map < 2; may_map++) {
		rawbtf__may_map = may_map;
		test_kernel();
		test_modules();
	}
	test_list();
	test_errors();
	unlink(module_path);
	unlink(broken_path);
	rmdir(directory);
	return check_done();
}
