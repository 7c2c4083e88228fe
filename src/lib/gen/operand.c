/* SPDX-License-Identifier: BSD-2-Clause */
#include "operand.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "fields.h"
#include "pointer_chain.h"

/* Whether the name is one of the task's, in small letters or in capitals. */
static bool find_task_value(const char *name, bool in_capitals, struct operand *operand)
{
	static const char *const names[][2] = {
		[OPERAND_PID] = { "pid", "PID" }, [OPERAND_TID] = { "tid", "TID" }, [OPERAND_UID] = { "uid", "UID" },
		[OPERAND_CPU] = { "cpu", "CPU" }, [OPERAND_COMM] = { "comm", "COMM" },
	};

	for (int kind = OPERAND_PID; kind <= OPERAND_COMM; kind++)
		if (!strcmp(name, names[kind][in_capitals])) {
			operand->kind = (enum operand_kind)kind;
			return true;
		}
	return false;
}

bool operand__is_task_name(const char *name)
{
	struct operand operand;

	return find_task_value(name, true, &operand) || find_task_value(name, false, &operand);
}

static int find_field(struct operand *operand, const struct format *format)
{
	const struct format_field *field = operand->field;
	bool is_char = !strcmp(field->type, "char") && !(field->is_array && field->hops);

	if (field->hops && field->hops->base == FORMAT_COMM) {
		operand->kind = OPERAND_COMM;
		operand->field = NULL;
		return 0;
	}
	if (field->loc == FORMAT_POINTER)
		operand->kind = OPERAND_POINTER;
	else if (field->loc != FORMAT_PLAIN && is_char)
		operand->kind = OPERAND_DYNAMIC;
	else if (field->is_array && field->elem_size == 1 && is_char && field->array_len && !ctx__is_syscall(format))
		operand->kind = OPERAND_ARRAY;
	else
		return ctx__number(format, field, &operand->number);
	operand->number.offset = ctx__offset(format, field);
	return operand->number.offset < 0 ? operand->number.offset : 0;
}

int operand__find(struct operand *operand, const struct format *format, const char *name, struct fault *fault)
{
	const struct format_field *field = format__field(format, name);
	int err;

	*operand = (struct operand){ .field = field };
	if (find_task_value(name, true, operand) || (!field && find_task_value(name, false, operand))) {
		operand->field = NULL;
		return 0;
	}
	if (!field)
		return fields__explain_missing(format, name, fault);
	if (format_field__has_texts(field))
		return fault__set(fault, -EINVAL, "%s is an array of texts: name the one that is meant (+0(+8(…)):string is the second one)",
				  name);
	err = find_field(operand, format);
	if (!err)
		return 0;
	if (err == -EINVAL)
		return fault__set(fault, err, "%s is neither a number nor a text: %s", name, field->decl);
	return fault__set(fault, -EINVAL, "programs cannot read %s", name);
}

bool operand__is_text(const struct operand *operand)
{
	return operand->kind == OPERAND_ARRAY || operand->kind == OPERAND_DYNAMIC ||
	       operand->kind == OPERAND_POINTER || operand->kind == OPERAND_COMM;
}

unsigned int operand__text_max(const struct operand *operand)
{
	const struct format_field *field = operand->field;
	unsigned int size = 0;

	if (operand->kind == OPERAND_COMM)
		return OPERAND_COMM_SIZE - 1;
	if (operand->kind == OPERAND_ARRAY) {
		size = field->array_len;
	} else if (operand->kind == OPERAND_POINTER) {
		/* a member that is an array: "char[16] p->comm" */
		const char *name = field->decl + strlen(field->decl) - strlen(field->name), *bracket = strchr(field->decl, '[');

		if (!bracket || bracket >= name || sscanf(bracket, "[%u]", &size) != 1)
			return 0;
	} else {
		return 0;
	}
	/* tasks' names always end in a 0 byte; other arrays may be full */
	if (size == OPERAND_COMM_SIZE && strlen(field->name) >= 4 && !strcmp(field->name + strlen(field->name) - 4, "comm"))
		size--;
	return size;
}

