/* SPDX-License-Identifier: BSD-2-Clause */
/* Filters and copies as instructions: one by one for some, and many at random against a model and a verifier of our own. */
#include <errno.h>

#include "check.h"
#include "corpus.h"
#include "disassemble.h"
#include "filter_model.h"
#include "lib/gen/evaluate.h"
#include "lib/gen/key.h"
#include "lib/gen/predicate.h"
#include "lib/gen/record.h"
#include "lib/gen/request.h"
#include "lib/gen/patch.h"

static struct format *model_parse(void)
{
	struct format_error error;
	struct format *format;

	if (format__parse(&format, "test", model_format, strlen(model_format), &error)) {
		fprintf(stderr, "the model's format: line %u: %s\n", error.line, error.why);
		exit(1);
	}
	return format;
}

/* ---- instruction by instruction */

static int compile(const struct format *format, const char *text, struct emit *emit, struct expr **tree, struct fault *fault)
{
	struct expr_error error;
	int err = expr__parse(tree, text, &error);

	*emit = (struct emit){};
	if (!err)
		err = condition__emit(emit, *tree, format, &error);
	if (err)
		request__explain(text, &error, fault);
	return err;
}

/* A filter, and all its instructions. */
static void check_code(const char *text, const char *expected)
{
	struct format *format = model_parse();
	struct fault fault = {};
	char got[8192];
	const struct bpf_insn *function;
	struct expr *tree = NULL;
	struct emit emit;
	size_t count, where;

	if (check_report(!compile(format, text, &emit, &tree, &fault), __FILE__, __LINE__, "%s: %s", text, fault.text)) {
		disassemble(emit.insns, emit.count, got);
		check_report(!strcmp(got, expected), __FILE__, __LINE__,
			     "%s is\n  \"%s\", expected\n  \"%s\"", text, got, expected);
		function = model_function(&emit, &count);
		CHECK_STR(machine_verify(function, count, SCALAR, MODEL_CTX_END, 0, &where), NULL);
	}
	emit__free(&emit);
	expr__free(tree);
	format__free(format);
}

static void check_error(const char *text, const char *expected)
{
	struct format *format = model_parse();
	struct expr *tree = NULL;
	struct fault fault = {};
	struct emit emit;

	CHECK_INT(compile(format, text, &emit, &tree, &fault), -EINVAL);
	CHECK_STR(fault.text, expected);
	emit__free(&emit);
	expr__free(tree);
	format__free(format);
}

#define ENDS "; r0 = 0; go +1; r0 = 1"

static void check_codes(void)
{
	check_code("a == 7", "r0 = u8[r6+8]; if r0 == 7 go +2" ENDS);
	check_code("b == -1", "r0 = u8[r6+9]; r0 <<= 56; r0 s>>= 56; if r0 == -1 go +2" ENDS);
	check_code("g == -1", "r0 = u32[r6+32]; r1 = 0xffffffff; if r0 == r1 go +2" ENDS);
	check_code("d < 3", "r0 = u32[r6+12]; r0 <<= 32; r0 s>>= 32; if r0 s< 3 go +2" ENDS);
	check_code("e >= 0x100000000", "r0 = u64[r6+16]; r1 = 0x100000000; if r0 >= r1 go +2" ENDS);
	check_code("f & 4", "r0 = u64[r6+24]; r0 &= 4; if r0 != 0 go +2" ENDS);
	check_code("!(a & c)", "r0 = u8[r6+8]; r1 = u16[r6+10]; r0 &= r1; if r0 != 0 go +1; go +2" ENDS);
	check_code("a == 1 && c != 2", "r0 = u8[r6+8]; if r0 == 1 go +1; go +2; r0 = u16[r6+10]; if r0 != 2 go +2" ENDS);
	check_code("a == 1 || c != 2", "r0 = u8[r6+8]; if r0 == 1 go +4; r0 = u16[r6+10]; if r0 != 2 go +2" ENDS);
	check_code("h == TWO", "r0 = u16[r6+64]; r0 <<= 48; r0 s>>= 48; if r0 == 2 go +2" ENDS);
	check_code("g & (BIT)", "r0 = u32[r6+32]; r0 &= 16; if r0 != 0 go +2" ENDS);
	check_code("pid == 5", "r0 = r7; r0 >>= 32; if r0 == 5 go +2" ENDS);
	check_code("TID > 5", "r0 = r7; r0 <<= 32; r0 >>= 32; if r0 s> 5 go +2" ENDS);
	check_code("cpu == 1", "call 8; r0 <<= 32; r0 >>= 32; if r0 == 1 go +2" ENDS);
	check_code("a == uid", "r0 = u8[r6+8]; u64[r10-72] = r0; call 15; r0 <<= 32; r0 >>= 32; r1 = r0; r0 = u64[r10-72]; "
		   "if r0 == r1 go +2" ENDS);
	/* in the largest pieces that are aligned, and with the 0 byte */
	check_code("s == \"abcd\"", "r0 = u32[r6+36]; if r0 != 1684234849 go +3; r0 = u8[r6+40]; if r0 != 0 go +1; go +2" ENDS);
	check_code("t == \"abc\"", "r0 = u16[r6+52]; if r0 != 25185 go +3; r0 = u8[r6+54]; if r0 != 99 go +1; go +2" ENDS);
	check_code("t ~ \"a*\"", "r0 = u8[r6+52]; if r0 != 97 go +1; go +2" ENDS);
	check_code("t ~ \"*?c\"", "r0 = u8[r6+52]; if r0 == 0 go +12; if r0 == 0 go +5; r0 = u8[r6+53]; if r0 != 99 go +3; r0 = u8[r6+54]; "
		   "if r0 != 0 go +1; go +8; r0 = u8[r6+53]; if r0 == 0 go +4; if r0 == 0 go +3; r0 = u8[r6+54]; if r0 != 99 go +1; "
		   "go +2" ENDS);
	check_code("dyn == \"ab\"", "r1 = u32[r6+56]; r1 &= 65535; r3 = r6; r3 += r1; r1 = r10; r1 += -136; r2 = 3; call 113; "
		   "if r0 s< 0 go +5; r0 = u16[r10-136]; if r0 != 25185 go +3; r0 = u8[r10-134]; if r0 != 0 go +1; go +2" ENDS);
}

