/* SPDX-License-Identifier: BSD-2-Clause */
#include "fetch.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fetch_type.h"
#include "lib/kernel/registers.h"
#include "lib/kernel/variables.h"
#include "member.h"

#define DEPTH_MAX 8
#define WORD_MAX 128

struct parser {
	const struct fetch_source *source;
	const char *text, *at;
	struct made_field *field;
	bool has_type;		/* the field has a type already: a member's, an argument's */
	struct fault *fault;
	int depth;
	bool in_cast;		/* what "->" follows is a pointer to the struct that is named before it */
};

/* ---- ways */

__attribute__((format(printf, 2, 3)))
static int explain(struct parser *parser, const char *format, ...)
{
	const struct fetch_source *source = parser->source;
	char why[512];
	va_list args;

	va_start(args, format);
	vsnprintf(why, sizeof(why), format, args);
	va_end(args);
	return fault__set(parser->fault, -EINVAL, "%s:%s: \"%s\": %s", source->system, source->name, parser->text, why);
}

static int fail(struct parser *parser, const char *why)
{
	return explain(parser, "%s", why);
}

/* The same with what another one said. */
static int pass_on(struct parser *parser, const struct fault *fault)
{
	return explain(parser, "%.480s", fault->text);
}

/* What is in memory at that distance from the value. */
static int dereference(struct parser *parser, int distance, bool of_process)
{
	struct format_hops *hops = &parser->field->hops;

	if (hops->is_address) {
		hops->offsets[hops->count - 1] += distance;
		hops->is_address = false;
	} else if (hops->count == FORMAT_HOPS_MAX) {
		return fail(parser, "too many pointers on the way");
	} else {
		hops->offsets[hops->count++] = distance;
	}
	hops->any_space = true;
	if (of_process)
		hops->user |= (unsigned short)(1 << (hops->count - 1));
	parser->field->size = 8;
	return 0;
}

static void set_constant(struct parser *parser, uint64_t number, bool is_address)
{
	parser->field->hops = (struct format_hops){ .base = FORMAT_CONSTANT, .address = number, .is_address = is_address, .count = 1,
						    .any_space = true };
	parser->field->size = 8;
}

static void set_word(struct parser *parser, unsigned offset)
{
	parser->field->offset = offset;
	parser->field->size = 8;
}

/* The register at that offset of struct pt_regs. */
static void set_register(struct parser *parser, int offset)
{
	if (!parser->source->is_return) {
		set_word(parser, (unsigned)offset);
		return;
	}
	set_word(parser, parser->source->registers);
	parser->field->hops = (struct format_hops){ .count = 1, .offsets = { offset }, .any_space = true };
}

/* ---- what a value begins with */

/* A word of letters and digits to word. Its length. */
static size_t take_word(struct parser *parser, char word[WORD_MAX], const char *others)
{
	size_t length = 0;

	while (isalnum((unsigned char)parser->at[length]) || parser->at[length] == '_' ||
	       (parser->at[length] && strchr(others, parser->at[length])))
		length++;
	snprintf(word, WORD_MAX, "%.*s", (int)length, parser->at);
	parser->at += length;
	return length;
}

/* A number, with a sign where that is asked for.  Whether there is one. */
static bool take_number(struct parser *parser, bool with_sign, uint64_t *number)
{
	const char *at = parser->at;
	bool is_negative = with_sign && *at == '-';
	char *end;

	at += with_sign && (*at == '-' || *at == '+');
	errno = 0;
	*number = isdigit((unsigned char)*at) ? strtoull(at, &end, 0) : 0;
	if (!isdigit((unsigned char)*at) || errno)
		return false;
	if (is_negative)
		*number = -*number;
	parser->at = end;
	return true;
}

static int take_register(struct parser *parser)
{
	struct fault fault;
	char word[WORD_MAX];
	int offset;

	take_word(parser, word, "");
	offset = registers__offset(word, &fault);
	if (offset < 0)
		return pass_on(parser, &fault);
	set_register(parser, offset);
	return 0;
}

