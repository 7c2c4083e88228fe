/* SPDX-License-Identifier: BSD-2-Clause */
/* In words: what the kernel does not have, or has in another form. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "layout_fill.h"
#include "lib/format/ctx.h"
#include "lib/format/format.h"
#include "lib/print/text_buffer.h"

/* The one flavour that stands for the type on every kernel. */
#define PART "___part"

/* Whether the same function asks if this type, or something in it, exists. */
bool fill__may_be_missing(const struct fill *fill, const struct relo *relo)
{
	const char *name = fill__root_name(fill, relo);
	size_t length = relo__essential_length(name);

	/* a flavour is a form that the type has on some kernels only */
	if (name[length] && strcmp(name + length, PART))
		return true;
	for (size_t i = 0; i < fill->relos.count; i++) {
		const struct relo *other = &fill->relos.list[i];
		const char *other_name = fill__root_name(fill, other);

		if (relo__is_question(other) && !strcmp(other->function, relo->function) &&
		    relo__essential_length(other_name) == length && !strncmp(other_name, name, length))
			return true;
	}
	return false;
}

/* The names of the steps, "a.b.c". */
static void steps_text(const struct relo_step *steps, int count, char *text, size_t size)
{
	struct text_buffer buffer = text_buffer__fixed(text, size);

	for (int i = 1; i < count; i++)
		if (steps[i].name)
			text_buffer__add(&buffer, "%s%s", buffer.length ? "." : "", steps[i].name);
}

static int explain_field(struct fill *fill, const struct fill_event *event, const char *wanted)
{
	const struct format *format = event->format;
	const struct format_field *field = ctx__field(format, wanted);
	char name[CTX_MEMBER_NAME_SIZE];
	struct text_buffer why;

	if (field && ctx__offset(format, field) == -EACCES)
		return fault__set(fill->fault, -EACCES,
				  "event %s/%s: field %s lies in the first 8 bytes, which BPF programs may not "
				  "read (a helper gives what it says, such as bpf_get_current_pid_tgid())",
				  format->system, format->name, wanted);
	if (field && ctx__offset(format, field) >= 0)
		return fault__set(fill->fault, -EINVAL,
				  "event %s/%s: field %s is \"%s\" on this kernel, which the program's type for "
				  "it does not fit (ctxgen shows one that does)",
				  format->system, format->name, wanted, field->decl);
	why = fault__begin(fill->fault, -ENOENT);
	text_buffer__add(&why, "event %s/%s: the kernel's record has no field %s (it has", format->system, format->name, wanted);
	for (unsigned i = format->common_count; i < format->fields_count; i++)
		if (ctx__offset(format, &format->fields[i]) >= 0)
			text_buffer__add(&why, "%s%s", i == format->common_count ? " " : ", ",
					 ctx__member_name(&format->fields[i], name));
	text_buffer__add(&why, ")");
	return -ENOENT;
}

/* Whether the kernel has a type of the root's name and kind at all. */
static bool has_root(const struct fill *fill, const struct relo *relo)
{
	const char *name = fill__root_name(fill, relo);
	char essential[CTX_MEMBER_NAME_SIZE];

	snprintf(essential, sizeof(essential), "%.*s", (int)relo__essential_length(name), name);
	return btf__find_by_name_kind(fill->target, essential, btf_kind(btf__type_by_id(fill->btf, relo->root_id))) > 0;
}

static const char *kind_name(const struct btf_type *type)
{
	switch (btf_kind(type)) {
	case BTF_KIND_STRUCT: return "struct";
	case BTF_KIND_UNION: return "union";
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64: return "enum";
	default: return "type";
	}
}

int fill__explain_missing(struct fill *fill, const struct relo *relo)
{
	const struct fill_event *event = fill__find_event(fill, relo->root_id);
	const struct btf_type *type = btf__type_by_id(fill->btf, relo->root_id);
	const char *kind = kind_name(type), *name = fill__root_name(fill, relo);
	int length = (int)relo__essential_length(name);
	struct relo_step steps[RELO_STEPS_MAX];
	char field[256] = "";
	int count = relo__is_field(relo) ? relo__steps(relo, fill->btf, steps) : 0;

	steps_text(steps, count, field, sizeof(field));
	if (event && !event->format)
		return fault__set(fill->fault, -ENOENT, "%s", event->missing.text);
	if (event)
		return explain_field(fill, event, field);
	if (!has_root(fill, relo))
		return fault__set(fill->fault, -ENOENT, "%s %.*s: the kernel does not have it, and %s() reads it", kind,
				  length, name, relo->function);
	if (relo__is_enumerator(relo))
		return fault__set(fill->fault, -ENOENT, "enum %.*s: the kernel's has no %s, which %s() reads",
				  length, name, relo__enumerator(relo, fill->btf), relo->function);
	return fault__set(fill->fault, -ENOENT, "%s %.*s: the kernel's has no member %s of the kind that %s() reads", kind,
			  length, name, field, relo->function);
}

/*
 * An access of another size than the kernel's field.  libbpf adjusts a load of an unsigned number, since that fills
 * the register with zeros whatever its size; for any other it only tells the verifier that the instruction is bad.
 */
int fill__check_size(struct fill *fill, const struct relo *relo)
{
	const struct fill_event *event = fill__find_event(fill, relo->root_id);
	const struct format_field *field;
	struct relo_step steps[RELO_STEPS_MAX];
	const struct btf_type *type;
	__s64 size;
	__u32 id;

	if (!relo->is_access || relo->kind != BPF_CORE_FIELD_BYTE_OFFSET || !event || !event->format ||
	    relo__steps(relo, fill->btf, steps) != 2 || ctx__is_syscall(event->format))
		return 0;
	field = ctx__field(event->format, steps[1].name);
	id = steps[1].type_id;
	type = relo__resolve(fill->btf, &id);
	size = btf__resolve_size(fill->btf, steps[1].type_id);
	if (!field || !ctx__is_scalar(field) || size == field->size)
		return 0;
	if (btf_is_int(type) && !(btf_int_encoding(type) & BTF_INT_SIGNED) && !field->is_signed)
		return 0;
	return fault__set(fill->fault, -EINVAL,
			  "event %s/%s: field %s has %u bytes on this kernel, and the program reads %lld as a "
			  "signed number (ctxgen --check says what else differs)",
			  event->format->system, event->format->name, field->name, field->size, (long long)size);
}
