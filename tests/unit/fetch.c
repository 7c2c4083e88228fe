/* SPDX-License-Identifier: BSD-2-Clause */
/* Fields in the grammar of the kernel's own probes: what is made of their words, and what is said of those that are wrong. */
#include <asm/ptrace.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/btf.h>

#include "check.h"
#include "lib/btf/rawbtf.h"
#include "lib/format/fetch_name.h"
#include "lib/format/kfuncs.h"
#include "lib/gen/emit.h"
#include "lib/gen/fetch_args.h"
#include "lib/gen/record.h"
#include "lib/gen/request.h"
#include "lib/kernel/ksyms.h"
#include "lib/kernel/registers.h"
#include "lib/kernel/variables.h"
#include "lib/shared/call_args.h"

#ifdef __x86_64__
#define ONE "di"
#define TWO "si"
#define OTHER "x0"
#else
#define ONE "x0"
#define TWO "x1"
#define OTHER "di"
#endif

static char btf_path[] = "/tmp/probelight-fetch.XXXXXX", symbols_path[] = "/tmp/probelight-symbols.XXXXXX";
static struct kfuncs *kfuncs;

static void write_file(char *path, const void *bytes, size_t size)
{
	int fd = mkstemp(path);

	CHECK(fd >= 0 && write(fd, bytes, size) == (ssize_t)size && !close(fd));
}

/* int of(struct item *it, int count), and a variable "here" of each CPU that points to an item. */
static void make_btf(void)
{
	struct btf *btf = btf__new_empty();
	int number = btf__add_int(btf, "int", 4, BTF_INT_SIGNED), text = btf__add_ptr(btf, btf__add_int(btf, "char", 1, BTF_INT_CHAR));
	int item = btf__add_struct(btf, "item", 24), to_item;
	const void *bytes;
	__u32 size;

	CHECK(!btf__add_field(btf, "name", text, 0, 0) && !btf__add_field(btf, "count", number, 64, 0));
	CHECK(!btf__add_field(btf, "next", number + 5, 128, 0));
	to_item = btf__add_ptr(btf, item);
	CHECK_INT(to_item, number + 4);
	CHECK(btf__add_func_proto(btf, number) > 0);
	CHECK(!btf__add_func_param(btf, "it", to_item) && !btf__add_func_param(btf, "count", number));
	CHECK(btf__add_func(btf, "of", BTF_FUNC_STATIC, to_item + 1) > 0);
	CHECK(btf__add_var(btf, "here", BTF_VAR_GLOBAL_ALLOCATED, to_item) > 0);
	CHECK(btf__add_var(btf, "whole", BTF_VAR_GLOBAL_ALLOCATED, item) > 0);
	bytes = btf__raw_data(btf, &size);
	write_file(btf_path, bytes, size);
	btf__free(btf);
}

static void make_symbols(void)
{
	static const char text[] = "0000000000000000 A __per_cpu_start\n0000000000001000 A here\n0000000000030000 A __per_cpu_end\n"
		"ffffffff81000000 T of\nffffffff82000100 D whole\nffffffff82000200 D jiffies\nffffffff82000300 D __per_cpu_offset\n";

	write_file(symbols_path, text, sizeof(text) - 1);
	ksyms__use(symbols_path);
	variables__may_ask = false;
}

static const struct kfuncs_places places = { .args = 16, .ret = 0, .duration = 8, .registers = 64 };