static void check_errors(void)
{
	check_error("a = 1", "filter \"a = 1\", column 3: \"=\" is no operator (\"==\" compares)");
	check_error("a == ", "filter \"a == \", column 6: the filter ends where a name, a number or a text should be");
	check_error("a == 1 b", "filter \"a == 1 b\", column 8: \"b\" where an operator should be");
	check_error("(a == 1", "filter \"(a == 1\", column 1: the parenthesis is not closed");
	check_error("s == \"x", "filter \"s == \"x\", column 6: the text has no second quote");
	check_error("s == 'x'", "filter \"s == 'x'\", column 6: \"'x'\" where a name, a number or a text should be (texts are in double "
		    "quotes)");
	check_error("a == 99999999999999999999", "filter \"a == 99999999999999999999\", column 6: a number of more than 64 bits");
	check_error("a == 12x", "filter \"a == 12x\", column 6: not a whole number");
	check_error("a == \"x\"", "filter \"a == \"x\"\", column 6: a is a number, and this is a text");
	check_error("s == 3", "filter \"s == 3\", column 6: s is a text: what it is compared with must be in double quotes");
	check_error("s < \"x\"", "filter \"s < \"x\"\", column 3: \"<\" compares numbers, and s is a text (==, != and ~ are for texts)");
	check_error("a ~ 3", "filter \"a ~ 3\", column 3: \"~\" compares a text with a pattern in double quotes");
	check_error("s ~ \"[a\"", "filter \"s ~ \"[a\"\", column 5: the pattern has a \"[\" that is not closed");
	check_error("t != \"abcd\"", "filter \"t != \"abcd\"\", column 6: t has at most 3 characters, and this text has 4 (the first are \"abc\")");
	check_error("t ~ \"*a[bc]?d\"",
		    "filter \"t ~ \"*a[bc]?d\"\", column 5: t has at most 3 characters, and the pattern takes 4 at least");
	check_error("comm == \"0123456789abcdef\"",
		    "filter \"comm == \"0123456789abcdef\"\", column 9: comm has at most 15 characters, and this text has "
		    "16 (the first are \"0123456789abcde\")");
	check_error("d == 2147483648", "filter \"d == 2147483648\", column 6: d is from -2147483648 to 2147483647, so this is never true");
	check_error("d == -ENOTHING", "filter \"d == -ENOTHING\", column 6: \"-ENOTHING\" is no error's name");
	check_error("d == -ENOTHINGASLONGASTHIS", "filter \"d == -ENOTHINGASLONGASTHIS\", column 6: \"-ENOTHINGASLONGASTHI\" is no error's name");
	check_error("+8(d == 1", "filter \"+8(d == 1\", column 1: \"+8(d\" where a name, a number or a text should be");
	check_error("d == -8(f", "filter \"d == -8(f\", column 8: \"(f\" where an operator should be");
	check_error("d > 2147483647", "filter \"d > 2147483647\", column 5: d is from -2147483648 to 2147483647, so this is never true");
	check_error("a != 256", "filter \"a != 256\", column 6: a is from 0 to 255, so this is always true");
	check_error("b > -129", "filter \"b > -129\", column 5: b is from -128 to 127, so this is always true");
	check_error("c < 0", "filter \"c < 0\", column 5: c is from 0 to 65535, so this is never true");
	check_error("e < 0", "filter \"e < 0\", column 5: e has no sign, and is never less than 0");
	check_error("uid == 4294967296", "filter \"uid == 4294967296\", column 8: uid is from 0 to 4294967295, so this is never true");
	check_error("(a == 1) & 1", "filter \"(a == 1) & 1\", column 4: the result of \"==\" is true or false, and no number");
	check_error("\"x\" == s", "filter \"\"x\" == s\", column 1: a text on the left of \"==\" (a field's name is expected)");
	check_error("list == 1", "filter \"list == 1\", column 1: list is neither a number nor a text: u32 list[3]");
	check_error("s", "filter \"s\", column 1: s is a text where a number should be");
	check_error("\"s\"", "filter \"\"s\"\", column 1: a text alone is no condition");
	check_error("common_pid == 1", "filter \"common_pid == 1\", column 1: programs cannot read common_pid");
	check_error("a == TWO", "filter \"a == TWO\", column 6: test:model has no field \"TWO\"; it has a, b, c, d, e, f, g, s, t, dyn, rel, h, "
		    "list");
	check_error("a == 1 && lits", "filter \"a == 1 && lits\", column 11: test:model has no field \"lits\"; the nearest is list");
}

/* ---- at random */

static uint64_t seed = 0x1234567;

static uint64_t draw(uint64_t below)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (seed >> 33) % below;
}

static const char *pick(const char *const *words)
{
	size_t count = 0;

	while (words[count])
		count++;
	return words[draw(count)];
}

static char *put_number(char *to, int depth)
{
	static const char *const names[] = { "a", "b", "c", "d", "e", "f", "g", "h", "pid", "tid", "uid", "cpu", "TID", NULL };
	static const char *const numbers[] = { "0", "1", "-1", "7", "0x80", "255", "-128", "0xffff", "0x7fffffff", "-2147483648",
					       "0xffffffff", "4294967296", "-4294967296", "0xffffffffffffffff", "9223372036854775807",
					       "0x8000000000000000", NULL };

	switch (draw(depth > 3 ? 4 : 6)) {
	case 0:
		return stpcpy(to, pick(numbers));
	case 4:
		to = put_number(to, depth + 1);
		to = stpcpy(to, " & ");
		return put_number(to, depth + 1);
	case 5:
		*to++ = '(';
		to = put_number(to, depth + 1);
		*to++ = ')';
		return to;
	default:
		return stpcpy(to, pick(names));
	}
}

