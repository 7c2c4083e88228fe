/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions out of BTF made here: their arguments, where a kprobe's context has them. */
#include <asm/ptrace.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include <bpf/btf.h>

#include "check.h"
#include "lib/btf/rawbtf.h"
#include "lib/format/format.h"
#include "lib/format/kfuncs.h"
#include "lib/gen/fetch_args.h"
#include "lib/gen/fields.h"
#include "lib/gen/predicate.h"
#include "lib/gen/request.h"
#include "lib/shared/call_args.h"

static char directory[] = "/tmp/probelight-kfuncs.XXXXXX";
static char path[64], module_path[64];
static int number, text, item, to_item, size;

static int prototype(struct btf *btf, const char *const *names, const int *types)
{
	int id = btf__add_func_proto(btf, number);

	for (; *names; names++, types++)
		CHECK(!btf__add_func_param(btf, *names, *types));
	return id;
}

static void write_btf(const struct btf *btf, const char *to)
{
	__u32 length;
	const void *bytes = btf__raw_data(btf, &length);
	FILE *file = fopen(to, "w");

	CHECK(bytes && file && fwrite(bytes, 1, length, file) == length && !fclose(file));
}

/* As the kernel shows a module's: it refers to types and strings of the kernel's, and goes on with its own. */
static void make_module_btf(struct btf *kernel)
{
	struct btf *btf = btf__new_empty_split(kernel);
	int own = btf__add_struct(btf, "of_module", 16), twin;

	CHECK(!btf__add_field(btf, "count", number, 0, 0) && !btf__add_field(btf, "item", to_item, 64, 0));
	/* "from" and "move" are among the kernel's strings, "own" is not */
	CHECK(btf__add_func(btf, "move", BTF_FUNC_STATIC, prototype(btf, (const char *[]){ "own", "from", NULL },
								   (int[]){ btf__add_ptr(btf, own), to_item })) > 0);
	CHECK(btf__add_func(btf, "own_move", BTF_FUNC_STATIC, prototype(btf, (const char *[]){ "path", NULL }, (int[]){ text })) > 0);
	twin = prototype(btf, (const char *[]){ "a", NULL }, (int[]){ number });
	CHECK(btf__add_func(btf, "own_twin", BTF_FUNC_STATIC, twin) > 0);
	CHECK(btf__add_func(btf, "own_twin", BTF_FUNC_STATIC, prototype(btf, (const char *[]){ "b", NULL }, (int[]){ text })) > 0);
	write_btf(btf, module_path);
	btf__free(btf);
}

static void make_btf(void)
{
	struct btf *btf = btf__new_empty();
	int letter, byte, name, data, twin;

	number = btf__add_int(btf, "int", 4, BTF_INT_SIGNED);
	letter = btf__add_int(btf, "char", 1, BTF_INT_SIGNED);
	byte = btf__add_int(btf, "unsigned char", 1, 0);
	size = btf__add_int(btf, "unsigned long", 8, 0);
	text = btf__add_ptr(btf, btf__add_const(btf, letter));
	name = btf__add_ptr(btf, btf__add_const(btf, byte));
	data = btf__add_ptr(btf, btf__add_typedef(btf, "u8", byte));
	item = btf__add_struct(btf, "item", 24);
	CHECK(!btf__add_field(btf, "name", name, 0, 0) && !btf__add_field(btf, "data", data, 64, 0));
	CHECK(!btf__add_field(btf, "count", number, 128, 0));
	CHECK(!btf__add_field(btf, "sign", number, 160, 3) && !btf__add_field(btf, "bits", size, 166, 4));
	to_item = btf__add_ptr(btf, item);
	CHECK(btf__add_func(btf, "move", BTF_FUNC_STATIC,
			    prototype(btf, (const char *[]){ "from", "count", "path", NULL }, (int[]){ to_item, number, text })) > 0);
	/* a struct takes other registers, and what is behind it is not where its number says */
	CHECK(btf__add_func(btf, "split", BTF_FUNC_STATIC,
			    prototype(btf, (const char *[]){ "first", "whole", "last", NULL }, (int[]){ number, item, size })) > 0);
	CHECK(btf__add_func(btf, "many", BTF_FUNC_STATIC, prototype(btf, (const char *[]){ "a", "b", "c", "d", "e", "f", "g", "h", "i", NULL },
								   (int[]){ size, size, size, size, size, size, size, size, size })) > 0);
	twin = prototype(btf, (const char *[]){ "a", NULL }, (int[]){ number });
	CHECK(btf__add_func(btf, "twin", BTF_FUNC_STATIC, twin) > 0);
	CHECK(btf__add_func(btf, "twin", BTF_FUNC_STATIC, prototype(btf, (const char *[]){ "b", NULL }, (int[]){ text })) > 0);
	CHECK(btf__add_func(btf, "same", BTF_FUNC_STATIC, twin) > 0 && btf__add_func(btf, "same", BTF_FUNC_STATIC, twin) > 0);
	CHECK(btf__add_func(btf, "none_returned", BTF_FUNC_STATIC, btf__add_func_proto(btf, 0)) > 0);
	write_btf(btf, path);
	make_module_btf(btf);
	btf__free(btf);
}

