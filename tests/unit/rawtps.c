/* SPDX-License-Identifier: BSD-2-Clause */
/* Raw tracepoints out of BTF made here: their arguments, members of what these point to, and the code that reads them. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include <bpf/btf.h>

#include "check.h"
#include "disassemble.h"
#include "lib/btf/rawbtf.h"
#include "lib/format/rawtps.h"
#include "lib/gen/condition.h"
#include "lib/gen/key.h"
#include "lib/gen/record.h"
#include "lib/printfmt/shown.h"

static char path[] = "/tmp/probelight-rawtps.XXXXXX";
static struct rawtps *rawtps;

struct param {
	const char *name;
	int type;
};

/*
 * As the kernel has one: a typedef of a pointer to a function, whose first parameter is its own, and a function of that type.  Only this
 * one's parameters have names.
 */
static void add_tracepoint(struct btf *btf, int data, const char *name, const struct param *params)
{
	char full[64];

	for (int i = 0; i < 2; i++) {
		int prototype = btf__add_func_proto(btf, 0);

		CHECK(!btf__add_func_param(btf, i ? "__data" : NULL, data));
		for (const struct param *param = params; param->name; param++)
			CHECK(!btf__add_func_param(btf, i ? param->name : NULL, param->type));
		sprintf(full, "%s%s", i ? "__traceiter_" : "btf_trace_", name);
		CHECK((i ? btf__add_func(btf, full, BTF_FUNC_GLOBAL, prototype) :
		       btf__add_typedef(btf, full, btf__add_ptr(btf, prototype))) > 0);
	}
}

static void make_btf(void)
{
	struct btf *btf = btf__new_empty();
	int number = btf__add_int(btf, "int", 4, BTF_INT_SIGNED), letter = btf__add_int(btf, "char", 1, BTF_INT_SIGNED);
	int size = btf__add_int(btf, "unsigned long", 8, 0), flag = btf__add_int(btf, "_Bool", 1, BTF_INT_BOOL);
	int text = btf__add_ptr(btf, btf__add_const(btf, letter)), name = btf__add_array(btf, number, letter, 16);
	int state, owner, to_owner, either, item, to_item, unnamed, data = btf__add_ptr(btf, 0), fd;
	const void *bytes;
	__u32 length;

	state = btf__add_enum(btf, "state", 4);
	CHECK(!btf__add_enum_value(btf, "IDLE", 0) && !btf__add_enum_value(btf, "BUSY", 2));
	owner = btf__add_struct(btf, "owner", 24);
	CHECK(!btf__add_field(btf, "uid", number, 32, 0) && !btf__add_field(btf, "label", text, 64, 0));
	/* in one byte; over the edge of two, with names; over that of four; a number of its own in 8 */
	CHECK(!btf__add_field(btf, "few", number, 128, 3) && !btf__add_field(btf, "mood", state, 142, 3));
	CHECK(!btf__add_field(btf, "wide", size, 158, 4) && !btf__add_field(btf, "rest", size, 162, 30));
	to_owner = btf__add_ptr(btf, owner);
	either = btf__add_union(btf, NULL, 8);
	CHECK(!btf__add_field(btf, "state", state, 0, 0) && !btf__add_field(btf, "word", size, 0, 0));
	item = btf__add_struct(btf, "item", 64);
	CHECK(!btf__add_field(btf, "id", size, 0, 0) && !btf__add_field(btf, "name", name, 64, 0));
	CHECK(!btf__add_field(btf, "owner", to_owner, 192, 0) && !btf__add_field(btf, "inner", owner, 256, 0));
	CHECK(!btf__add_field(btf, NULL, either, 448, 0));
	to_item = btf__add_ptr(btf, btf__add_const(btf, item));
	add_tracepoint(btf, data, "moved", (struct param[]){ { "item", to_item }, { "count", number },
		       { "path", text }, { "state", state }, { "on", flag }, { "whole", item }, { "last", size }, { NULL, 0 } });
	add_tracepoint(btf, data, "nothing", (struct param[]){ { NULL, 0 } });
	add_tracepoint(btf, data, "softirq_raise", (struct param[]){ { "vec", number }, { NULL, 0 } });
	/* one that takes no programs, and one without names */
	CHECK(btf__add_func(btf, "__traceiter_none", BTF_FUNC_GLOBAL, btf__add_func_proto(btf, 0)) > 0);
	unnamed = btf__add_func_proto(btf, 0);
	CHECK(!btf__add_func_param(btf, NULL, data) && !btf__add_func_param(btf, NULL, number));
	CHECK(btf__add_typedef(btf, "btf_trace_unnamed", btf__add_ptr(btf, unnamed)) > 0);
	bytes = btf__raw_data(btf, &length);
	fd = mkstemp(path);
	CHECK(bytes && fd >= 0 && write(fd, bytes, length) == (ssize_t)length && !close(fd));
	btf__free(btf);
}