bool operand__is_unsigned(const struct operand *operand)
{
	return operand->kind == OPERAND_NUMBER && operand__bits(operand) == 64 && !operand->number.is_signed;
}

unsigned int operand__bits(const struct operand *operand)
{
	const struct format_hops *hops = operand->field ? operand->field->hops : NULL;

	return hops && hops->bits ? hops->bits : 8 * operand->number.size;
}

bool operand__is_simple(const struct operand *operand)
{
	return operand->kind != OPERAND_UID && operand->kind != OPERAND_CPU && !operand__may_fault(operand);
}

bool operand__may_fault(const struct operand *operand)
{
	return operand->field && operand->field->hops;
}

static void keep_lower_half(struct emit *emit, int reg)
{
	emit__alu(emit, BPF_LSH, reg, 32);
	emit__alu(emit, BPF_RSH, reg, 32);
}

/* A number in memory, to r0. */
static void load_far(struct emit *emit, const struct operand *operand, const struct operand_frame *frame)
{
	pointer_chain__address(emit, operand->field->hops, operand->number.offset, frame->ctx, frame->slot, frame->fault);
	pointer_chain__read(emit, operand->field->hops, BPF_REG_10, frame->slot, operand->number.size);
	emit__jump(emit, BPF_JNE, BPF_REG_0, 0, frame->fault);
	emit__load(emit, BPF_REG_0, BPF_REG_10, frame->slot, operand->number.size);
	pointer_chain__take_bits(emit, operand->field->hops, BPF_REG_0, operand->number.is_signed);
}

void operand__load(struct emit *emit, int reg, const struct operand *operand, const struct operand_frame *frame)
{
	switch (operand->kind) {
	case OPERAND_NUMBER:
		if (operand->field->hops) {
			load_far(emit, operand, frame);
			reg = BPF_REG_0;
		} else {
			emit__load(emit, reg, frame->ctx, operand->number.offset, operand->number.size);
		}
		if (operand->number.is_signed)
			emit__extend(emit, reg, operand->number.size);
		return;
	case OPERAND_PID:
		emit__copy(emit, reg, frame->id);
		emit__alu(emit, BPF_RSH, reg, 32);
		return;
	case OPERAND_TID:
		emit__copy(emit, reg, frame->id);
		keep_lower_half(emit, reg);
		return;
	case OPERAND_UID:
	case OPERAND_CPU:
		emit__call(emit, operand->kind == OPERAND_UID ? BPF_FUNC_get_current_uid_gid : BPF_FUNC_get_smp_processor_id);
		keep_lower_half(emit, BPF_REG_0);
		return;
	default:	/* texts: the caller has asked */
		return;
	}
}

void operand__point(struct emit *emit, const struct operand *operand, const struct operand_frame *frame)
{
	int offset = operand->number.offset, ctx = frame->ctx;

	if (operand->kind == OPERAND_POINTER) {
		pointer_chain__address(emit, operand->field->hops, offset, ctx, frame->slot, frame->fault);
		return;
	}
	if (operand->kind == OPERAND_ARRAY) {
		emit__copy(emit, BPF_REG_3, ctx);
		emit__alu(emit, BPF_ADD, BPF_REG_3, offset);
		return;
	}
	emit__load(emit, BPF_REG_1, ctx, offset, 4);
	emit__alu(emit, BPF_AND, BPF_REG_1, 0xffff);
	emit__copy(emit, BPF_REG_3, ctx);
	emit__alu_reg(emit, BPF_ADD, BPF_REG_3, BPF_REG_1);
	/* counted from the end of the u32 */
	if (operand->field->loc == FORMAT_REL_LOC)
		emit__alu(emit, BPF_ADD, BPF_REG_3, offset + 4);
}

void operand__read(struct emit *emit, const struct operand *operand, bool as_text)
{
	if (operand->kind == OPERAND_POINTER)
		pointer_chain__read_text(emit, operand->field->hops);
	else
		emit__call(emit, as_text ? BPF_FUNC_probe_read_kernel_str : BPF_FUNC_probe_read_kernel);
}
