/* SPDX-License-Identifier: BSD-2-Clause */
#include "programs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "hooks.h"
#include "kinds.h"
#include "lib/format/signature.h"
#include "lib/print/text_buffer.h"
#include "user_hooks.h"

#define LINE_MAX_LENGTH 120
#define LINE_SIZE 8192

struct program {
	const struct kind *kind;
	char hook[USER_HOOK_MAX];	/* what SEC() names: "do_unlinkat", "newfstat", "/lib/libc.so.6:getenv" */
	char function[SIGNATURE_NAME_MAX];	/* of uprobes: "getenv"; else as hook */
	bool are_types_known;
	char name[SIGNATURE_NAME_MAX];	/* of the program */
	struct signature signature;
};

bool programs__has_kind(const char *word)
{
	const char *name;

	return kind__of(word, &name);
}

static bool is_name_taken(const struct programs *programs, const char *name)
{
	for (size_t i = 0; i < programs->count; i++)
		if (!strcmp(programs->list[i].name, name))
			return true;
	return false;
}

/* "do_unlinkat_enter"; of two programs with the same name the second has its kind behind that. */
static void set_name(const struct programs *programs, struct program *program)
{
	const struct kind *kind = program->kind;

	snprintf(program->name, sizeof(program->name), "%.96s%s", *program->function ? program->function : "sample", kind->suffix);
	if (is_name_taken(programs, program->name))
		snprintf(program->name, sizeof(program->name), "%.90s%s_%s", program->function, kind->suffix, kind->name);
}

static int find(const struct programs *programs, struct program *program, const char *name, struct fault *fault)
{
	struct user_hook hook;
	int err;

	if (program->kind->hook == HOOK_USER) {
		err = user_hook__find(program->kind, name, &hook, &program->signature, fault);
		memcpy(program->hook, hook.path, sizeof(program->hook));
		memcpy(program->function, hook.function, sizeof(program->function));
		program->are_types_known = hook.are_types_known;
		return err;
	}
	program->are_types_known = true;
	err = hook__find(programs->btf, program->kind, name, program->function, sizeof(program->function), &program->signature, fault);
	memcpy(program->hook, program->function, sizeof(program->function));
	return err;
}

int programs__add(struct programs *programs, const char *word, struct fault *fault)
{
	struct program program = {}, *list;
	const char *name;
	int err;

	program.kind = kind__of(word, &name);
	if (program.kind->hook != HOOK_PERF_EVENT && !*name)
		return fault__set(fault, -EINVAL, "%s: which one? %s/%s names it", word, program.kind->name,
				  program.kind->hook == HOOK_USER ? "FILE:FUNCTION" : "NAME");
	err = find(programs, &program, name, fault);
	if (err)
		return err;
	for (size_t i = 0; i < programs->count; i++)
		if (programs->list[i].kind == program.kind && !strcmp(programs->list[i].hook, program.hook))
			return 0;
	set_name(programs, &program);
	list = realloc(programs->list, (programs->count + 1) * sizeof(*list));
	if (!list)
		return fault__set(fault, -ENOMEM, "no memory for %zu programs", programs->count + 1);
	programs->list = list;
	list[programs->count++] = program;
	return 0;
}

void programs__free(struct programs *programs)
{
	free(programs->list);
	programs->list = NULL;
	programs->count = 0;
}

/* ---- what is printed */

/* A text as lines of a comment, broken between words. */
static void put_comment(const char *text, FILE *to)
{
	size_t left = strlen(text);

	while (left) {
		size_t length = left;

		if (length > LINE_MAX_LENGTH)
			for (length = LINE_MAX_LENGTH; length && text[length] != ' '; length--)
				continue;
		if (!length)
			length = strcspn(text, " ");
		fprintf(to, " * %.*s\n", (int)length, text);
		text += length;
		text += *text == ' ';
		left = strlen(text);
	}
}

static void put_place(const struct program *program, const char *name, size_t number, FILE *to)
{
	char x86[32], arm64[32];
	size_t count = program->signature.count;
	const char *there = kind__place_x86(program->kind, number, count, x86);
	const char *here = kind__place_arm64(program->kind, number, count, arm64);

	if (strcmp(there, here))
		fprintf(to, " *\t%-15s %-8s %s\n", name, there, here);
	else
		fprintf(to, " *\t%-15s %s\n", name, there);
}

static void put_places(const struct program *program, FILE *to)
{
	const struct signature *signature = &program->signature;
	const struct kind *kind = program->kind;
	bool has_registers = kind->context == CONTEXT_REGISTERS || kind->context == CONTEXT_CALLERS_REGISTERS;
	bool has_result = kind->has_result && *signature->result.type;

	if (!(kind->has_params && signature->count) && !has_result)
		return;
	fprintf(to, has_registers ? " *\n *\t%-15s %-8s %s\n" : " *\n", "", "x86-64", "arm64");
	for (size_t i = 0; kind->has_params && i < signature->count; i++)
		put_place(program, signature->params[i].name, i, to);
	if (has_result)
		put_place(program, signature->result.name, KIND_RESULT, to);
}