/* The field of these words, "BASE+hop+hop size"; "&" at the end: the address itself; or what is said. */
static void check_words(const char *words, bool is_return, const char *expected)
{
	struct format *format = NULL;
	struct fault fault = {};
	char got[FAULT_TEXT_MAX] = "", *to = got, *name = fetch__name(words);
	const struct format_field *field = NULL;

	if (!kfuncs__format(kfuncs, "of", is_return ? &places : NULL, &words, 1, &format, &fault))
		field = format__field(format, name);
	if (field && field->hops && field->hops->base == FORMAT_CONSTANT)
		to += sprintf(to, "%llx", field->hops->address);
	else if (field && field->hops && field->hops->base == FORMAT_THIS_CPU)
		to += sprintf(to, "cpu[%llx]+%llx", field->hops->offsets_address, field->hops->address);
	else if (field && field->hops && field->hops->base == FORMAT_COMM)
		to += sprintf(to, "comm");
	else if (field)
		to += is_return ? sprintf(to, "%u", field->offset) : sprintf(to, "%%%s", registers__name(field->offset));
	for (unsigned i = 0; field && field->hops && i < field->hops->count; i++)
		to += sprintf(to, "%s%+d", field->hops->user & 1 << i ? "u" : "", field->hops->offsets[i]);
	if (field)
		to += sprintf(to, "%s %s%u", field->hops && field->hops->is_address ? "&" : "", field->loc == FORMAT_POINTER ? "text" :
			      field->is_char ? "c" : field->is_symbol ? "sym" : field->is_octal ? "o" : field->is_hex ? "x" :
			      field->is_signed ? "s" : "u", field->loc == FORMAT_POINTER ? 0 : 8 * field->elem_size);
	if (field && field->is_array)
		to += sprintf(to, "[%u]", field->array_len);
	if (field && field->hops && field->hops->bits)
		sprintf(to, " bits %u@%u", field->hops->bits, field->hops->shift);
	CHECK_STR(field ? got : fault.text, expected);
	free(name);
	format__free(format);
}

static void check_places(void)
{
	check_words("%" ONE, false, "%" ONE " x64");
	check_words("n=%" ONE ":s32", false, "%" ONE " s32");
	check_words("n=%" ONE ":u16/o", false, "%" ONE " o16");
	check_words("$stack", false, "%sp x64");
	check_words("$stack3:u32", false, "%sp+24 u32");
	check_words("$stack+8", false, "%sp+8& x64");
	check_words("$stack-16:u64", false, "%sp-16& u64");
	check_words("$arg2:s32", false, "%" TWO " s32");
	check_words("arg1:x64", false, "%" TWO " x64");
	check_words("$comm", false, "comm text0");
	check_words("\\-5:s8", false, "fffffffffffffffb+0& s8");
	check_words("@jiffies", false, "ffffffff82000200+0 x64");
	check_words("@jiffies+8:u32", false, "ffffffff82000208+0 u32");
	check_words("@jiffies-0x8:u32", false, "ffffffff820001f8+0 u32");
	check_words("&jiffies", false, "ffffffff82000200+0& x64");
	check_words("@0xffffffff82000200:x8", false, "ffffffff82000200+0 x8");
	check_words("+8(@jiffies):u32", false, "ffffffff82000200+0+8 u32");
	check_words("@here", false, "cpu[ffffffff82000300]+1000+0 x64");
	check_words("+8(%" TWO "):u32", false, "%" TWO "+8 u32");
	check_words("-4(%sp):s32", false, "%sp-4 s32");
	check_words("+0(+8(%" TWO ")):string", false, "%" TWO "+8+0 text0");
	check_words("+u16(+0(%" TWO ")):u8", false, "%" TWO "+0u+16 u8");
	check_words("+0(%" TWO "):ustring", false, "%" TWO "u+0 text0");
	check_words("%" TWO ":string", false, "%" TWO "+0 text0");
	check_words("+8(%" TWO "):string[3]", false, "%" TWO "+8 text0[3]");
	check_words("%" TWO ":string[1]", false, "%" TWO "+0 text0[1]");
	check_words("+u8(+0(%" TWO ")):ustring[64]", false, "%" TWO "+0u+8 text0[64]");
	check_words("arg1:str[2]", false, "%" TWO "+0 text0[2]");
	check_words("+0(it):x64", false, "%" ONE "+0 x64");
	check_words("+0(it->name):x8", false, "k:of: \"+0(it->name):x8\": a text is no address");
}