static int take_argument(struct parser *parser, unsigned number)
{
	const struct fetch_source *source = parser->source;

	if (number >= source->arguments_count && source->has_whole_words)
		return fail(parser, "an access to memory has no arguments");
	if (number >= source->arguments_count && source->arguments_count)
		return explain(parser, "only the first %u arguments are in registers", source->arguments_count);
	if (number >= source->arguments_count)
		return fail(parser, "where a probe is not at the start of its function, the arguments are not known (registers are: %"
				    REGISTERS_EXAMPLE ")");
	set_word(parser, (unsigned)parser->source->arguments[number]);
	return 0;
}

/* "$stack", "$stack+8", "$stack3" */
static int take_stack(struct parser *parser, const char *behind)
{
	struct format_hops *hops = &parser->field->hops;
	int sp = registers__offset(REGISTERS_STACK, NULL), err;
	uint64_t number;

	set_register(parser, sp);
	if (*behind) {
		char *end;
		unsigned long word = strtoul(behind, &end, 10);

		/* PARAM_MAX_STACK, kernel/trace/trace_probe.h: as many as a stack of 16 KB has */
		return *end || word > 2048 ? fail(parser, "no word of the stack ($stack0 is the first)") :
					     dereference(parser, (int)(word * sizeof(long)), false);
	}
	if (*parser->at != '+' && *parser->at != '-')
		return 0;
	if (!take_number(parser, true, &number) || (int64_t)number != (int)number)
		return fail(parser, "no distance from the stack pointer");
	err = dereference(parser, (int)number, false);
	hops->is_address = true;
	return err;
}

static int take_variable(struct parser *parser)
{
	char word[WORD_MAX];

	take_word(parser, word, "");
	if (!strncmp(word, "stack", 5) && (!word[5] || isdigit((unsigned char)word[5])))
		return take_stack(parser, word + 5);
	if (!strcmp(word, "retval")) {
		if (!parser->source->is_return)
			return fail(parser, "a call that begins has no result (kr: has)");
		set_word(parser, parser->source->ret);
		return 0;
	}
	if (!strncmp(word, "arg", 3) && word[3] >= '1' && word[3] <= '9')
		return take_argument(parser, (unsigned)atoi(word + 3) - 1);
	if (strcmp(word, "comm"))
		return fail(parser, "no such variable ($stack, $stack0, $arg1, $retval and $comm are)");
	parser->field->hops.base = FORMAT_COMM;
	parser->field->size = 0;
	strcpy(parser->field->type, "char[16]");
	parser->has_type = true;
	return 0;
}

/* Of a member that a path leads to from what is there: adds its way to the field's. */
static int take_path(struct parser *parser, struct rawbtf *raw, __u32 id)
{
	char path[WORD_MAX];
	struct format_hops hops;
	struct member_type kind;
	struct fault fault;
	int err = 0;

	if (strncmp(parser->at, "->", 2))
		return fail(parser, "\"->member\" follows a type");
	snprintf(path, sizeof(path), "%.*s", (int)strcspn(parser->at, ":,)/ "), parser->at);
	parser->at += strlen(path);
	if (member__follow_in(raw, &id, path, &hops, &kind, &fault))
		return pass_on(parser, &fault);
	for (unsigned i = 0; i < hops.count && !err; i++)
		err = dereference(parser, hops.offsets[i], false);
	parser->field->hops.bits = hops.bits;
	parser->field->hops.shift = hops.shift;
	parser->field->size = kind.size;
	parser->field->is_signed = kind.is_signed;
	member__type_name(raw, id, parser->field->type, sizeof(parser->field->type));
	parser->has_type = true;
	return err;
}

static int note_type(void *context, __u32 id, const struct btf_type *type)
{
	__u32 *found = context;

	/* of a variable that of the value */
	if (!*found)
		*found = BTF_INFO_KIND(type->info) == BTF_KIND_VAR ? type->type : id;
	/* to the end: only then other types can be asked for */
	return 0;
}

/* The id of a type, or of a variable's; 0: BTF has none. */
static __u32 find_type(struct rawbtf *raw, const char *name, __u64 kinds)
{
	const char *const names[] = { name };
	__u32 id = 0;

	if (raw)
		rawbtf__scan(raw, names, 1, kinds, note_type, &id);
	return id;
}