static char *put_pattern(char *to, bool is_glob)
{
	static const char *const parts[] = { "a", "b", "ab", "*", "?", "[ab]", "[!a]", "*", "[a-y]", "ba", NULL };

	for (uint64_t i = draw(is_glob ? 6 : 5); i; i--)
		to = is_glob ? stpcpy(to, pick(parts)) : stpcpy(to, draw(2) ? "a" : "b");
	return to;
}

static char *put_condition(char *to, int depth)
{
	static const char *const compares[] = { "==", "!=", "<", "<=", ">", ">=", NULL };
	static const char *const strings[] = { "s", "t", "dyn", "rel", "comm", "COMM", NULL };
	static const char *const equals[] = { "==", "!=", "~", "~", NULL };
	const char *operator;

	switch (draw(depth > 3 ? 5 : 8)) {
	case 0:
		return put_number(to, 1);
	case 1: case 2:
		operator = pick(equals);
		to += sprintf(to, "%s %s \"", pick(strings), operator);
		to = put_pattern(to, *operator == '~');
		*to++ = '"';
		*to = 0;
		return to;
	case 5:
		to = stpcpy(to, draw(2) ? "!(" : "(");
		to = put_condition(to, depth + 1);
		return stpcpy(to, ")");
	case 6: case 7:
		to = put_condition(to, depth + 1);
		to = stpcpy(to, draw(2) ? " && " : " || ");
		return put_condition(to, depth + 1);
	default:
		to = put_number(to, 0);
		to += sprintf(to, " %s ", pick(compares));
		return put_number(to, 0);
	}
}

static void put_string(char *to, size_t size)
{
	size_t length = draw(size + 1);

	for (size_t i = 0; i < size; i++)
		to[i] = i < length ? (char)("ab"[draw(2)]) : draw(2) ? 0 : 'a';
	if (length < size)
		to[length] = 0;
}

static void fill_ctx(struct machine *machine, char *ctx)
{
	static const uint64_t some[] = { 0, 1, 7, 0x80, 0xff, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff, 0x100000000, UINT64_MAX };
	uint32_t loc;

	for (size_t i = 0; i < MODEL_CTX_END; i += 4) {
		uint64_t value = some[draw(sizeof(some) / sizeof(*some))];

		memcpy(ctx + i, &value, i == 16 || i == 24 ? 8 : 4);
		i += i == 16 || i == 24 ? 4 : 0;
	}
	put_string(ctx + 36, 16);
	put_string(ctx + 52, 3);
	put_string(ctx + 80, 5);
	put_string(ctx + 100, 299);
	ctx[85] = ctx[399] = 0;
	loc = (uint32_t)(draw(2) ? 6u << 16 | 80 : 300u << 16 | 100);
	memcpy(ctx + 56, &loc, 4);
	loc -= 64;
	memcpy(ctx + 60, &loc, 4);
	put_string(machine->comm, 15);
	machine->comm[15] = 0;
	machine->uid = (uint32_t)draw(3);
	machine->cpu = (uint32_t)draw(3);
	machine->steps = 0;
}

/*
 * The same filter on the bytes as a record.  A record that ends early is read no further: its copy ends there.  Returns whether a
 * record has all that the filter asks for.
 */
static bool check_evaluate(const char *text, const struct expr *tree, const struct format *format, const struct machine *machine,
			   uint64_t id, bool expected)
{
	char comm[sizeof(machine->comm) + 1] = "";
	struct evaluate_record record = {
		.data = machine->ctx, .size = MODEL_CTX_SIZE, .tid = (uint32_t)id, .cpu = machine->cpu,
		.comm = memcpy(comm, machine->comm, sizeof(machine->comm)),
	};
	struct expr_error error;
	struct evaluate evaluate;
	char *cut;
	int err = evaluate__make(&evaluate, tree, format, &error);

	if (err) {
		check_report(err == -EOPNOTSUPP, __FILE__, __LINE__, "%s: %s", text, error.why);
		return false;
	}
	check_report(evaluate__holds(&evaluate, &record) == expected, __FILE__, __LINE__, "%s: as a record it is %d", text, !expected);
	record.size = (size_t)draw(MODEL_CTX_SIZE);
	cut = malloc(record.size + !record.size);
	memcpy(cut, machine->ctx, record.size);
	record.data = cut;
	record.comm = NULL;
	evaluate__holds(&evaluate, &record);
	free(cut);
	evaluate__free(&evaluate);
	return true;
}

static void check_random(unsigned int rounds)
{
	static char text[100000];
	struct fault fault;
	char ctx[MODEL_CTX_SIZE];
	struct machine machine = { .ctx = ctx, .ctx_size = sizeof(ctx) };
	struct model model = { .machine = &machine };
	struct format *format = model_parse();
	unsigned int compiled = 0, held = 0, runs = 0, evaluated = 0;

	for (unsigned int i = 0; i < rounds; i++) {
		const struct bpf_insn *function = NULL;
		struct expr *tree = NULL;
		struct emit emit;
		const char *refused;
		size_t count = 0, where;
		int err;

		*put_condition(text, 0) = 0;
		err = strlen(text) > 4096 ? -EINVAL : compile(format, text, &emit, &tree, &fault);
		if (strlen(text) > 4096)
			continue;
		check_report(!err || err == -E2BIG || strstr(fault.text, "t has at most 3 characters") || strstr(fault.text, "so this is ") ||
			     strstr(fault.text, "never less than 0"), __FILE__, __LINE__, "%s", fault.text);
		if (!err) {
			compiled++;
			function = model_function(&emit, &count);
			refused = machine_verify(function, count, SCALAR, MODEL_CTX_END, 0, &where);
			check_report(!refused, __FILE__, __LINE__, "%s: instruction %zu of %zu: %s", text, where, count, refused);
		}
		for (int run = 0; !err && run < 8; run++) {
			bool expected, got;

			fill_ctx(&machine, ctx);
			model.id = draw(3) << 32 | draw(3);
			expected = model_holds(&model, tree);
			got = machine_run(&machine, function, count, model.id);
			check_report(!machine.why && got == expected, __FILE__, __LINE__, "%s: %s %d, expected %d", text,
				     machine.why ? machine.why : "is", got, expected);
			evaluated += check_evaluate(text, tree, format, &machine, model.id, expected);
			held += expected;
			runs++;
			machine.why = NULL;
		}
		emit__free(&emit);
		expr__free(tree);
	}
	CHECK(evaluated > runs / 20);
	/* it says something only if most are compiled, and hold now and then */
	CHECK(compiled > rounds / 2);
	CHECK(held > runs / 10 && held < runs * 9 / 10);
	format__free(format);
}