static void check_types(void)
{
	check_words("+0(%" TWO "):x64[3]", false, "%" TWO "+0 x64[3]");
	check_words("+0(%" TWO "):char[64]", false, "%" TWO "+0 c8[64]");
	check_words("%" ONE ":char", false, "%" ONE " c8");
	check_words("$stack0:symbol", false, "%sp+0 sym64");
	check_words("%" ONE ":b4@2/32", false, "%" ONE "+0& u32 bits 4@2");
	check_words("+0(%" ONE "):b3@60/64", false, "%" ONE "+0 u64 bits 3@60");
	check_words("it->count:x16", false, "%" ONE "+8 x16");
	check_words("n=it->name", false, "%" ONE "+0+0 text0");
	check_words("(item)%" TWO "->count", false, "%" TWO "+8 s32");
	check_words("(struct item *)%" TWO "->name", false, "%" TWO "+0+0 text0");
	check_words("(item)&whole->count:u8", false, "ffffffff82000100+8 u8");
	check_words("(item)@jiffies->count", false, "ffffffff82000200+0+8 s32");
	check_words("@whole->count", false, "ffffffff82000100+8 s32");
	check_words("@here->name", false, "cpu[ffffffff82000300]+1000+0+0+0 text0");
	/* of a return: registers are where the kernel has put them */
	check_words("%" ONE, true, registers__offset(ONE, NULL) == 112 ? "64+112 x64" : "64+0 x64");
	check_words("$retval:s32", true, "0 s32");
	check_words("$arg2", true, "24 x64");
	check_words("+8(%sp)", true, registers__offset("sp", NULL) == 152 ? "64+152+8 x64" : "64+248+8 x64");
}

#define SAYS(words, text) check_words(words, false, "k:of: \"" words "\": " text)

static void check_errors(void)
{
#ifdef __x86_64__
	SAYS("%x0", "%x0 is a register of arm64, and this machine is x86-64");
	SAYS("+8(%dj)", "x86-64 has no register %dj; the nearest are dx, di, ax");
	SAYS("%rdi", "the kernel calls the register rdi %di");
	SAYS("%DI", "the kernel calls the register DI %di");
	SAYS("%EDI", "the kernel calls the register EDI %di");
#endif
	SAYS("@jiffie", "the kernel has no symbol \"jiffie\"; the nearest is jiffies");
	SAYS("$stak", "no such variable ($stack, $stack0, $arg1, $retval and $comm are)");
	SAYS("$stack5000", "no word of the stack ($stack0 is the first)");
	SAYS("$retval", "a call that begins has no result (kr: has)");
#if CALL_ARGS == 8
	SAYS("$arg9", "only the first 8 arguments are in registers");
#else
	SAYS("$arg7", "only the first 6 arguments are in registers");
#endif
	SAYS("%sp:int", "no such type (u8 to u64, s8 to s64, x8 to x64, char, symbol, string, ustring, bN@OFFSET/SIZE; [N] behind it)");
	SAYS("%sp:b9@60/64", "a bit field is bN@OFFSET/SIZE, within 8, 16, 32 or 64 bits");
	SAYS("%sp:x64[3]", "an array is in memory (\"+0(%" ONE "):x64[3]\" is one)");
	SAYS("+0(%sp):u8[65]", "an array has 1 to 64 elements");
	SAYS("+0(%sp):string[65]", "an array has 1 to 64 elements");
	SAYS("+0(%sp):ustring[0]", "an array has 1 to 64 elements");
	SAYS("+0(+0(+0(+0(+0(+0(+0(+0(%sp)))))))):string[2]", "too many pointers on the way");
	SAYS("$comm:string[2]", "the task's name is a text");
	SAYS("+8%sp", "no place in memory (\"+8(%" ONE ")\" is one)");
	SAYS("+8(%sp", "the parenthesis is not closed");
	SAYS("%sp)", "what is behind it is not understood");
	SAYS("\\x", "a number follows the backslash");
	SAYS("$comm:u8", "the task's name is a text");
	SAYS("(item)$comm->count", "a text is no address");
	SAYS("+0($comm)", "a text is no address");
	SAYS("n=", "what the field is follows \"=\"");
	check_words("$comm/x", false, "k:of: \"$comm/x\": a text, and /x is for numbers");
	check_words("it->name/o", false, "k:of: \"it->name/o\": a text, and /o is for numbers");
	check_words("+0(%sp):string[2]/x", false, "k:of: \"+0(%sp):string[2]/x\": a text, and /x is for numbers");
	SAYS("other:x64", "\"other\" is neither an argument nor a register (%" ONE "), a symbol (@jiffies) or memory (+8(%" ONE "))");
	SAYS("(itm)%sp->count", "the kernel's BTF has no struct itm");
	SAYS("(item)%sp->cont", "struct item has no member \"cont\"; the nearest is count");
	SAYS("(item)%sp", "\"->member\" follows a type");
	SAYS("@jiffies->count", "the kernel's BTF has no type of jiffies (name it: (STRUCT)&jiffies->MEMBER, or (STRUCT)@jiffies->MEMBER where "
	     "it is a pointer)");
	SAYS("=%sp", "no name is before \"=\"");
	SAYS("+1(+1(+1(+1(+1(+1(+1(+1(+1(%sp)))))))))", "too many parentheses within each other");
}