#if defined(__x86_64__)
#define FIRST (int)offsetof(struct pt_regs, rdi)
#define SECOND (int)offsetof(struct pt_regs, rsi)
#define THIRD (int)offsetof(struct pt_regs, rdx)
#else
#define FIRST 0
#define SECOND 8
#define THIRD 16
#endif

/* All fields in one text: "declaration@place+hop", and "!" for those that were asked for. */
static void check_fields(struct kfuncs *kfuncs, const char *name, const char *const *members, size_t count, const char *expected)
{
	struct format *format = NULL;
	struct fault fault = {};
	char got[1024] = "", *to = got;

	if (!check_report(!kfuncs__format(kfuncs, name, NULL, members, count, &format, &fault), __FILE__, __LINE__, "%s", fault.text))
		return;
	for (unsigned i = 0; i < format->fields_count; i++) {
		const struct format_field *field = &format->fields[i];
		int place = (int)field->offset;

		to += sprintf(to, "%s%s@%d", i ? ", " : "", field->decl, place == FIRST ? 1 : place == SECOND ? 2 : place == THIRD ? 3 : 0);
		for (unsigned j = 0; field->hops && j < field->hops->count; j++)
			to += sprintf(to, "+%d", field->hops->offsets[j]);
		to += sprintf(to, "%s", field->is_extra ? "!" : "");
	}
	CHECK_STR(got, expected);
	format__free(format);
}

/* The message for a field that is not there, of size or an error in it. */
static void check_missing(struct kfuncs *kfuncs, const char *name, const char *field, const char *expected)
{
	struct format *format = NULL;
	struct fault fault = {};

	if (!kfuncs__format(kfuncs, name, NULL, &field, 1, &format, &fault))
		fields__explain_missing(format, field, &fault);
	CHECK_STR(fault.text, expected);
	format__free(format);
}

#define MEMBERS(...) (const char *const[]){ __VA_ARGS__ }, sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *)
#define BY_NUMBER ": its arguments are arg0 to " CALL_ARGS_LAST ", with a type such as arg1:str or arg0:s32"