/* ---- numbers that no signed type has, as the C compiler of this file compares them */

static bool filter_holds(const struct format *format, char *ctx, const char *text)
{
	struct machine machine = { .ctx = ctx, .ctx_size = MODEL_CTX_SIZE };
	const struct bpf_insn *function;
	struct expr *tree = NULL;
	struct emit emit;
	struct fault fault = {};
	size_t count;
	bool holds;

	/* a constant that the field can never be: what the refusal says is what C has */
	if (compile(format, text, &emit, &tree, &fault)) {
		holds = strstr(fault.text, "so this is always true");
		check_report(holds || strstr(fault.text, "never true") || strstr(fault.text, "never less"), __FILE__, __LINE__, "%s", fault.text);
		emit__free(&emit);
		expr__free(tree);
		return holds;
	}
	CHECK_STR(fault.text, "");
	function = model_function(&emit, &count);
	holds = machine_run(&machine, function, count, 0);
	CHECK(!machine.why);
	emit__free(&emit);
	expr__free(tree);
	return holds;
}

/* The text is the filter with a field's name for `field`, and C with a variable of the field's type. */
#define CHECK_C(condition)                                                                                                               \
	do {                                                                                                                             \
		char text_[80] = #condition, *at_ = strstr(text_, "field");                                                              \
		bool expected_ = (condition);                                                                                            \
		*at_ = *name;                                                                                                            \
		memset(at_ + 1, ' ', 4);                                                                                                 \
		check_report(filter_holds(format, ctx, text_) == expected_, __FILE__, __LINE__, "%s with %s %lld is %d", text_, name,    \
			     (long long)field, !expected_);                                                                              \
	} while (0)

#define CHECK_C_ALL(literal)               \
	CHECK_C(field == literal);         \
	CHECK_C(field != literal);         \
	CHECK_C(field < literal);          \
	CHECK_C(field <= literal);         \
	CHECK_C(field > literal);          \
	CHECK_C(field >= literal);         \
	CHECK_C(literal < field);          \
	CHECK_C(literal >= field);         \
	CHECK_C(field & literal);          \
	CHECK_C((field & literal) > 0);    \
	CHECK_C((literal & field) < 1);    \
	CHECK_C((field & literal) >= literal)

static const uint64_t values_of_fields[] = { 0, 1, 5, 0x7f, 0x80, 0xfb, 0xff, 0x7fffffff, 0x80000000, 0xffffffff, 0x7fffffffffffffff,
					     0x8000000000000000, 0x8000000000000001, 0xffff888000000000, 0xfffffffffffffffb, UINT64_MAX };

/* A function for each type of field. */
#define CHECKS_OF_TYPE(type, its_name, offset)                                                               \
	static void check_##type(const struct format *format)                                                \
	{                                                                                                    \
		static const char name[] = its_name;                                                         \
		char ctx[MODEL_CTX_SIZE] = { 0 };                                                            \
                                                                                                             \
		for (size_t i = 0; i < sizeof(values_of_fields) / sizeof(*values_of_fields); i++) {          \
			type field = (type)values_of_fields[i];                                              \
			memcpy(ctx + (offset), &field, sizeof(field));                                       \
			CHECK_C_ALL(0x7fffffffffffffff);                                                     \
			CHECK_C_ALL(0x8000000000000000);                                                     \
			CHECK_C_ALL(0x8000000000000001);                                                     \
			CHECK_C_ALL(0xffffffff80000000);                                                     \
			CHECK_C_ALL(0xffff888000000000);                                                     \
			CHECK_C_ALL(0xfffffffffffffffe);                                                     \
			CHECK_C_ALL(0xffffffffffffffff);                                                     \
		}                                                                                            \
	}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Wtype-limits"
CHECKS_OF_TYPE(uint8_t, "a", 8)
CHECKS_OF_TYPE(int8_t, "b", 9)
CHECKS_OF_TYPE(uint16_t, "c", 10)
CHECKS_OF_TYPE(int32_t, "d", 12)
CHECKS_OF_TYPE(uint64_t, "e", 16)
CHECKS_OF_TYPE(int64_t, "f", 24)
CHECKS_OF_TYPE(uint32_t, "g", 32)
CHECKS_OF_TYPE(int16_t, "h", 64)
#pragma GCC diagnostic pop

static void check_large_constants(void)
{
	struct format *format = model_parse();

	check_uint8_t(format);
	check_int8_t(format);
	check_uint16_t(format);
	check_int32_t(format);
	check_uint64_t(format);
	check_int64_t(format);
	check_uint32_t(format);
	check_int16_t(format);
	format__free(format);
}

/* ---- copies */