/* "@SYMBOL->member": by the variable's type, a struct or a pointer to one. */
static int take_member_of(struct parser *parser, const char *symbol)
{
	struct rawbtf *raw = parser->source->btf(parser->source->btf_context);
	__u32 id = find_type(raw, symbol, 1ull << BTF_KIND_VAR);
	const struct btf_type *type = id ? rawbtf__resolve(raw, &id) : NULL;

	if (!type)
		return explain(parser, "the kernel's BTF has no type of %s (name it: (STRUCT)&%s->MEMBER, or (STRUCT)@%s->MEMBER where it "
			       "is a pointer)", symbol, symbol, symbol);
	if (BTF_INFO_KIND(type->info) == BTF_KIND_PTR)
		return take_path(parser, raw, type->type);
	/* the struct is the variable */
	parser->field->hops.is_address = true;
	return take_path(parser, raw, id);
}

/* "@SYMBOL+8", "@0xffff…", and "&" instead: from behind that letter. */
static int take_memory(struct parser *parser, bool is_address)
{
	struct variable variable;
	struct fault fault;
	char word[WORD_MAX];
	uint64_t number;
	int err;

	if (isdigit((unsigned char)*parser->at)) {
		if (!take_number(parser, false, &number))
			return fail(parser, "no address");
		set_constant(parser, number, is_address);
		return 0;
	}
	if (!take_word(parser, word, "."))
		return fail(parser, "a symbol or an address is missing");
	err = variable__find(&variable, word, &fault);
	if (err)
		return pass_on(parser, &fault);
	set_constant(parser, variable.address, is_address);
	if (variable.is_per_cpu) {
		parser->field->hops.base = FORMAT_THIS_CPU;
		parser->field->hops.offsets_address = variable.offsets;
	}
	if (!is_address && !strncmp(parser->at, "->", 2))
		return parser->in_cast ? 0 : take_member_of(parser, word);
	if ((*parser->at == '+' || *parser->at == '-') && strncmp(parser->at, "->", 2)) {
		if (!take_number(parser, true, &number))
			return fail(parser, "a distance follows \"+\"");
		parser->field->hops.address += number;
	}
	return 0;
}

/* What the source has under that name; of an array its first element, where a type of so many elements follows (":x64[2]"). */
static const struct made_field *find_name(struct parser *parser, const char *word, bool has_type)
{
	const struct made_field *known = parser->source->find(parser->source->context, word);
	const struct fault why = *parser->fault;
	char element[WORD_MAX + sizeof("[0]")];

	if (known || !has_type)
		return known;
	snprintf(element, sizeof(element), "%s[0]", word);
	known = parser->source->find(parser->source->context, element);
	if (!known)
		*parser->fault = why;
	return known;
}

/* An argument, or a member of one that was made already. */
static int take_name(struct parser *parser)
{
	const struct made_field *known;
	char word[WORD_MAX];
	size_t length = strcspn(parser->at, ":,)/+ ");
	const char *arrow = strstr(parser->at, "->");

	if (parser->in_cast && arrow && arrow < parser->at + length)
		length = (size_t)(arrow - parser->at);
	snprintf(word, sizeof(word), "%.*s", (int)length, parser->at);
	if (!strncmp(word, "arg", 3) && isdigit((unsigned char)word[3]) && !word[4]) {
		parser->at += length;
		return take_argument(parser, (unsigned)(word[3] - '0'));
	}
	/* where the way to a member ends early, the source says why */
	parser->fault->text[0] = 0;
	known = *word ? find_name(parser, word, parser->at[length] == ':') : NULL;
	if (!known && *parser->fault->text)
		return -EINVAL;
	if (!known)
		return explain(parser, "\"%s\" is neither an argument nor a register (%%" REGISTERS_EXAMPLE "), a symbol (@jiffies) or memory "
			       "(+8(%%" REGISTERS_EXAMPLE "))", word);
	parser->at += length;
	parser->field->offset = known->offset;
	parser->field->size = known->size;
	parser->field->is_signed = known->is_signed;
	parser->field->meaning = known->meaning;
	parser->field->hops = known->hops;
	strcpy(parser->field->type, known->type);
	parser->has_type = true;
	return 0;
}