static void check_functions(struct kfuncs *kfuncs)
{
	check_fields(kfuncs, "move", NULL, 0, "struct item *from@1, int count@2, const char *path@3+0");
	check_fields(kfuncs, "move", MEMBERS("from->name", "from->data", "from->count", "count"), "struct item *from@1, int count@2, "
		     "const char *path@3+0, const unsigned char *from->name@1+0+0!, u8 *from->data@1+8!, int from->count@1+16!");
	check_fields(kfuncs, "move", MEMBERS("arg0", "arg1:s32", "arg2:str", "arg0/x", "arg9"), "struct item *from@1, int count@2, "
		     "const char *path@3+0, u64 arg0@1!, s32 arg1:s32@2!, const char *arg2:str@3+0!");
	check_fields(kfuncs, "split", NULL, 0, "int first@1");
	check_fields(kfuncs, "many", NULL, 0,
		     "unsigned long a@1, unsigned long b@2, unsigned long c@3, unsigned long d@0, unsigned long e@0, "
		     "unsigned long f@0"
#if CALL_ARGS == 8
		     ", unsigned long g@0, unsigned long h@0"
#endif
		     );
	check_fields(kfuncs, "many", MEMBERS("arg5", "arg6", "arg7", "arg8"),
		     "unsigned long a@1, unsigned long b@2, unsigned long c@3, unsigned long d@0, unsigned long e@0, unsigned long f@0"
#if CALL_ARGS == 8
		     ", unsigned long g@0, unsigned long h@0, u64 arg5@0!, u64 arg6@0!, u64 arg7@0!"
#else
		     ", u64 arg5@0!"
#endif
		     );
	check_fields(kfuncs, "same", NULL, 0, "int a@1");
	check_fields(kfuncs, "move+0x4", MEMBERS("arg0"), "");
	check_missing(kfuncs, "move", "cont", "k:move has no field \"cont\"; the nearest is count");
	check_missing(kfuncs, "move", "arg1:int", "k:move: arg1:int: \"int\" is no type (str, u8 to u64, s8 to s64)");
	check_missing(kfuncs, "twin", "a", "k:twin has no field \"a\"; the kernel's BTF has several of this name" BY_NUMBER);
	check_missing(kfuncs, "none", "a", "k:none has no field \"a\"; the kernel's BTF does not have it" BY_NUMBER);
	check_missing(kfuncs, "module:move", "from", "k:module:move has no field \"from\"; its module has no BTF" BY_NUMBER);
	check_missing(kfuncs, "mod:none", "from", "k:mod:none has no field \"from\"; its module's BTF does not have it" BY_NUMBER);
	check_missing(kfuncs, "mod:many", "a", "k:mod:many has no field \"a\"; its module's BTF does not have it" BY_NUMBER);
	check_missing(kfuncs, "mod:own_twin", "a",
		      "k:mod:own_twin has no field \"a\"; its module's BTF has several of this name" BY_NUMBER);
	check_fields(kfuncs, "mod:move", NULL, 0, "struct of_module *own@1, struct item *from@2");
	check_fields(kfuncs, "mod:move", MEMBERS("own->item->count", "from->name"), "struct of_module *own@1, struct item *from@2, "
		     "int own->item->count@1+8+16!, const unsigned char *from->name@2+0+0!");
	check_fields(kfuncs, "mod:own_move", NULL, 0, "const char *path@1+0");
	check_fields(kfuncs, "mod:move+0x4", MEMBERS("arg0"), "");
	check_missing(kfuncs, "move+4", "from", "k:move+4 has no field \"from\"; where a probe is not at the start of its function, the "
		      "arguments are not known");
}

/* Of a return: the result by its type, the time, and arguments that are asked for. */
static void check_returns(struct kfuncs *kfuncs)
{
	static const struct kfuncs_places places = { .args = 16, .ret = 0, .duration = 8 };
	static const char *const members[] = { "count", "from->count" };
	struct format *format = NULL;
	struct fault fault;

	CHECK_INT(kfuncs__format(kfuncs, "move", &places, members, 2, &format, &fault), 0);
	CHECK_STR(format->system, "kr");
	CHECK_STR(format->fields[0].decl, "int ret");
	CHECK(format->fields[0].offset == 0 && format->fields[0].meaning && !format->fields[0].is_extra);
	CHECK_STR(format->fields[1].decl, "u64 duration");
	CHECK(format->fields[1].offset == 8 && !format->fields[1].meaning && !format->fields[1].is_extra);
	CHECK_STR(format->fields[3].decl, "int count");
	CHECK(format->fields[3].offset == 24 && format->fields[3].is_extra);
	CHECK_STR(format->fields[5].decl, "int from->count");
	CHECK(format->fields[5].offset == 16 && format->fields[5].hops->offsets[0] == 16);
	format__free(format);
	/* nothing is returned */
	CHECK_INT(kfuncs__format(kfuncs, "none_returned", &places, NULL, 0, &format, &fault), 0);
	CHECK_STR(format->fields[0].decl, "u64 duration");
	format__free(format);
	/* of a type that is not known */
	CHECK_INT(kfuncs__format(kfuncs, "module:move", &places, NULL, 0, &format, &fault), 0);
	CHECK_STR(format->fields[0].decl, "long ret");
	format__free(format);
}