static void check_copy(void)
{
	const char *const names[] = { "g", "dyn", "rel", "h" }, *const wrong[] = { "gg" };
	struct fault fault;
	char ctx[MODEL_CTX_SIZE], copy[2048], code[8192];
	struct machine machine = { .ctx = ctx, .ctx_size = sizeof(ctx), .copy = copy };
	struct format *format = model_parse();
	struct record_value value;
	struct record record;
	struct emit emit = {};
	size_t where;

	CHECK_INT(record__plan(&record, format, wrong, 1, &fault), -EINVAL);
	CHECK_STR(fault.text, "test:model has no field \"gg\"; the nearest is g");

	CHECK_INT(record__plan(&record, format, names, 1, &fault), 0);
	CHECK_INT(record__emit(&emit, &record), 0);
	CHECK_STR(disassemble(emit.insns, emit.count, code), "r6 = r1; r7 = r2; r1 = u32[r6+32]; u32[r7+32] = r1; r0 = 0; exit");
	emit__free(&emit);
	record__free(&record);

	CHECK_INT(record__plan(&record, format, names, 4, &fault), 0);
	CHECK_INT(record.size, 72 + 2 * RECORD_DYNAMIC_MAX);
	CHECK_INT(record__emit(&emit, &record), 0);
	CHECK_STR(machine_verify(emit.insns, emit.count, COPY, MODEL_CTX_END, (int)record.size, &where), NULL);
	machine.copy_size = record.size;
	for (int i = 0; i < 200; i++) {
		uint32_t loc;
		size_t length;

		fill_ctx(&machine, ctx);
		memset(copy, 'x', sizeof(copy));
		if (i % 2) {
			machine_run(&machine, emit.insns, emit.count, (uintptr_t)copy);
			CHECK_STR(machine.why, NULL);
		} else {
			/* the same out of a record that ftrace or perf wrote */
			CHECK_INT(record__take(&record, copy, ctx, sizeof(ctx)), 0);
			CHECK(!memcmp(copy, "xxxxxxxx", 8));
		}
		value = record__value(&record, &record.fields[0], copy);
		CHECK(value.size == 4 && !memcmp(value.bytes, ctx + 32, 4) && !value.more);
		value = record__value(&record, &record.fields[3], copy);
		CHECK(value.size == 2 && !memcmp(value.bytes, ctx + 64, 2));
		memcpy(&loc, ctx + 56, 4);
		length = loc >> 16;
		for (int f = 1; f <= 2; f++) {
			value = record__value(&record, &record.fields[f], copy);
			CHECK_INT(value.size, length > RECORD_DYNAMIC_MAX ? RECORD_DYNAMIC_MAX : length);
			CHECK_INT(value.size + value.more, length);
			CHECK(!memcmp(value.bytes, ctx + (loc & 0xffff), value.size));
		}
		for (size_t at = record.size; at < sizeof(copy); at++)
			CHECK(copy[at] == 'x');
	}
	emit__free(&emit);
	/* a record that ends too early: within a field, and within what a dynamic one points to */
	CHECK_INT(record__take(&record, copy, ctx, 65), -EINVAL);
	memcpy(ctx + 56, &(uint32_t){ 20 << 16 | (MODEL_CTX_SIZE - 19) }, 4);
	memcpy(ctx + 60, &(uint32_t){ 1 << 16 }, 4);
	CHECK_INT(record__take(&record, copy, ctx, sizeof(ctx)), -EINVAL);
	record__free(&record);

	/* all fields, whole */
	CHECK_INT(record__plan(&record, format, NULL, 0, &fault), 0);
	CHECK_INT(record__emit(&emit, &record), 0);
	CHECK_STR(machine_verify(emit.insns, emit.count, COPY, MODEL_CTX_END, (int)record.size, &where), NULL);
	machine.copy_size = record.size;
	fill_ctx(&machine, ctx);
	machine_run(&machine, emit.insns, emit.count, (uintptr_t)copy);
	CHECK(!memcmp(copy + 8, ctx + 8, 44) && !memcmp(copy + 68, ctx + 68, 12));
	emit__free(&emit);
	record__free(&record);
	format__free(format);
}

/* ---- keys */

static void check_key_code(const char *const *names, size_t count, const char *expected)
{
	struct format *format = model_parse();
	struct fault fault = {};
	char code[8192];
	struct emit emit = {};
	struct key key;
	size_t where;

	if (check_report(!key__plan(&key, format, names, count, &fault), __FILE__, __LINE__, "%s: %s", *names, fault.text)) {
		CHECK_INT(key__emit(&emit, &key), 0);
		CHECK_STR(disassemble(emit.insns, emit.count, code), expected);
		CHECK_STR(machine_verify(emit.insns, emit.count, COPY, MODEL_CTX_END, (int)key.size, &where), NULL);
		key__free(&key);
		emit__free(&emit);
	}
	format__free(format);
}

static void check_key_error(const char *const *names, size_t count, const char *expected)
{
	struct format *format = model_parse();
	struct fault fault = {};
	struct key key;

	CHECK_INT(key__plan(&key, format, names, count, &fault), -EINVAL);
	CHECK_STR(fault.text, expected);
	format__free(format);
}

#define KEY_BEGINS "r6 = r1; r7 = r2; r8 = u64[r7+0]; "
#define KEY_ENDS "; r0 = 0; exit"

static void check_key_codes(void)
{
	check_key_code((const char *const[]){ "d", "g" }, 2, KEY_BEGINS "r0 = u32[r6+12]; r0 <<= 32; r0 s>>= 32; u64[r7+16] = r0; "
		       "r0 = u32[r6+32]; u64[r7+24] = r0" KEY_ENDS);
	check_key_code((const char *const[]){ "pid", "TID", "uid" }, 3, KEY_BEGINS "r0 = r8; r0 >>= 32; u64[r7+16] = r0; "
		       "r0 = r8; r0 <<= 32; r0 >>= 32; u64[r7+24] = r0; call 15; r0 <<= 32; r0 >>= 32; u64[r7+32] = r0" KEY_ENDS);
	/* with room for a 0 byte where the array is full, and zeros behind what the helper writes */
	check_key_code((const char *const[]){ "t", "comm" }, 2, KEY_BEGINS "r0 = 0; u64[r7+16] = r0; r3 = r6; r3 += 52; r1 = r7; r1 += 16; "
		       "r2 = 4; call 115; r1 = r7; r1 += 24; r2 = 16; call 16" KEY_ENDS);
	check_key_error((const char *const[]){ "a", "lits" }, 2, "test:model has no field \"lits\"; the nearest is list");
	check_key_error((const char *const[]){ "list" }, 1, "list is neither a number nor a text: u32 list[3]");
	check_key_error((const char *const[]){ "common_pid" }, 1, "programs cannot read common_pid");
	check_key_error((const char *const[]){ "dyn", "rel", "dyn", "rel" }, 4,
			"test:model: the values to count by take more than 504 bytes (name fewer)");
}