/* As the kernel's own probes fetch them. */
static void check_line(const char *name, const char *words, const char *expected)
{
	const struct format_field *field;
	struct format *format = NULL;
	struct fault fault;
	char *line = NULL, *last;
	int err;

	CHECK_INT(kfuncs__format(kfuncs, name, NULL, &words, 1, &format, &fault), 0);
	err = fetch_args__line(format, &line, &field);
	if (!expected) {
		CHECK_INT(err, -EOPNOTSUPP);
	} else {
		CHECK_INT(err, 0);
		last = line ? strrchr(line, '=') : NULL;
		CHECK_STR(last ? last + 1 : "", expected);
	}
	free(line);
	format__free(format);
}

static void check_lines(void)
{
	check_line("of", "%" ONE, "$arg1:u64");
	check_line("of+4", "%" ONE, "%" ONE ":u64");
	check_line("of", "%sp:s32", "%sp:s32");
	check_line("of", "-8(%sp):x32[3]", "-8(%sp):u32[3]");
	check_line("of", "+u8(+16(%sp)):u8", "+u8(+16(%sp)):u8");
	check_line("of", "+8(%sp):ustring", "+8(%sp):ustring");
	check_line("of", "+8(%sp):string[3]", "+8(%sp):string[3]");
	check_line("of", "+u8(%sp):string[3]", "+u8(%sp):string[3]");
	check_line("of", "+8(%sp):ustring[3]", "+8(%sp):ustring[3]");
	check_line("of", "@jiffies+8:u32", "@0xffffffff82000208:u32");
	check_line("of", "+8(@jiffies):string", "+8(@0xffffffff82000200):string");
	check_line("of", "\\42", "\\42:u64");
	check_line("of", "$comm", "$comm:string");
	check_line("of", "%sp:b4@2/32", "%sp:b4@2/32");
	check_line("of", "@here", NULL);
	check_line("of", "$stack+8", NULL);
}

static void check_request(const char *words, const char *fields)
{
	struct requests requests = {};
	struct fault fault;
	char got[512] = "", *to = got;

	CHECK_INT(requests__take(&requests, words, &fault), 0);
	for (size_t i = 0; i < requests.list[0].fields_count; i++)
		to += sprintf(to, "%s[%s]", i ? " " : "", requests.list[0].fields[i]);
	sprintf(to, " %s %u", requests.list[0].system, requests.list[0].slots);
	CHECK_STR(got, fields);
	requests__free(&requests);
}

static void check_requests(void)
{
	struct requests requests = {};
	struct fault fault;

	check_request("k:of(+8(%si):u32, n=+0(+0(%si)), (item)%si->count)", "[+8(%si):u32] [n=+0(+0(%si))] [(item)%si->count] k 0");
	check_request("kr100:of(ret)", "[ret] kr 100");
	check_request("k:of%return($retval)", "[$retval] kr 0");
	CHECK_INT(requests__take(&requests, "kr5000:of", &fault), -EINVAL);
	CHECK_STR(fault.text, "\"kr5000:of\": kr1 to kr4096: for how many calls at the same time");
	CHECK_INT(requests__take(&requests, "k:of(+8(%si)", &fault), -EINVAL);
	CHECK_STR(fault.text, "\"k:of(+8(%si)\": the list of fields is not closed by a \")\" at its end");
	requests__free(&requests);
}

int main(void)
{
	make_btf();
	make_symbols();
	kfuncs = kfuncs__new(btf_path);
	check_places();
	check_types();
	check_errors();
	check_lines();
	check_requests();
	kfuncs__free(kfuncs);
	unlink(btf_path);
	unlink(symbols_path);
	return check_done();
}