/* More names than are looked up one by one. */
static void check_many(void)
{
	struct kfuncs *kfuncs = kfuncs__new(path);
	char name[32];

	for (int i = 0; i < 300; i++) {
		sprintf(name, "no%d", i % 200);
		CHECK_INT(kfuncs__expect(kfuncs, name), 0);
	}
	CHECK_INT(kfuncs__expect(kfuncs, "same"), 0);
	check_fields(kfuncs, "same", NULL, 0, "int a@1");
	check_fields(kfuncs, "no7", NULL, 0, "");
	check_fields(kfuncs, "move", NULL, 0, "struct item *from@1, int count@2, const char *path@3+0");
	kfuncs__free(kfuncs);
	/* a module's alone, and as many */
	kfuncs = kfuncs__new(path);
	check_fields(kfuncs, "mod:own_move", NULL, 0, "const char *path@1+0");
	kfuncs__free(kfuncs);
	kfuncs = kfuncs__new(path);
	for (int i = 0; i < 200; i++) {
		sprintf(name, "mod:no%d", i);
		CHECK_INT(kfuncs__expect(kfuncs, name), 0);
	}
	check_fields(kfuncs, "mod:own_move", NULL, 0, "const char *path@1+0");
	check_fields(kfuncs, "mod:no7", NULL, 0, "");
	kfuncs__free(kfuncs);
}

static void check_no_btf(void)
{
	struct kfuncs *kfuncs = kfuncs__new("/nonexistent");

	check_fields(kfuncs, "move", MEMBERS("arg0:u8", "arg1"), "u8 arg0:u8@1!, u64 arg1@2!");
	check_missing(kfuncs, "move", "from", "k:move has no field \"from\"; this kernel has no BTF (/sys/kernel/btf/vmlinux)" BY_NUMBER);
	kfuncs__free(kfuncs);
}

/* As the kernel fetches them for ftrace and perf: the line, a filter, and a record of these values. */
static void check_fetched(void)
{
	static const char raw_text[] = "name: p\nID: 1500\nformat:\n"
		"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
		"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
		"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
		"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
		"\tfield:unsigned long __probe_ip;\toffset:8;\tsize:8;\tsigned:0;\n"
		"\tfield:u64 f0;\toffset:16;\tsize:8;\tsigned:0;\n"
		"\tfield:s32 f1;\toffset:24;\tsize:4;\tsigned:1;\n"
		"\tfield:__data_loc char[] f2;\toffset:28;\tsize:4;\tsigned:0;\n"
		"\tfield:__data_loc char[] f3;\toffset:32;\tsize:4;\tsigned:0;\n"
		"\tfield:s32 f4;\toffset:36;\tsize:4;\tsigned:1;\n"
		"\tfield:u8 f5;\toffset:52;\tsize:1;\tsigned:0;\n"
		"\tfield:u16 f6;\toffset:54;\tsize:2;\tsigned:0;\n\nprint fmt: \"(%lx)\", REC->__probe_ip\n";
	static const char *const members[] = { "from->name", "from->count", "from->sign", "from->bits" };
	static const char *const names[] = { "count", "path", "from->name", "from->count", "from->sign", "from->bits" };
	struct kfuncs *kfuncs = kfuncs__new(path);
	const struct format_field *field;
	struct fault fault;
	char data[64] = {}, copy[1024], *line = NULL, *filter = NULL;
	struct format *format = NULL, *raw = NULL;
	struct format_error format_error;
	struct record_value value;
	struct expr_error error;
	struct record record;
	struct expr *tree;

	CHECK_INT(kfuncs__format(kfuncs, "move", NULL, members, 4, &format, &fault), 0);
	CHECK_INT(fetch_args__line(format, &line, &field), 0);
	CHECK_STR(line, " f0=$arg1:u64 f1=$arg2:s32 f2=+0($arg3):string f3=+0(+0($arg1)):string f4=+16($arg1):s32 "
		  "f5=+20($arg1):b3@0/8 f6=+20($arg1):b4@6/16");
	free(line);
	CHECK_INT(expr__parse(&tree, "count < 3 && from->name ~ \"a*\" && tid == 7", &error), 0);
	CHECK_INT(predicate__make(&filter, tree, format, &error), 0);
	CHECK_STR(filter, "((f1 < 3) && (f3 ~ \"a*\")) && (common_pid == 7)");
	free(filter);
	expr__free(tree);
	CHECK_INT(expr__parse(&tree, "from->bits == -1", &error), 0);
	CHECK_INT(predicate__make(&filter, tree, format, &error), 0);
	CHECK_STR(filter, "f6 == 15");
	free(filter);
	expr__free(tree);
	CHECK_INT(expr__parse(&tree, "from->bits == 16", &error), 0);
	CHECK_INT(predicate__make(&filter, tree, format, &error), -EOPNOTSUPP);
	CHECK_STR(error.why, "from->bits has no such value, and the kernel's own filters do not take it");
	expr__free(tree);
	CHECK_INT(expr__parse(&tree, "from->sign == 1", &error), 0);
	CHECK_INT(predicate__make(&filter, tree, format, &error), -EOPNOTSUPP);
	CHECK_STR(error.why, "the kernel's own filters take no bit field with a sign, such as from->sign");
	expr__free(tree);

	CHECK_INT(format__parse(&raw, "probelight", raw_text, sizeof(raw_text) - 1, &format_error), 0);
	CHECK_INT(record__plan(&record, format, names, 6, &fault), 0);
	memcpy(data + 24, (int[]){ -5, 40 | 4 << 16, 44 | 8 << 16, 77 }, 16);
	memcpy(data + 40, "abc\0(fault)", 12);
	data[52] = 6;
	memcpy(data + 54, &(uint16_t){ 9 }, 2);
	CHECK_INT(fetch_args__record(&record, raw, copy, data, 56), 0);
	value = record__value(&record, &record.fields[0], copy);
	CHECK(value.size == 4 && !memcmp(value.bytes, &(int){ -5 }, 4));
	value = record__value(&record, &record.fields[1], copy);
	CHECK(value.size == 3 && !memcmp(value.bytes, "abc", 3) && !value.more);
	CHECK(!record__value(&record, &record.fields[2], copy).bytes);
	value = record__value(&record, &record.fields[3], copy);
	CHECK(value.size == 4 && !memcmp(value.bytes, &(int){ 77 }, 4));
	value = record__value(&record, &record.fields[4], copy);
	CHECK(value.size == 1 && !memcmp(value.bytes, &(int8_t){ -2 }, 1));
	value = record__value(&record, &record.fields[5], copy);
	CHECK(value.size == 2 && !memcmp(value.bytes, &(uint16_t){ 9 }, 2));
	/* a text beyond the record's end, and a record without its fields */
	CHECK_INT(fetch_args__record(&record, raw, copy, data, 50), -EINVAL);
	CHECK_INT(fetch_args__record(&record, raw, copy, data, 30), -EINVAL);
	record__free(&record);
	format__free(raw);
	format__free(format);
	kfuncs__free(kfuncs);
}