/* The text of a part, which the key has up to its 0 byte and nothing behind it. */
static void check_key_text(const struct key_part *part, const char *key, const char *text, size_t length, size_t cut, size_t more)
{
	struct record_value value = key__value(part, key);

	length = strnlen(text, length);
	length = length < cut ? length : cut;
	CHECK_INT(strnlen(value.bytes, value.size), length);
	CHECK(!memcmp(value.bytes, text, length));
	CHECK_INT(value.more, more);
	for (const char *at = (const char *)value.bytes + length; at < key + part->offset + part->size - KEY_START; at++)
		CHECK(!*at);
}

static void check_keys(void)
{
	const char *const names[] = { "b", "s", "dyn", "rel", "comm", "pid" };
	struct fault fault;
	char ctx[MODEL_CTX_SIZE], memory[2 * KEY_SIZE_MAX];
	struct machine machine = { .ctx = ctx, .ctx_size = sizeof(ctx), .copy = memory };
	const char *key_bytes = memory + KEY_START;
	struct format *format = model_parse();
	struct emit emit = {};
	struct key key;
	size_t where;

	CHECK_INT(key__plan(&key, format, names, 6, &fault), 0);
	CHECK_INT(key.size, KEY_VALUES + 8 + 24 + 2 * (8 + KEY_TEXT_MAX) + 16 + 8);
	CHECK_INT(key__emit(&emit, &key), 0);
	CHECK_STR(machine_verify(emit.insns, emit.count, COPY, MODEL_CTX_END, (int)key.size, &where), NULL);
	machine.copy_size = key.size;
	for (int i = 0; i < 200; i++) {
		uint64_t id = (uint64_t)77 << 32 | 78;
		struct record_value value;
		size_t length, more;
		uint32_t loc;

		fill_ctx(&machine, ctx);
		memset(memory, 'x', sizeof(memory));
		memcpy(memory, &id, sizeof(id));
		machine_run(&machine, emit.insns, emit.count, (uintptr_t)memory);
		CHECK_STR(machine.why, NULL);
		value = key__value(&key.parts[0], key_bytes);
		CHECK(value.size == 1 && !memcmp(value.bytes, ctx + 9, 1));
		check_key_text(&key.parts[1], key_bytes, ctx + 36, 16, 16, 0);
		memcpy(&loc, ctx + 56, sizeof(loc));
		length = loc >> 16;
		more = length > KEY_TEXT_MAX ? length - KEY_TEXT_MAX : 0;
		for (int f = 2; f <= 3; f++)
			check_key_text(&key.parts[f], key_bytes, ctx + (loc & 0xffff), length, KEY_TEXT_MAX - 1, more);
		check_key_text(&key.parts[4], key_bytes, machine.comm, 16, 15, 0);
		value = key__value(&key.parts[5], key_bytes);
		CHECK(value.size == 4 && *(const uint32_t *)value.bytes == 77);
		/* the word of the event's number is the program's, and nothing is written behind the key */
		for (size_t at = KEY_START; at < KEY_VALUES; at++)
			CHECK(memory[at] == 'x');
		for (size_t at = key.size; at < sizeof(memory); at++)
			CHECK(memory[at] == 'x');
	}
	emit__free(&emit);
	key__free(&key);
	format__free(format);
}

/* Where the kernel says that the record ends: behind the field that was defined last. */
static int record_end(const struct format *format)
{
	const struct format_field *last = &format->fields[format->fields_count - 1];

	return (int)(last->offset + last->size);
}

static unsigned int events_count, keys_count;

/* Each field as a key of its own. */
static void check_event_keys(const struct format *format, int end)
{
	for (unsigned int i = format->common_count; i < format->fields_count; i++) {
		const char *name = format->fields[i].name, *refused;
		struct emit emit = {};
		struct key key;
		struct fault fault;
		size_t where;

		/* neither a number nor a text */
		if (key__plan(&key, format, &name, 1, &fault))
			continue;
		check_report(!key__emit(&emit, &key), __FILE__, __LINE__, "%s(%s): is not written", format->name, name);
		refused = machine_verify(emit.insns, emit.count, COPY, end, (int)key.size, &where);
		check_report(!refused, __FILE__, __LINE__, "%s(%s): instruction %zu: %s", format->name, name, where, refused);
		emit__free(&emit);
		key__free(&key);
		keys_count++;
	}
}

static void check_event(const struct corpus_event *event)
{
	struct format_error error;
	struct format *format;
	struct record record;
	struct emit emit = {};
	const char *refused;
	struct fault fault;
	size_t where;
	int end;

	if (!strcmp(event->system, "ftrace") || format__parse(&format, event->system, event->text, event->length, &error))
		return;
	if (check_report(!record__plan(&record, format, NULL, 0, &fault), __FILE__, __LINE__, "%s: %s", event->name, fault.text)) {
		end = ctx__is_syscall(format) ? 16 + 8 * (int)(format->fields_count - format->common_count) : record_end(format);
		check_report(!record__emit(&emit, &record), __FILE__, __LINE__, "%s: is not written", event->name);
		refused = machine_verify(emit.insns, emit.count, COPY, end, (int)record.size, &where);
		check_report(!refused, __FILE__, __LINE__, "%s: instruction %zu: %s", event->name, where, refused);
		check_event_keys(format, end);
		emit__free(&emit);
		record__free(&record);
		events_count++;
	}
	format__free(format);
}

/* ---- functions in the place of others */