static struct format *format_with(const char *const *members, size_t count)
{
	struct fault fault = {};
	struct format *format = NULL;

	if (!check_report(!rawtps__format(rawtps, "moved", members, count, &format, &fault), __FILE__, __LINE__, "%s", fault.text))
		exit(1);
	return format;
}

static void check_names(void)
{
	struct format *format;
	struct fault fault;

	CHECK_STR(rawtps__name(rawtps, 0), "moved");
	CHECK_STR(rawtps__name(rawtps, 1), "nothing");
	CHECK_STR(rawtps__name(rawtps, 2), "softirq_raise");
	CHECK_STR(rawtps__name(rawtps, 3), "unnamed");
	CHECK_STR(rawtps__name(rawtps, 4), NULL);
	CHECK_INT(rawtps__format(rawtps, "movd", NULL, 0, &format, &fault), -ENOENT);
	CHECK_STR(fault.text, "rawtp:movd: the kernel has no such tracepoint; the nearest is moved (those of a module are there once it is loaded)");
	CHECK_INT(rawtps__format(rawtps, "nothing", NULL, 0, &format, &fault), 0);
	CHECK_INT(format->fields_count, 0);
	format__free(format);
	CHECK_INT(rawtps__format(rawtps, "unnamed", NULL, 0, &format, &fault), 0);
	CHECK_STR(format->fields[0].decl, "int arg0");
	format__free(format);
	CHECK(rawtps__recurses("softirq_raise") && rawtps__recurses("sched_set_need_resched_tp") && rawtps__recurses("irq_work_entry"));
	CHECK(!rawtps__recurses("softirq_entry") && !rawtps__recurses("sched_switch"));
}

/* "offset:size:declaration", and the hops. */
static const char *text_of(const struct format_field *field)
{
	static char text[256];
	char *to = text;

	to += sprintf(to, "%u:%u%s:%s", field->offset, field->size, field->is_signed ? "s" : "", field->decl);
	for (unsigned i = 0; field->hops && i < field->hops->count; i++)
		to += sprintf(to, " +%d", field->hops->offsets[i]);
	if (field->hops && field->hops->bits)
		sprintf(to, ":%u<<%u", field->hops->bits, field->hops->shift);
	return text;
}