static void check_request(const char *words, int expected, const char *name)
{
	struct requests requests = {};
	struct fault fault;

	check_report(requests__take(&requests, words, &fault) == expected, __FILE__, __LINE__, "%s: %s", words, fault.text);
	if (!expected) {
		CHECK_INT(requests.list[0].source, REQUEST_CALL);
		CHECK_STR(requests.list[0].system, "k");
		CHECK_STR(requests.list[0].name, name);
	}
	requests__free(&requests);
}

static void check_requests(void)
{
	check_request("k:move", 0, "move");
	check_request("k:move(from->name, count/x, arg1:str, arg2:u32/x)", 0, "move");
	check_request("k:mod:move+0x10", 0, "mod:move+0x10");
	check_request("k:mod_*:move_[a-c]", 0, "mod_*:move_[a-c]");
	check_request("k:", -EINVAL, NULL);
	check_request("k::move", -EINVAL, NULL);
	check_request("k:a:b:c", -EINVAL, NULL);
	check_request("k:move+x", -EINVAL, NULL);
	check_request("k:+4", -EINVAL, NULL);
	check_request("k:move(from name)", -EINVAL, NULL);
}

int main(void)
{
	struct kfuncs *kfuncs;

	CHECK(mkdtemp(directory));
	snprintf(path, sizeof(path), "%s/vmlinux", directory);
	snprintf(module_path, sizeof(module_path), "%s/mod", directory);
	make_btf();
	for (int may_map = 0; may_map < 2; may_map++) {
		rawbtf__may_map = may_map;
		kfuncs = kfuncs__new(path);
		check_functions(kfuncs);
		check_returns(kfuncs);
		kfuncs__free(kfuncs);
	}
	check_many();
	check_no_btf();
	check_fetched();
	check_requests();
	unlink(path);
	unlink(module_path);
	rmdir(directory);
	return check_done();
}