static int take_fetch(struct parser *parser);

/* "+8(FETCH)", "-8(…)", "+u8(…)" */
static int take_hop(struct parser *parser)
{
	bool is_negative = *parser->at == '-', of_process = parser->at[1] == 'u';
	uint64_t distance;
	int err;

	parser->at += 1 + of_process;
	if (!take_number(parser, false, &distance) || distance > INT_MAX || *parser->at != '(')
		return fail(parser, "no place in memory (\"+8(%" REGISTERS_EXAMPLE ")\" is one)");
	parser->at++;
	if (++parser->depth > DEPTH_MAX)
		return fail(parser, "too many parentheses within each other");
	parser->in_cast = false;
	err = take_fetch(parser);
	parser->depth--;
	if (err)
		return err;
	if (*parser->at != ')')
		return fail(parser, "the parenthesis is not closed");
	parser->at++;
	/* a text that an argument points to: the pointer */
	if (!parser->field->size && parser->field->hops.base == FORMAT_CONTEXT && parser->field->hops.count == 1 &&
	    !parser->field->hops.offsets[0])
		parser->field->hops = (struct format_hops){};
	else if (!parser->field->size)
		return fail(parser, "a text is no address");
	parser->has_type = false;
	parser->field->meaning = NULL;
	parser->field->is_signed = false;
	return dereference(parser, is_negative ? -(int)distance : (int)distance, of_process);
}

/* "(STRUCT)FETCH->member" */
static int take_cast(struct parser *parser)
{
	struct rawbtf *raw = parser->source->btf(parser->source->btf_context);
	char word[WORD_MAX];
	__u32 id;
	int err;

	parser->at++;
	if (!strncmp(parser->at, "struct ", 7))
		parser->at += 7;
	take_word(parser, word, "");
	parser->at += strspn(parser->at, " *");
	if (*parser->at != ')')
		return fail(parser, "the name of a struct is expected in the parentheses");
	parser->at++;
	parser->at += strspn(parser->at, " ");
	id = find_type(raw, word, 1ull << BTF_KIND_STRUCT | 1ull << BTF_KIND_UNION);
	if (!id)
		return explain(parser, "the kernel's BTF has no struct %s", word);
	parser->in_cast = true;
	err = take_fetch(parser);
	parser->in_cast = false;
	if (!err && parser->field->hops.base == FORMAT_COMM)
		return fail(parser, "a text is no address");
	return err ? err : take_path(parser, raw, id);
}

static int take_fetch(struct parser *parser)
{
	uint64_t number;

	switch (*parser->at) {
	case '%':
		parser->at++;
		return take_register(parser);
	case '$':
		parser->at++;
		return take_variable(parser);
	case '@':
	case '&':
		parser->at++;
		return take_memory(parser, parser->at[-1] == '&');
	case '+':
	case '-':
		return take_hop(parser);
	case '(':
		return take_cast(parser);
	case '\\':
		parser->at++;
		if (!take_number(parser, true, &number))
			return fail(parser, "a number follows the backslash");
		set_constant(parser, number, true);
		return 0;
	default:
		return take_name(parser);
	}
}

int fetch__parse(const char *text, const struct fetch_source *source, struct made_field *field, struct fault *fault)
{
	struct parser parser = { .source = source, .text = text, .at = text, .field = field, .fault = fault };
	const char *why;
	int err;

	*field = (struct made_field){ .is_extra = true };
	err = take_fetch(&parser);
	if (err)
		return err;
	if (*parser.at && *parser.at != ':')
		return fail(&parser, "what is behind it is not understood");
	why = NULL;
	if (*parser.at == ':')
		why = fetch_type__set(parser.at + 1, field);
	else if (!parser.has_type)
		fetch_type__set("x64", field);
	/* a part of a word: the word is read, and the part is stored */
	if (source->has_whole_words && !field->hops.count && field->hops.base == FORMAT_CONTEXT && field->size < 8)
		field->hops = (struct format_hops){ .count = 1, .is_address = true };
	return why ? fail(&parser, why) : 0;
}