static void check_fields(void)
{
	static const char *const members[] = { "item->id", "item->name", "item->owner->uid", "item->owner->label", "item->inner.uid",
					       "item->inner.label", "item->state", "path[2]", "count/x", "last/s",
					       "item->owner->few", "item->owner->mood", "item->inner.wide", "item->owner->rest/s" };
	static const char *const expected[] = {
		"0:8:const struct item *item", "8:4s:int count", "16:8:const char *path +0", "24:4:enum state state", "32:1:_Bool on",
		"48:8:unsigned long last",
		"0:8:unsigned long item->id +0", "0:8:char[16] item->name +8", "0:4s:int item->owner->uid +24 +4",
		"0:8:const char *item->owner->label +24 +8 +0", "0:4s:int item->inner.uid +36", "0:8:const char *item->inner.label +40 +0",
		"0:4:enum state item->state +56", "16:1s:const char path[2] +2",
		"0:1s:int item->owner->few +24 +16:3<<0", "0:4:enum state item->owner->mood +24 +16:3<<14",
		"0:8:unsigned long item->inner.wide +48:4<<30", "0:4:unsigned long item->owner->rest +24 +20:30<<2",
	};
	struct format *format = format_with(members, sizeof(members) / sizeof(*members));
	const struct format_field *field;
	char text[256];
	struct shown shown;
	uint32_t two = 2;

	CHECK_INT(format->fields_count, sizeof(expected) / sizeof(*expected));
	for (unsigned i = 0; i < format->fields_count && i < sizeof(expected) / sizeof(*expected); i++)
		CHECK_STR(text_of(&format->fields[i]), expected[i]);
	/* values have the names of the enum */
	field = format__field(format, "item->state");
	CHECK_INT(shown__make(&shown, format, field, 4, false), 0);
	*shown__text(&shown, text, &two, 4, 0, false) = 0;
	CHECK_STR(text, "BUSY");
	*shown__fault(&shown, text, true) = 0;
	CHECK_STR(text, "\"item->state\":null,\"item->state_name\":null");
	shown__free(&shown);
	/* but not a pointer before it, and not in hexadecimal */
	field = format__field(format, "item");
	CHECK_INT(shown__make(&shown, format, field, 8, false), 0);
	CHECK_INT(shown.kind, SHOWN_POINTER);
	shown__free(&shown);
	field = format__field(format, "count");
	CHECK_INT(shown__make(&shown, format, field, 4, true), 0);
	CHECK_INT(shown.kind, SHOWN_HEX);
	shown__free(&shown);
	/* by its name, where somebody tells it */
	field = format__field(format, "last");
	CHECK_INT(shown__make(&shown, format, field, 8, false), 0);
	CHECK_INT(shown.kind, SHOWN_SYMBOL);
	shown__free(&shown);
	format__free(format);
}

static void check_wrong(const char *member, const char *expected)
{
	struct format *format;
	struct fault fault = {};

	CHECK_INT(rawtps__format(rawtps, "moved", &member, 1, &format, &fault), -EINVAL);
	CHECK_STR(fault.text, expected);
}

static void check_errors(void)
{
	check_wrong("item->idd", "rawtp:moved: item->idd: struct item has no member \"idd\"; the nearest is id");
	check_wrong("item.id", "rawtp:moved: item.id: \".id\": a pointer is before it (\"->\" goes through it)");
	check_wrong("item->inner->uid", "rawtp:moved: item->inner->uid: \"->uid\": no pointer is before it");
	check_wrong("item->inner", "rawtp:moved: item->inner: it is of type struct owner, and neither a number nor a text");
	check_wrong("item->name[16]", "rawtp:moved: item->name[16]: [16]: it has 16 elements");
	check_wrong("item->name[x]", "rawtp:moved: item->name[x]: \"[x]\": a number in brackets is an element");
	check_wrong("count->x", "rawtp:moved: count->x: \"->x\": no pointer is before it");
	check_wrong("item->owner->few[1]", "rawtp:moved: item->owner->few[1]: [1]: neither an array nor a pointer");
	check_wrong("item->", "rawtp:moved: item->: \"->\": no member (\"->name\" is one)");
}

static void check_copy(const char *member, const char *expected)
{
	const char *const names[] = { member };
	struct format *format = format_with(names, 1);
	struct fault fault;
	char code[4096];
	struct record record;
	struct emit emit = {};

	CHECK_INT(record__plan(&record, format, names, 1, &fault), 0);
	CHECK_INT(record__emit(&emit, &record), 0);
	CHECK_STR(disassemble(emit.insns, emit.count, code), expected);
	emit__free(&emit);
	record__free(&record);
	format__free(format);
}