static void check_patch(void)
{
	enum { CALL = BPF_JMP | BPF_CALL, EXIT = BPF_JMP | BPF_EXIT, SET = BPF_ALU64 | BPF_MOV | BPF_K, IF = BPF_JMP | BPF_JEQ | BPF_K };
	const struct bpf_insn program[] = {
		{ .code = SET, .dst_reg = 1, .imm = 30 }, { .code = CALL, .src_reg = BPF_PSEUDO_CALL, .imm = 5 },	/* to 7 */
		{ .code = IF, .off = 2 }, { .code = SET, .imm = 40 },							/* to 5 */
		{ .code = CALL, .src_reg = BPF_PSEUDO_CALL, .imm = 4 }, { .code = SET, .imm = 3 }, { .code = EXIT },	/* to 9 */
		{ .code = SET, .imm = 10 }, { .code = EXIT },
		{ .code = CALL, .src_reg = BPF_PSEUDO_CALL, .imm = 2 }, { .code = SET, .imm = 5 }, { .code = EXIT },	/* to 12 */
		{ .code = SET, .imm = 20 }, { .code = EXIT },
	};
	const struct bpf_insn one[] = { { .code = SET, .imm = 1 }, { .code = SET, .imm = 1 }, { .code = SET, .imm = 1 }, { .code = EXIT } };
	const struct bpf_insn two[] = { { .code = EXIT } };
	const struct bpf_insn inside[] = { { .code = IF, .off = 1 }, { .code = SET, .imm = 8 }, { .code = SET, .imm = 9 } };
	struct patch patches[] = {
		{ .kind = PATCH_FUNCTION, .mark = 10, .insns = one, .count = 4 },
		{ .kind = PATCH_FUNCTION, .mark = 20, .insns = two, .count = 1 },
		{ .kind = PATCH_VALUE, .mark = 30, .number = 31 }, { .kind = PATCH_CODE, .mark = 40, .insns = inside, .count = 3 },
	};
	struct bpf_insn *made = NULL;
	char code[1024];
	size_t count;

	CHECK_INT(patch__make(program, 14, patches, 4, &made, &count), 0);
	CHECK_INT(count, 17);
	CHECK_STR(disassemble(made, count, code),
		  "r1 = 31; call 7; if r0 == 0 go +4; if r0 == 0 go +1; r0 = 8; r0 = 9; call 6; r0 = 3; exit; "
		  "r0 = 1; r0 = 1; r0 = 1; exit; call 2; r0 = 5; exit; exit");
	free(made);
	patches[0].mark = 11;
	CHECK_INT(patch__make(program, 14, patches, 4, &made, &count), -ENOENT);
}

/* What a choice leaves out, and where a filter goes that does not hold. */
static void check_choice(void)
{
	enum { CALL = BPF_JMP | BPF_CALL, EXIT = BPF_JMP | BPF_EXIT, SET = BPF_ALU64 | BPF_MOV | BPF_K, IF = BPF_JMP | BPF_JEQ | BPF_K,
	       UNLESS = BPF_JMP | BPF_JNE | BPF_K, GO = BPF_JMP | BPF_JA };
	struct bpf_insn program[] = {
		{ .code = SET, .dst_reg = 1, .imm = 50 }, { .code = IF, .dst_reg = 1, .off = 3 },			/* to 5 */
		{ .code = CALL, .src_reg = BPF_PSEUDO_CALL, .imm = 6 },							/* to 9 */
		{ .code = SET, .imm = 60 }, { .code = IF, .off = 2 },							/* to 7 */
		{ .code = SET, .imm = 7 }, { .code = EXIT },
		{ .code = SET, .imm = 8 }, { .code = EXIT },
		{ .code = BPF_LD | BPF_IMM | BPF_DW, .imm = 1 }, { .code = 0 }, { .code = EXIT },
	};
	const struct bpf_insn filter[] = {
		{ .code = IF, .off = 2 }, { .code = SET, .imm = 0 }, { .code = GO, .off = 1 }, { .code = SET, .imm = 1 },
	};
	struct patch patches[] = {
		{ .kind = PATCH_CHOICE, .mark = 50, .number = 1 }, { .kind = PATCH_CODE, .mark = 60, .insns = filter, .count = 4 },
	};
	struct bpf_insn *made = NULL;
	char code[1024];
	size_t count;

	CHECK_INT(patch__make(program, 12, patches, 2, &made, &count), 0);
	CHECK_INT(count, 13);
	CHECK_STR(disassemble(made, count - 3, code),
		  "call 9; if r0 == 0 go +2; r0 = 0; go +4; r0 = 1; if r0 == 0 go +2; r0 = 7; exit; r0 = 8; exit");
	CHECK_INT(made[10].code, BPF_LD | BPF_IMM | BPF_DW);
	free(made);
	/* the other answer: neither the filter nor the function is needed */
	patches[0].number = 0;
	CHECK_INT(patch__make(program, 12, patches, 2, &made, &count), 0);
	CHECK_STR(disassemble(made, count, code), "go +0; r0 = 7; exit");
	free(made);
	/* the question asked the other way round, at both places */
	program[1].code = UNLESS;
	program[4].code = UNLESS;
	CHECK_INT(patch__make(program, 12, patches, 2, &made, &count), 0);
	CHECK_INT(count, 13);
	CHECK_STR(disassemble(made, count - 3, code),
		  "call 9; if r0 == 0 go +2; r0 = 0; go +2; r0 = 1; if r0 != 0 go +2; r0 = 7; exit; r0 = 8; exit");
	free(made);
	/* not asked at once: the kernel's verifier finds the answer */
	program[1].dst_reg = 2;
	CHECK_INT(patch__make(program, 12, patches, 2, &made, &count), 0);
	CHECK_INT(count, 15);
	CHECK_INT(made[0].imm, 0);
	free(made);
	/* a jump out of the program */
	program[6] = (struct bpf_insn){ .code = GO, .off = 9 };
	CHECK_INT(patch__make(program, 12, patches, 2, &made, &count), -EINVAL);
}

/* ---- in the kernel's own language */

