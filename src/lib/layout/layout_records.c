/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether a program that reads the record of an event is attached to that event: any other record has other values there. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "elf.h"
#include "layout_fill.h"
#include "lib/format/ctx.h"
#include "lib/format/events.h"
#include "lib/format/format.h"

/* The struct's name without a flavour. */
static const char *struct_of(const struct fill *fill, const struct relo *relo, char name[CTX_MEMBER_NAME_SIZE])
{
	const char *tag = fill__root_name(fill, relo);

	snprintf(name, CTX_MEMBER_NAME_SIZE, "%.*s", (int)relo__essential_length(tag), tag);
	return name;
}

/* Remembers that the program reads the struct's event, for layout__check_event(). */
static int add_read(struct fill *fill, const struct bpf_program *program, const struct relo *relo)
{
	struct layout *layout = fill->layout;
	const struct fill_event *event = fill__find_event(fill, relo->root_id);
	struct layout_read *reads;

	for (size_t i = 0; i < layout->reads_count; i++)
		if (layout->reads[i].program == program && layout->reads[i].format == event->format)
			return 0;
	reads = realloc(layout->reads, (layout->reads_count + 1) * sizeof(*reads));
	if (!reads)
		return -ENOMEM;
	layout->reads = reads;
	reads[layout->reads_count++] = (struct layout_read){ program, event->format };
	return 0;
}

static int check_program(struct fill *fill, const struct bpf_program *program, const struct relo *relo)
{
	const char *name = bpf_program__name(program), *section = bpf_program__section_name(program);
	char wanted[CTX_MEMBER_NAME_SIZE], own[CTX_MEMBER_NAME_SIZE] = "", system[CTX_MEMBER_NAME_SIZE];
	const char *event = events__of_section(section), *slash = event ? strchr(event, '/') : NULL;

	if (bpf_program__type(program) != BPF_PROG_TYPE_TRACEPOINT)
		return fault__set(fill->fault, -EINVAL,
				  "program %s: SEC(\"%s\") gets no event's record, and %s() reads struct %s "
				  "(a program in SEC(\"tp/SYSTEM/NAME\") gets the record of that event)",
				  name, section, relo->function, struct_of(fill, relo, wanted));
	/* the loader names the event when it attaches the program */
	if (!slash)
		return add_read(fill, program, relo);
	snprintf(system, sizeof(system), "%.*s", (int)(slash - event), event);
	events__struct_name(system, slash + 1, own, sizeof(own));
	if (!strcmp(own, struct_of(fill, relo, wanted)))
		return 0;
	return fault__set(fill->fault, -EINVAL,
			  "program %s: SEC(\"%s\") gets the record of struct %s, and %s() reads struct %s, which is "
			  "another event's (SEC and struct must name the same event)",
			  name, section, own, relo->function, wanted);
}

/* ---- subprograms: the programs that call them, through others or not */

#define CALLERS_MAX 256

struct callers {
	const Elf64_Sym *functions[CALLERS_MAX];	/* that reach the access */
	size_t count;
	bool has_grown;
};

static bool is_listed(const struct callers *callers, const Elf64_Sym *function)
{
	for (size_t i = 0; i < callers->count; i++)
		if (callers->functions[i] == function)
			return true;
	return false;
}

static void add_caller(void *ctx, const Elf64_Sym *caller, const Elf64_Sym *called)
{
	struct callers *callers = ctx;

	if (!is_listed(callers, called) || is_listed(callers, caller) || callers->count == CALLERS_MAX)
		return;
	callers->functions[callers->count++] = caller;
	callers->has_grown = true;
}

static int check_subprogram(struct fill *fill, const struct elf *elf, const struct relo *relo)
{
	struct callers callers = { .count = 0 };
	int err = 0;

	for (size_t i = 0; i < elf->symbols_count && !callers.count; i++)
		if (ELF64_ST_TYPE(elf->symbols[i].st_info) == STT_FUNC &&
		    !strcmp(elf__symbol_name(elf, &elf->symbols[i]), relo->function))
			callers.functions[callers.count++] = &elf->symbols[i];
	do {
		callers.has_grown = false;
		elf__each_call(elf, add_caller, &callers);
	} while (callers.has_grown);
	for (size_t i = 0; i < callers.count && !err; i++) {
		const struct bpf_program *program =
			bpf_object__find_program_by_name(fill->object, elf__symbol_name(elf, callers.functions[i]));

		if (program && bpf_program__autoload(program))
			err = check_program(fill, program, relo);
	}
	return err;
}

/* Whether it reads the record, and does not only ask what the kernel has. */
static bool is_read(const struct fill *fill, size_t index)
{
	return fill->origins[index] == ORIGIN_EVENT && relo__is_field(&fill->relos.list[index]) &&
	       !relo__is_question(&fill->relos.list[index]);
}

int fill__check_records(struct fill *fill)
{
	struct elf elf = {};
	int err = 0;

	for (size_t i = 0; i < fill->relos.count && !err; i++) {
		const struct relo *relo = &fill->relos.list[i];
		const struct bpf_program *program;

		if (!is_read(fill, i))
			continue;
		if (relo->in_program) {
			program = bpf_object__find_program_by_name(fill->object, relo->function);
			err = program ? check_program(fill, program, relo) : 0;
			continue;
		}
		if (!elf.bytes)
			err = elf__read(&elf, fill->elf, fill->elf_size);
		if (!err)
			err = check_subprogram(fill, &elf, relo);
	}
	return err;
}

/* ---- events that the loader names */

static bool is_same_field(const struct format_field *a, const struct format_field *b)
{
	return !strcmp(a->name, b->name) && a->offset == b->offset && a->size == b->size && a->is_signed == b->is_signed;
}

static bool is_same_record(const struct format *a, const struct format *b)
{
	if (a->fields_count != b->fields_count)
		return false;
	for (unsigned int i = 0; i < a->fields_count; i++)
		if (!is_same_field(&a->fields[i], &b->fields[i]))
			return false;
	return true;
}

int layout__check_event(const struct layout *layout, const struct bpf_program *program, const char *event,
			struct fault *fault)
{
	const char *slash = strchr(event, '/');
	struct format *format = NULL;
	char system[CTX_MEMBER_NAME_SIZE];
	int err = 0;

	*fault->text = 0;
	if (!slash)
		return -EINVAL;
	snprintf(system, sizeof(system), "%.*s", (int)(slash - event), event);
	for (size_t i = 0; i < layout->reads_count && !err; i++) {
		const struct format *read = layout->reads[i].format;

		if (layout->reads[i].program != program || !read ||
		    (!strcmp(read->system, system) && !strcmp(read->name, slash + 1)))
			continue;
		err = format ? 0 : events__format(system, slash + 1, &format, fault);
		if (!err && !is_same_record(read, format)) {
			err = fault__set(fault, -EINVAL, "program %s: event %s has another record than %s/%s, whose struct the program "
					 "reads", bpf_program__name(program), event, read->system, read->name);
		}
	}
	format__free(format);
	return err;
}