static void check_filter(const char *member, const char *filter, const char *expected)
{
	struct format *format = format_with(&member, 1);
	struct expr_error error;
	struct emit emit = {};
	struct expr *tree;
	char code[4096];

	CHECK_INT(expr__parse(&tree, filter, &error), 0);
	CHECK_INT(condition__emit(&emit, tree, format, &error), 0);
	CHECK_STR(disassemble(emit.insns, emit.count, code), expected);
	expr__free(tree);
	emit__free(&emit);
	format__free(format);
}

static void check_key(const char *member, const char *expected)
{
	struct format *format = format_with(&member, 1);
	struct fault fault;
	char code[4096];
	struct emit emit = {};
	struct key key;

	CHECK_INT(key__plan(&key, format, &member, 1, &fault), 0);
	CHECK_INT(key__emit(&emit, &key), 0);
	CHECK_STR(disassemble(emit.insns, emit.count, code), expected);
	key__free(&key);
	emit__free(&emit);
	format__free(format);
}

#define BEGINS "r6 = r1; r7 = r2; "
#define ENDS "; r0 = 0; go +1; r0 = 1"
/* 112 and 114 read the process's memory, 113 and 115 the kernel's */
#define READ_TEXT "if r3 s< 0 go +2; call 114; go +1; call 115; "

static void check_codes(void)
{
	check_copy("count", BEGINS "r0 = u32[r6+8]; u64[r7+8] = r0; r0 = 0; exit");
	check_copy("path", BEGINS "r3 = u64[r6+16]; r1 = r7; r1 += 16; r2 = 258; " READ_TEXT "u64[r7+8] = r0; r0 = 0; exit");
	check_copy("item->owner->uid", BEGINS "r3 = u64[r6+0]; r3 += 24; r1 = r10; r1 += -8; r2 = 8; call 113; if r0 != 0 go +6; r3 = u64[r10-8]; "
		   "r3 += 4; r1 = r7; r1 += 16; r2 = 4; call 113; u64[r7+8] = r0; r0 = 0; exit");
	/* a bit field: with its sign, without */
	check_copy("item->inner.few", BEGINS "r3 = u64[r6+0]; r3 += 48; r1 = r7; r1 += 16; r2 = 1; call 113; if r0 != 0 go +4; "
		   "r1 = u8[r7+16]; r1 <<= 61; r1 s>>= 61; u8[r7+16] = r1; u64[r7+8] = r0; r0 = 0; exit");
	check_filter("item->inner.mood", "item->inner.mood == BUSY", "r3 = u64[r6+0]; r3 += 48; r1 = r10; r1 += -136; r2 = 4; call 113; "
		     "if r0 != 0 go +4; r0 = u32[r10-136]; r0 <<= 47; r0 >>= 61; if r0 == 2 go +2" ENDS);
	check_filter("item->inner.wide", "item->inner.wide == -1", "r3 = u64[r6+0]; r3 += 48; r1 = r10; r1 += -136; r2 = 8; call 113; "
		     "if r0 != 0 go +4; r0 = u64[r10-136]; r0 <<= 30; r0 >>= 60; if r0 == 15 go +2" ENDS);
	check_key("item->inner.wide", BEGINS "r8 = u64[r7+0]; r9 = 0; r3 = u64[r6+0]; r3 += 48; r1 = r10; r1 += -8; r2 = 8; call 113; "
		  "if r0 != 0 go +6; r0 = u64[r10-8]; r0 <<= 30; r0 >>= 60; u64[r7+16] = r0; r0 = 0; go +3; r9 = 1; r1 = 0; "
		  "u64[r7+16] = r1; u64[r7+24] = r0; r0 = r9; exit");
	/* what cannot be read does not match */
	check_filter("item->inner.uid", "item->inner.uid < 7", "r3 = u64[r6+0]; r3 += 36; r1 = r10; r1 += -136; r2 = 4; call 113; "
		     "if r0 != 0 go +4; r0 = u32[r10-136]; r0 <<= 32; r0 s>>= 32; if r0 s< 7 go +2" ENDS);
	/* a longer text is not equal: one byte more is read */
	check_filter("path", "path == \"a\"", "r3 = u64[r6+16]; r1 = r10; r1 += -136; r2 = 3; " READ_TEXT
		     "if r0 s< 0 go +3; r0 = u16[r10-136]; if r0 != 97 go +1; go +2" ENDS);
	check_key("item->id", BEGINS "r8 = u64[r7+0]; r9 = 0; r3 = u64[r6+0]; r1 = r10; r1 += -8; r2 = 8; call 113; if r0 != 0 go +4; "
		  "r0 = u64[r10-8]; u64[r7+16] = r0; r0 = 0; go +3; r9 = 1; r1 = 0; u64[r7+16] = r1; u64[r7+24] = r0; r0 = r9; exit");
}