static void check_predicate(const char *filter, const char *expected, unsigned int column)
{
	struct format *format = model_parse();
	struct expr_error error = { .column = 0 };
	struct expr *tree;
	char *text = NULL;
	int err;

	CHECK_INT(expr__parse(&tree, filter, &error), 0);
	err = predicate__make(&text, tree, format, &error);
	CHECK_INT(err, column ? -EOPNOTSUPP : 0);
	CHECK_STR(column ? error.why : text, expected);
	if (column)
		CHECK_INT(error.column, column);
	free(text);
	expr__free(tree);
	format__free(format);
}

static void check_predicates(void)
{
	check_predicate("a == 1", "a == 1", 0);
	check_predicate("a", "a != 0", 0);
	check_predicate("!(d < -3) && g == -1 || f != -1", "((!(d < -3)) && (g == 4294967295)) || (f != -1)", 0);
	check_predicate("e > 0xffffffffffffffff", "e > 18446744073709551615", 0);
	check_predicate("d == -ENOENT || d==-EIO", "(d == -2) || (d == -5)", 0);
	check_predicate("f == 0xffffffffffffffff && d & 0xffffffff80000000", "(f == -1) && (d & -2147483648)", 0);
	check_predicate("f >= 0x8000000000000000",
			"the kernel's own filters compare f with sign, and this is more than a number with sign can be", 6);
	check_predicate("g < 0x8000000000000000", "g has no such value, and the kernel's own filters do not take it", 5);
	check_predicate("h == TWO && g & BIT", "(h == 2) && (g & 16)", 0);
	check_predicate("(g & 4) == 0", "!(g & 4)", 0);
	check_predicate("s == \"x y\" || dyn ~ \"a*\" || rel != \"q\\\"\"", "((s == \"x y\") || (dyn ~ \"a*\")) || (rel != 'q\"')", 0);
	check_predicate("tid == 7 && cpu >= 2 && COMM ~ \"[a-c]*\"", "((common_pid == 7) && (CPU >= 2)) && (COMM ~ \"[a-c]*\")", 0);
	check_predicate("a == 300", "a has no such value, and the kernel's own filters do not take it", 6);
	check_predicate("b == 128", "b has no such value, and the kernel's own filters do not take it", 6);
	check_predicate("a == 1 && pid == 3",
			"the kernel's own filters do not know the process (tid they know; -p filters afterwards)", 11);
	check_predicate("uid == 0", "the kernel's own filters do not know the user", 1);
	check_predicate("a == g", "the kernel's own filters compare a field with a constant", 1);
	check_predicate("(g & 4) == 4", "the kernel's own filters compare \"&\" with nothing but 0", 9);
	check_predicate("g & 1 & 2", "the kernel's own filters compare a field with a constant", 3);
	check_predicate("cpu & 1", "the kernel's own filters have no \"&\" for the CPU", 1);
	check_predicate("s ~ \"!x*\"", "a pattern of the kernel's own filters cannot begin with \"!\"", 5);
	check_predicate("s ~ \"1*\"", "a pattern of the kernel's own filters cannot begin with \"1\"", 5);
	check_predicate("s == \"\"", "the kernel's own filters take no empty text, none with both kinds of quotes, and at most 250 bytes", 6);
}

static void check_requests(void)
{
	struct requests requests = {};
	struct fault fault = {};

	CHECK_INT(requests__take(&requests, "tp:sched:sched_switch( prev_comm,next_pid )", &fault), 0);
	CHECK_INT(requests__take(&requests, "if", &fault), 0);
	CHECK_INT(requests__end(&requests, &fault), -EINVAL);
	CHECK_INT(requests__take(&requests, "next_pid == 1", &fault), 0);
	CHECK_INT(requests__take(&requests, "irq:* if irq == 3", &fault), 0);
	CHECK_INT(requests__take(&requests, "sched_wakeup", &fault), 0);
	CHECK_INT(requests.count, 3);
	CHECK_STR(requests.list[0].system, "sched");
	CHECK_STR(requests.list[0].name, "sched_switch");
	CHECK_INT(requests.list[0].fields_count, 2);
	CHECK_STR(requests.list[0].fields[0], "prev_comm");
	CHECK_STR(requests.list[0].fields[1], "next_pid");
	CHECK(requests.list[0].filter && requests.list[1].filter && !requests.list[2].filter && !requests.filter);
	CHECK(!request__has_pattern(&requests.list[0]) && request__has_pattern(&requests.list[1]) &&
	      request__has_pattern(&requests.list[2]));
	CHECK(request__matches(&requests.list[2], "sched", "sched_wakeup") &&
	      !request__matches(&requests.list[2], "sched", "sched_wakeup_new"));
	CHECK_INT(requests__take(&requests, "a:b(c", &fault), -EINVAL);
	CHECK_INT(requests__take(&requests, "a:b(c,,d)", &fault), -EINVAL);
	CHECK_INT(requests__take(&requests, "k:a:do_exit:x", &fault), -EINVAL);
	CHECK_INT(requests__take(&requests, "prev_pid == 0", &fault), -EINVAL);
	CHECK_STR(fault.text, "\"prev_pid == 0\": no event (SYSTEM:NAME is one; a filter is one argument: if 'prev_pid == 0')");
	CHECK_INT(requests__take(&requests, "", &fault), -EINVAL);
	requests__free(&requests);

	CHECK_INT(requests__take(&requests, "if", &fault), 0);
	CHECK_INT(requests__take(&requests, "pid == 1", &fault), 0);
	CHECK(requests.filter && !requests.count);
	requests__free(&requests);
}

int main(void)
{
	check_codes();
	check_errors();
	check_random(20000);
	check_copy();
	check_key_codes();
	check_keys();
	check_patch();
	check_choice();
	check_predicates();
	check_large_constants();
	check_requests();
	for (size_t i = 0; i < CORPORA_COUNT; i++) {
		char *text = corpus_read(corpora[i]);
		const char *pos = text;
		struct corpus_event event;

		while (corpus_next(&pos, &event))
			check_event(&event);
		free(text);
	}
	CHECK(events_count > 5000 && keys_count > 20000);
	return check_done();
}