static void put_sample(const struct program *program, FILE *to)
{
	fprintf(to, "\n/*\n"
		" * perf_event: a counter has overflown, or a timer of perf's. ctx is struct bpf_perf_event_data.\n"
		" *\n"
		" *\tctx->regs            the registers of what was interrupted: PT_REGS_IP(&ctx->regs)\n"
		" *\tctx->sample_period   events between two samples\n"
		" *\tctx->addr            the address, of events that have one; else 0\n"
		" */\n"
		"SEC(\"perf_event\")\n"
		"int %s(struct bpf_perf_event_data *ctx)\n{\n\treturn 0;\n}\n", program->name);
}

/* The macro's line, broken between parameters where it is too long. */
static void put_line(const struct program *program, FILE *to)
{
	const struct signature *signature = &program->signature;
	const struct kind *kind = program->kind;
	int column = fprintf(to, "int %s(%s", kind->macro, program->name);

	for (size_t i = 0; i <= signature->count; i++) {
		const struct signature_value *value = i < signature->count ? &signature->params[i] : &signature->result;
		char line[SIGNATURE_TYPE_MAX + SIGNATURE_NAME_MAX];
		struct text_buffer text = text_buffer__fixed(line, sizeof(line));

		if (i < signature->count ? !kind->has_params : !kind->has_result || !*value->type)
			continue;
		/* BPF_KPROBE() has names for those in registers only */
		if (kind->context == CONTEXT_REGISTERS && i < signature->count && i >= kind__registers())
			continue;
		signature__put_value(value->type, value->name, &text);
		if (column + (int)text.length + 3 > LINE_MAX_LENGTH)
			column = 4 + fprintf(to, ",\n\t     %s", line);
		else
			column += fprintf(to, ", %s", line);
	}
	fputs(")\n{\n\treturn 0;\n}\n", to);
}

static void put_program(const struct program *program, FILE *to)
{
	const struct signature *signature = &program->signature;
	char declared[LINE_SIZE];
	struct text_buffer text = text_buffer__fixed(declared, sizeof(declared));

	if (program->kind->hook == HOOK_PERF_EVENT) {
		put_sample(program, to);
		return;
	}
	fputs("\n/*\n", to);
	text_buffer__add(&text, "%s/%s: %s", program->kind->name, program->hook, program->kind->what);
	put_comment(declared, to);
	text = text_buffer__fixed(declared, sizeof(declared));
	signature__put_declared(signature, program->function, &text);
	fputs(" *\n", to);
	if (program->are_types_known)
		put_comment(declared, to);
	else
		put_comment("Its parameters are not known: these are the registers. Declarations name them: FUNCTION(const char *path, int ret).", to);
	put_places(program, to);
	fprintf(to, " */\nSEC(\"%s/%s\")\n", program->kind->section, program->hook);
	put_line(program, to);
}

/* Structs that the lines name must be declared before them: in a parameter list a declaration ends with it. */
static void put_structs(const struct programs *programs, FILE *to)
{
	char (*seen)[SIGNATURE_TYPE_MAX] = calloc(programs->count * (SIGNATURE_PARAMS + 1) + 1, sizeof(*seen));
	size_t count = 0;

	for (size_t i = 0; seen && i < programs->count; i++) {
		const struct signature *signature = &programs->list[i].signature;

		for (size_t j = 0; j <= signature->count; j++) {
			const char *type = j < signature->count ? signature->params[j].type : signature->result.type;
			bool is_new = signature__struct_of(type, seen[count]);

			for (size_t k = 0; is_new && k < count; k++)
				is_new = strcmp(seen[k], seen[count]);
			if (is_new)
				fprintf(to, "%s%s;\n", count ? "" : "\n", seen[count]);
			count += is_new;
		}
	}
	free(seen);
}

void programs__print(const struct programs *programs, FILE *to)
{
	fputs("/* Programs, written by ctxgen from the types of a kernel: each compiles and loads as it is. docs/contexts.md explains them. */\n"
	      "#include \"vmlinux.h\"\n"
	      "#include <bpf/bpf_core_read.h>\n"
	      "#include <bpf/bpf_helpers.h>\n"
	      "#include <bpf/bpf_tracing.h>\n", to);
	put_structs(programs, to);
	for (size_t i = 0; i < programs->count; i++)
		put_program(&programs->list[i], to);
	fputs("\nchar LICENSE[] SEC(\"license\") = \"Dual BSD/GPL\";\n", to);
}