/* What a program has written is read back: numbers, a text, one that is cut, and what could not be read. */
static void check_values(void)
{
	static const char *const names[] = { "count", "path", "item->id" };
	struct format *format = format_with(names, 3);
	struct record_value value;
	int64_t status = RECORD_DYNAMIC_MAX + 2;
	struct record record;
	struct fault fault;
	char copy[1024] = {};
	uint64_t id = 77;

	CHECK_INT(record__plan(&record, format, names, 3, &fault), 0);
	CHECK_INT(record.size, 8 + 8 + 8 + RECORD_DYNAMIC_MAX + 8 + 16);
	memset(copy + 24, 'x', RECORD_DYNAMIC_MAX + 8);
	memcpy(copy + record.fields[1].room, &status, 8);
	memcpy(copy + record.fields[2].room + 8, &id, 8);
	value = record__value(&record, &record.fields[1], copy);
	CHECK(value.size == RECORD_DYNAMIC_MAX && value.more == 1 && value.bytes == copy + 24);
	value = record__value(&record, &record.fields[2], copy);
	CHECK(value.size == 8 && !memcmp(value.bytes, &id, 8));
	status = 4;
	memcpy(copy + record.fields[1].room, &status, 8);
	value = record__value(&record, &record.fields[1], copy);
	CHECK(value.size == 3 && !value.more);
	status = -EFAULT;
	memcpy(copy + record.fields[1].room, &status, 8);
	CHECK(!record__value(&record, &record.fields[1], copy).bytes);
	record__free(&record);
	format__free(format);
}

/* Loaded by their names: those only, until another one is asked for; in both ways to read the file. */
static void check_by_name(void)
{
	const char *const names[] = { "softirq_raise", "nosuch", "moved" };
	struct format *format = NULL;
	struct fault fault;

	for (int map = 0; map < 2; map++) {
		rawbtf__may_map = map;
		CHECK_INT(rawtps__load(&rawtps, path, names, 3), 0);
		CHECK_STR(rawtps__name(rawtps, 0), "moved");
		CHECK_STR(rawtps__name(rawtps, 1), "softirq_raise");
		CHECK_STR(rawtps__name(rawtps, 2), NULL);
		CHECK_INT(rawtps__format(rawtps, "moved", NULL, 0, &format, &fault), 0);
		format__free(format);
		CHECK_STR(rawtps__name(rawtps, 2), NULL);
		CHECK_INT(rawtps__format(rawtps, "nothing", NULL, 0, &format, &fault), 0);
		format__free(format);
		CHECK_STR(rawtps__name(rawtps, 3), "unnamed");
		rawtps__free(rawtps);
	}
	rawbtf__may_map = true;
}

int main(void)
{
	make_btf();
	check_by_name();
	CHECK_INT(rawtps__load(&rawtps, path, NULL, 0), 0);
	unlink(path);
	if (rawtps) {
		CHECK_STR(rawtps__name(rawtps, 0), NULL);
		CHECK_INT(rawtps__load_all(rawtps), 0);
		check_names();
		check_fields();
		check_errors();
		check_codes();
		check_values();
	}
	rawtps__free(rawtps);
	return check_done();
}
